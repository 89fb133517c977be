package service

import (
	"strings"
	"testing"

	avnservice "github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// An answer without integrations doesn't rule out an autoscaler, whose disk a write of ours would take back.
func TestAnAnswerWithoutIntegrationsIsCompletedBeforeTheDiskIsCompared(t *testing.T) {
	const list = "GET service/my-pg/integration"
	listed := func(kinds ...string) aiventest.Answer {
		integrations := []any{}
		for _, kind := range kinds {
			integrations = append(integrations, aiventest.Object{"integration_type": kind, "enabled": true, "active": true})
		}
		return aiventest.OK(aiventest.Object{"service_integrations": integrations})
	}
	for name, tc := range map[string]struct {
		disk  string
		first bool // the spec wasn't applied yet
		made  bool // the service was made from it all the same
		list  aiventest.Answer
		paths []string
		class fault.Class // none unless it is set
		calls []string
	}{
		"an autoscaler":                                   {disk: "90GiB", list: listed("autoscaler"), calls: []string{lookup, list, "GET kms/ca"}},
		"an autoscaler, before the spec":                  {disk: "90GiB", first: true, list: listed("autoscaler"), class: fault.Invalid, calls: []string{lookup, list}},
		"an autoscaler, of one that is left on":           {disk: "90GiB", first: true, made: true, list: listed("autoscaler"), calls: []string{lookup, list, "GET kms/ca"}},
		"another one":                                     {disk: "90GiB", list: listed("logs"), paths: []string{pathDisk}, calls: []string{lookup, list, "GET kms/ca"}},
		"none":                                            {disk: "90GiB", list: listed(), paths: []string{pathDisk}, calls: []string{lookup, list, "GET kms/ca"}},
		"unknown, as the list has none either":            {disk: "90GiB", list: aiventest.OK(nil), class: fault.Unknown, calls: []string{lookup, list}},
		"unknown, as the list can't be read":              {disk: "90GiB", list: aiventest.Refused(403, "no"), class: fault.Forbidden, calls: []string{lookup, list}},
		"of no account where the disk is as it should be": {disk: "80GiB", list: listed(), calls: []string{lookup, "GET kms/ca"}},
		"of no account without a disk":                    {list: listed(), calls: []string{lookup, "GET kms/ca"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, aiventest.Service(aiventest.Object{"service_integrations": nil}))
			a.On(list, tc.list)
			obj := edited(func(obj pg) { obj.Spec.DiskSpace = tc.disk })
			if !tc.first {
				accepted(obj)
			}
			if tc.made {
				obj.Generation, obj.Status.Provenance = 1, &v1alpha1.Provenance{Type: v1alpha1.ProvenanceCreated, UID: obj.UID}
			}
			o, err := definition().Controller(controllers.Env{Client: a.Client()}).Observe(t.Context(), obj)
			assert.Equal(t, tc.calls, a.Calls())
			if tc.class != "" {
				assert.Equal(t, tc.class, fault.Of(err).Class, "%v", err)
			} else {
				require.NoError(t, err)
				assert.ElementsMatch(t, tc.paths, o.Diff.Paths())
			}
		})
	}
}

// A ServiceIntegration has made an integration within the lag: a service whose answer has none shows this one alone.
func TestAnIntegrationThatWasJustMadeIsNotTheWholeList(t *testing.T) {
	made := func(kind avnservice.IntegrationType) *aiven.Integration {
		return &aiven.Integration{
			IntegrationType: kind, SourceProject: aiventest.Project, SourceService: "my-pg",
			DestProject: aiventest.Project, DestService: ptr.To("logs"), ServiceIntegrationId: "id",
		}
	}
	for name, tc := range map[string]struct {
		made   *aiven.Integration
		listed []any
		edit   func(obj pg)
		paths  []string
	}{
		"an autoscaler is in the list": {
			made: made("logs"), listed: []any{aiventest.Object{"integration_type": "autoscaler"}}, edit: func(obj pg) { obj.Spec.DiskSpace = "90GiB" },
		},
		"an autoscaler isn't in the list yet": {made: made("autoscaler"), listed: []any{}, edit: func(obj pg) { obj.Spec.DiskSpace = "90GiB" }},
		"no autoscaler":                       {made: made("logs"), listed: []any{}, edit: func(obj pg) { obj.Spec.DiskSpace = "90GiB" }, paths: []string{pathDisk}},
		"the disk isn't sent with another change": {
			made: made("logs"), edit: func(obj pg) { obj.Spec.DiskSpace, obj.Spec.Plan = "80GiB", "startup-8" }, paths: []string{pathPlan},
		},
		"a replica may have its source": {made: made("logs"), edit: func(obj pg) {
			obj.Spec.ServiceIntegrations = []*v1alpha1.ServiceIntegrationItem{{IntegrationType: "read_replica", SourceServiceName: "main"}}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, aiventest.Service(aiventest.Object{"service_integrations": nil}))
			a.On("GET service/my-pg/integration", aiventest.OK(aiventest.Object{"service_integrations": tc.listed}))
			a.On(put, aiventest.OK(nil))
			client := a.Client()
			_, err := client.GetLive(t.Context(), aiventest.Project, "my-pg")
			require.NoError(t, err)
			source := aiven.IntegrationEnd{Project: aiventest.Project, Service: "my-pg"}
			dest := aiven.IntegrationEnd{Project: aiventest.Project, Service: "logs"}
			entry := aiven.IntegrationEntry(string(tc.made.IntegrationType), source, dest)
			client.RecordWrite(aiventest.Project, "my-pg", entry, aiven.WriteResult{MayHaveApplied: true, Entry: tc.made})
			obj := edited(tc.edit)
			accepted(obj)
			c := definition().Controller(controllers.Env{Client: client})
			o, err := c.Observe(t.Context(), obj)
			require.NoError(t, err)
			assert.ElementsMatch(t, tc.paths, o.Diff.Paths())
			assert.Empty(t, o.Remote.Message)
			a.Calls()
			_, err = c.Update(t.Context(), obj, o)
			require.NoError(t, err)
			assert.Equal(t, o.Diff.Has(pathDisk), strings.Contains(a.Calls()[0], "disk_space_mb"))
		})
	}
}
