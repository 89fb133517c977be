package service

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers"
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
		list  aiventest.Answer
		paths []string
		class fault.Class // none unless it is set
		calls []string
	}{
		"an autoscaler":                        {disk: "90GiB", list: listed("autoscaler"), calls: []string{lookup, list, "GET kms/ca"}},
		"an autoscaler, before the spec":       {disk: "90GiB", first: true, list: listed("autoscaler"), class: fault.Invalid, calls: []string{lookup, list}},
		"another one":                          {disk: "90GiB", list: listed("logs"), paths: []string{pathDisk}, calls: []string{lookup, list, "GET kms/ca"}},
		"none":                                 {disk: "90GiB", list: listed(), paths: []string{pathDisk}, calls: []string{lookup, list, "GET kms/ca"}},
		"unknown, as the list has none either": {disk: "90GiB", list: aiventest.OK(nil), class: fault.Unknown, calls: []string{lookup, list}},
		"unknown, as the list can't be read":   {disk: "90GiB", list: aiventest.Refused(403, "no"), class: fault.Forbidden, calls: []string{lookup, list}},
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
