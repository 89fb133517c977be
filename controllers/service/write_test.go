package service

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	pguserconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/pg"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/status"
)

func TestCreate(t *testing.T) {
	a := aiventest.New(t)
	a.On(lookup, aiventest.Missing())
	a.On("POST service", aiventest.OK(aiventest.Object{"service": aiventest.ServiceFields(nil)}))
	obj := object()
	c := start(t, a, obj)
	_, err := c.Observe(t.Context(), obj)
	require.NoError(t, err)
	o, err := c.Create(t.Context(), obj)
	require.NoError(t, err)
	assert.True(t, o.Remote.Exists)
	assert.False(t, o.Remote.Active, "what Aiven has only just accepted isn't there yet")
	assert.Equal(t, aiven.StateRebuilding, obj.Status.State)
	assert.Equal(t, []string{
		lookup,
		`POST service {"cloud":"google-europe-west1","plan":"startup-4","project_vpc_id":null,` +
			`"service_name":"my-pg","service_type":"pg"}`,
	}, a.Calls())
}

func TestCreateRefused(t *testing.T) {
	a := aiventest.New(t)
	a.On("POST service", aiventest.Refused(409, "Service name is already in use / already exists"))
	obj := object()
	_, err := start(t, a, obj).Create(t.Context(), obj)
	assert.Equal(t, fault.Exists, fault.Of(err).Class)
	assert.ErrorContains(t, err, "creating service")

	bad := edited(func(obj pg) { obj.Name = "my.pg" })
	_, err = start(t, a, bad).Create(t.Context(), bad)
	assert.Equal(t, fault.Invalid, fault.Of(err).Class)
}

func TestACreationNamesWhatAivenDoesNotFind(t *testing.T) {
	inVPC := edited(func(obj pg) { obj.Spec.ProjectVPCID = "4f9a" })
	for name, tc := range map[string]struct {
		obj          pg
		text, starts string
	}{
		"the project": {object(), "Project does not exist", "Aiven rejected spec.project demo: Project does not exist. Create the project"},
		"the VPC":     {inVPC, "VPC does not exist", "Aiven rejected spec.projectVpcId 4f9a: VPC does not exist. Correct the id"},
		"the VPC, with the word that the API has": {
			inVPC, "Project VPC does not exist", "Aiven rejected spec.projectVpcId 4f9a: Project VPC does not exist. Correct the id",
		},
		"an unknown thing": {object(), "The moon does not exist", "Aiven rejected the change: The moon does not exist (404"},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On("POST service", aiventest.Refused(404, tc.text))
			_, err := start(t, a, tc.obj).Create(t.Context(), tc.obj)
			assert.Equal(t, fault.NotFound, fault.Of(err).Class)
			message := (*fault.Secrets)(nil).Refusal(err, "Aiven rejected the change", "")
			assert.Equal(t, tc.starts, message[:min(len(message), len(tc.starts))])
		})
	}
}

func TestARefusedReplicaNamesTheFieldOfItsSource(t *testing.T) {
	replica := edited(func(obj pg) {
		obj.Spec.ServiceIntegrations = []*v1alpha1.ServiceIntegrationItem{{IntegrationType: "read_replica", SourceServiceName: "logs"}}
	})
	for _, text := range []string{
		"Invalid input: 'logs' is of type opensearch, which integration_type 'read_replica' does not take as its source",
		"Invalid service_integrations: 'read_replica' needs a source_service of type 'pg'",
	} {
		t.Run(text, func(t *testing.T) {
			a := aiventest.New(t)
			a.On("POST service", aiventest.Refused(400, text))
			_, err := start(t, a, replica).Create(t.Context(), replica)
			assert.Equal(t, "Aiven rejected spec.serviceIntegrations: "+text+". Recreate the object with another spec.serviceIntegrations (400 ServiceCreate)",
				(*fault.Secrets)(nil).Refusal(err, "Aiven rejected the change", ""))
		})
	}
}

func TestUpdate(t *testing.T) {
	updating := status.Remote{
		Exists: true, State: "RUNNING", Reason: "Updating", Message: "Waiting for Aiven to show what was written",
	}
	running := status.Remote{Exists: true, Active: true, State: "RUNNING"}
	minimal := `{"cloud":"google-europe-west1","plan":"startup-4","powered":true,"project_vpc_id":null}`
	for name, tc := range map[string]struct {
		obj    pg
		before aiventest.Object
		after  aiventest.Object
		want   status.Remote
		calls  []string
	}{
		"tags alone need no update of the service, and are read again at once": {
			obj:   edited(func(obj pg) { obj.Spec.Tags = map[string]string{"a": "b"} }),
			after: aiventest.Object{"tags": aiventest.Object{"a": "b"}},
			want:  running,
			calls: []string{lookup, "GET kms/ca", `PUT service/my-pg/tags {"tags":{"a":"b"}}`, lookup},
		},
		"tags that the spec has no more are cleared": {
			obj:    object(),
			before: aiventest.Object{"tags": aiventest.Object{"a": "b"}}, after: aiventest.Object{}, want: running,
			calls: []string{lookup, "GET kms/ca", `PUT service/my-pg/tags {"tags":{}}`, lookup},
		},
		"tags and an option that Aiven doesn't return": {
			obj: edited(func(obj pg) {
				obj.Spec.Tags = map[string]string{"a": "b"}
				obj.Spec.UserConfig = &pguserconfig.PgUserConfig{SharedBuffersPercentage: ptr.To(30.0)}
			}),
			after: aiventest.Object{"tags": aiventest.Object{"a": "b"}},
			want:  running,
			calls: []string{lookup, "GET kms/ca", put + ` {"cloud":"google-europe-west1","plan":"startup-4",` +
				`"powered":true,"project_vpc_id":null,"user_config":{"shared_buffers_percentage":30}}`,
				`PUT service/my-pg/tags {"tags":{"a":"b"}}`, lookup},
		},
		"an option takes effect at once": {
			obj: edited(func(obj pg) {
				obj.Spec.UserConfig = &pguserconfig.PgUserConfig{BackupHour: ptr.To(4)}
			}),
			before: aiventest.Object{"user_config": aiventest.Object{"backup_hour": 3}},
			after:  aiventest.Object{"user_config": aiventest.Object{"backup_hour": 4}},
			want:   running,
			calls: []string{lookup, "GET kms/ca", put + ` {"cloud":"google-europe-west1","plan":"startup-4",` +
				`"powered":true,"project_vpc_id":null,"user_config":{"backup_hour":4}}`, lookup},
		},
		"an empty address filter reaches Aiven": {
			obj: edited(func(obj pg) {
				obj.Spec.UserConfig = &pguserconfig.PgUserConfig{IpFilter: []*pguserconfig.IpFilter{}}
			}),
			after: aiventest.Object{"user_config": aiventest.Object{"ip_filter": []any{}}},
			want:  running,
			calls: []string{lookup, "GET kms/ca", put + ` {"cloud":"google-europe-west1","plan":"startup-4",` +
				`"powered":true,"project_vpc_id":null,"user_config":{"ip_filter":[]}}`, lookup},
		},
		"what Aiven doesn't show yet is waited for": {
			obj:   edited(func(obj pg) { obj.Spec.TerminationProtection = ptr.To(true) }),
			after: aiventest.Object{}, want: updating,
			calls: []string{lookup, "GET kms/ca", put + ` {"cloud":"google-europe-west1","plan":"startup-4",` +
				`"powered":true,"project_vpc_id":null,"termination_protection":true}`, lookup},
		},
		"another plan is read later": {
			obj:    object(),
			before: aiventest.Object{"plan": "startup-8"}, want: updating,
			calls: []string{lookup, "GET kms/ca", put + " " + minimal},
		},
		"a plan and tags": {
			obj:    edited(func(obj pg) { obj.Spec.Tags = map[string]string{"a": "b"} }),
			before: aiventest.Object{"plan": "startup-8"}, want: updating,
			calls: []string{lookup, "GET kms/ca", put + " " + minimal, `PUT service/my-pg/tags {"tags":{"a":"b"}}`},
		},
		"power on": {
			obj:    object(),
			before: aiventest.Object{"state": "POWEROFF"},
			want: status.Remote{
				Exists: true, Off: true, State: "POWEROFF", Reason: "Updating", Message: "Waiting for Aiven: the service is POWEROFF",
			},
			calls: []string{lookup, put + " " + minimal},
		},
		"a forced update sends everything": {
			obj: object(), after: aiventest.Object{}, want: running,
			calls: []string{lookup, "GET kms/ca", put + " " + minimal, lookup},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, aiventest.Service(tc.before), aiventest.Service(tc.after))
			a.On(put, aiventest.OK(aiventest.Object{"service": aiventest.ServiceFields(nil)}))
			a.On("PUT service/my-pg/tags", aiventest.OK(nil))
			c := start(t, a, tc.obj)
			seen, err := c.Observe(t.Context(), tc.obj)
			require.NoError(t, err)
			o, err := c.Update(t.Context(), tc.obj, seen)
			require.NoError(t, err)
			assert.Equal(t, tc.want, o.Remote)
			assert.Empty(t, o.Diff)
			assert.Equal(t, tc.calls, a.Calls())
		})
	}
}

func TestUpdateRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		route, want string
	}{
		"by the service": {put, "updating service"},
		"by its tags":    {"PUT service/my-pg/tags", "replacing tags"},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, aiventest.Service(aiventest.Object{"plan": "startup-8"}))
			a.On(put, aiventest.OK(aiventest.Object{"service": aiventest.ServiceFields(nil)}))
			a.On(tc.route, aiventest.Refused(400, "Plan startup-4 isn't there"))
			obj := edited(func(obj pg) { obj.Spec.Tags = map[string]string{"a": "b"} })
			c := start(t, a, obj)
			seen, err := c.Observe(t.Context(), obj)
			require.NoError(t, err)
			_, err = c.Update(t.Context(), obj, seen)
			assert.Equal(t, fault.Rejected, fault.Of(err).Class)
			assert.ErrorContains(t, err, tc.want)
		})
	}
}

func TestDelete(t *testing.T) {
	const remove = "DELETE service/my-pg"
	protected := aiventest.Service(aiventest.Object{"termination_protection": true, "project_vpc_id": "vpc-1"})
	unprotect := put + ` {"project_vpc_id":"vpc-1","termination_protection":false}`
	unprotected := edited(func(obj pg) { obj.Spec.TerminationProtection = ptr.To(false) })
	for name, tc := range map[string]struct {
		obj    pg
		reads  []aiventest.Answer
		script map[string]aiventest.Answer
		want   error
		class  fault.Class
		calls  []string
	}{
		"gone at once": {
			reads:  []aiventest.Answer{aiventest.Service(nil), aiventest.Missing()},
			script: map[string]aiventest.Answer{remove: aiventest.OK(nil)},
			calls:  []string{lookup, remove, lookup},
		},
		"still there": {
			reads:  []aiventest.Answer{aiventest.Service(nil)},
			script: map[string]aiventest.Answer{remove: aiventest.OK(nil)},
			want:   deletion.ErrPending, calls: []string{lookup, remove, lookup},
		},
		"gone before": {reads: []aiventest.Answer{aiventest.Missing()}, calls: []string{lookup, "GET service"}},
		"gone, says the service, and not its project": {
			reads:  []aiventest.Answer{aiventest.Missing()},
			script: map[string]aiventest.Answer{"GET service": aiventest.OK(aiventest.Object{"services": []any{aiventest.ServiceFields(nil)}})},
			want:   deletion.ErrPending, calls: []string{lookup, "GET service"},
		},
		"gone in between": {
			reads:  []aiventest.Answer{aiventest.Service(nil), aiventest.Missing()},
			script: map[string]aiventest.Answer{remove: aiventest.Missing()},
			calls:  []string{lookup, remove, lookup},
		},
		"protection that was set at Aiven (review M2)": {
			reads: []aiventest.Answer{protected}, class: fault.Protected, calls: []string{lookup},
		},
		"protection that the spec turns off": {
			obj: unprotected, reads: []aiventest.Answer{protected, aiventest.Missing()},
			script: map[string]aiventest.Answer{put: aiventest.OK(nil), remove: aiventest.OK(nil)},
			calls:  []string{lookup, unprotect, remove, lookup},
		},
		"protected, and gone in between": {
			obj: unprotected, reads: []aiventest.Answer{protected, aiventest.Missing()},
			script: map[string]aiventest.Answer{put: aiventest.Missing(), remove: aiventest.Missing()},
			calls:  []string{lookup, unprotect, remove, lookup},
		},
		"protection that can't be turned off": {
			obj: unprotected, reads: []aiventest.Answer{protected},
			script: map[string]aiventest.Answer{put: aiventest.Refused(403, "no")},
			class:  fault.Forbidden, calls: []string{lookup, unprotect},
		},
		"refused": {
			reads:  []aiventest.Answer{aiventest.Service(nil)},
			script: map[string]aiventest.Answer{remove: aiventest.Refused(409, "replicas depend on it")},
			class:  fault.Conflict, calls: []string{lookup, remove},
		},
		"Aiven answers with an error": {
			reads: []aiventest.Answer{aiventest.Refused(500, "oops")}, class: fault.Server, calls: []string{lookup},
		},
		"a service of that name and another type stays": {
			reads: []aiventest.Answer{aiventest.Service(aiventest.Object{"service_type": "kafka"})}, calls: []string{lookup},
		},
		"a name that no service has": {obj: edited(func(obj pg) { obj.Name = "my.pg" })},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, tc.reads...)
			for route, answer := range tc.script {
				a.On(route, answer)
			}
			obj := tc.obj
			if obj == nil {
				obj = object()
			}
			err := start(t, a, obj).Delete(t.Context(), obj)
			switch {
			case tc.want != nil:
				assert.ErrorIs(t, err, tc.want)
			case tc.class != "":
				assert.Equal(t, tc.class, fault.Of(err).Class)
			default:
				assert.NoError(t, err)
			}
			assert.Equal(t, tc.calls, a.Calls())
		})
	}
}
