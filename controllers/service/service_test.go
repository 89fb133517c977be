package service

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	pguserconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/pg"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/internal/status"
	"github.com/aero-operator/aero/controllers/resource/aiventest"
)

type pg = *v1alpha1.PostgreSQL

func migrationOf(obj pg) *v1alpha1.MigrationSecretSource { return obj.Spec.MigrationSecretSource }

// definition is a service type with everything that one can have.
func definition() Definition[pg] {
	return Definition[pg]{
		Type:    "pg",
		Options: func(obj pg) any { return obj.Spec.UserConfig },
		Details: func(s *aiven.Service, ca string) connection.Details {
			return connection.Details{Prefixed: map[string]string{"URI": s.URI, "CA_CERT": ca}}
		},
		Migration: migrationOf,
	}
}

// object asks for exactly what aiventest.Service has.
func object() pg {
	obj := &v1alpha1.PostgreSQL{ObjectMeta: metav1.ObjectMeta{Namespace: aiventest.Namespace, Name: "my-pg", Generation: 1}}
	obj.Spec.Project, obj.Spec.Plan, obj.Spec.CloudName = aiventest.Project, "startup-4", "google-europe-west1"
	return obj
}

func edited(edit func(obj pg)) pg {
	obj := object()
	edit(obj)
	return obj
}

func start(t *testing.T, a *aiventest.Aiven, obj pg, secrets ...*corev1.Secret) controllers.AivenController[pg] {
	refs := aiventest.Resolve(t, obj, []reference.Declaration{Migration(migrationOf)}, secrets...)
	return definition().Controller(controllers.Env{Client: a.Account(), Refs: refs})
}

const (
	lookup  = "GET service/my-pg"
	backups = "GET service/my-pg/backups"
	put     = "PUT service/my-pg"
)

func noBackups() aiventest.Answer { return aiventest.OK(aiventest.Object{"backups": []any{}}) }

func oneBackup() aiventest.Answer {
	return aiventest.OK(aiventest.Object{"backups": []any{aiventest.Object{
		"backup_name": "first", "backup_time": "2026-01-01T00:00:00Z", "data_size": 1,
	}}})
}

func TestObserve(t *testing.T) {
	for name, tc := range map[string]struct {
		obj    pg
		script map[string]aiventest.Answer
		want   status.Remote
		hold   string
		paths  []string
		class  fault.Class
		calls  []string
		empty  bool // no details
	}{
		"in sync": {
			script: map[string]aiventest.Answer{lookup: aiventest.Service(nil)},
			want:   status.Remote{Exists: true, Active: true, State: "RUNNING"},
			calls:  []string{lookup, "GET kms/ca"},
		},
		"not there": {
			script: map[string]aiventest.Answer{lookup: aiventest.Missing()},
			calls:  []string{lookup}, empty: true,
		},
		"Aiven is in trouble": {
			script: map[string]aiventest.Answer{lookup: aiventest.Refused(500, "oops")},
			class:  fault.Server, calls: []string{lookup}, empty: true,
		},
		"the CA can't be read": {
			script: map[string]aiventest.Answer{lookup: aiventest.Service(nil), "GET kms/ca": aiventest.Refused(500, "oops")},
			want:   status.Remote{Exists: true, Active: true, State: "RUNNING"},
			class:  fault.Server, calls: []string{lookup, "GET kms/ca"}, empty: true,
		},
		"a service of another type": {
			script: map[string]aiventest.Answer{lookup: aiventest.Service(aiventest.Object{"service_type": "kafka"})},
			class:  fault.Invalid, calls: []string{lookup}, empty: true,
		},
		"being built": {
			script: map[string]aiventest.Answer{lookup: aiventest.Service(aiventest.Object{
				"state": "REBUILDING", "service_uri_params": nil,
			})},
			want: status.Remote{
				Exists: true, State: "REBUILDING", Reason: "Rebuilding", Message: "Waiting for Aiven to build the service",
			},
			calls: []string{lookup}, empty: true,
		},
		"moving, while its clients go on": {
			script: map[string]aiventest.Answer{lookup: aiventest.Service(aiventest.Object{"state": "REBALANCING"})},
			want: status.Remote{
				Exists: true, State: "REBALANCING", Reason: "Updating",
				Message: "Waiting for Aiven: the service is REBALANCING",
			},
			calls: []string{lookup, "GET kms/ca"},
		},
		"running, without an address": {
			script: map[string]aiventest.Answer{lookup: aiventest.Service(aiventest.Object{"service_uri_params": nil})},
			want:   status.Remote{Exists: true, Active: true, State: "RUNNING"},
			calls:  []string{lookup}, empty: true,
		},
		"off, as asked": {
			obj:    edited(func(obj pg) { obj.Spec.Powered = ptr.To(false) }),
			script: map[string]aiventest.Answer{lookup: aiventest.Service(aiventest.Object{"state": "POWEROFF"})},
			want:   status.Remote{Exists: true, PoweredOff: true, State: "POWEROFF", Message: "The service is powered off"},
			calls:  []string{lookup}, empty: true,
		},
		"off, though it has to be on": {
			script: map[string]aiventest.Answer{lookup: aiventest.Service(aiventest.Object{"state": "POWEROFF"})},
			want: status.Remote{
				Exists: true, Off: true, State: "POWEROFF", Reason: "Updating", Message: "Waiting for Aiven: the service is POWEROFF",
			},
			paths: []string{"spec.powered"}, calls: []string{lookup}, empty: true,
		},
		"to be off, without a backup": {
			obj:    edited(func(obj pg) { obj.Spec.Powered = ptr.To(false) }),
			script: map[string]aiventest.Answer{lookup: aiventest.Service(nil), backups: noBackups()},
			want:   status.Remote{Exists: true, Active: true, State: "RUNNING"},
			hold:   "Waiting for the first backup: without one, a service that is powered off couldn't come back",
			paths:  []string{"spec.powered"}, calls: []string{lookup, backups, "GET kms/ca"},
		},
		"to be off, with a backup": {
			obj:    edited(func(obj pg) { obj.Spec.Powered = ptr.To(false) }),
			script: map[string]aiventest.Answer{lookup: aiventest.Service(nil), backups: oneBackup()},
			want:   status.Remote{Exists: true, Active: true, State: "RUNNING"},
			paths:  []string{"spec.powered"}, calls: []string{lookup, backups, "GET kms/ca"},
		},
		"to be off, and the backups can't be read": {
			obj:    edited(func(obj pg) { obj.Spec.Powered = ptr.To(false) }),
			script: map[string]aiventest.Answer{lookup: aiventest.Service(nil), backups: aiventest.Refused(500, "oops")},
			want:   status.Remote{Exists: true, Active: true, State: "RUNNING"},
			paths:  []string{"spec.powered"}, class: fault.Server, calls: []string{lookup, backups}, empty: true,
		},
		"a disk size beside an autoscaler": {
			obj: edited(func(obj pg) { obj.Spec.DiskSpace = "80GiB" }),
			script: map[string]aiventest.Answer{lookup: aiventest.Service(aiventest.Object{"service_integrations": []any{
				aiventest.Object{"integration_type": "autoscaler", "enabled": true, "active": true},
			}})},
			class: fault.Invalid, calls: []string{lookup}, empty: true,
		},
		"an impossible disk size": {
			obj: edited(func(obj pg) { obj.Spec.DiskSpace = "much" }), class: fault.Invalid, empty: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			for route, answer := range tc.script {
				a.On(route, answer)
			}
			obj := tc.obj
			if obj == nil {
				obj = object()
			}
			o, err := start(t, a, obj).Observe(t.Context(), obj)
			if tc.class == "" {
				tc.class = fault.None
			}
			assert.Equal(t, tc.class, fault.Of(err).Class, "%v", err)
			assert.Equal(t, tc.want, o.Remote)
			if tc.class == fault.None {
				assert.Equal(t, tc.want.State, obj.Status.State)
			}
			assert.Equal(t, tc.hold, o.WaitFor)
			assert.ElementsMatch(t, tc.paths, o.Diff.Paths())
			assert.Equal(t, tc.empty, o.Details.Empty())
			assert.Equal(t, tc.calls, a.Calls())
		})
	}
}

func TestReplicasWaitForTheirSource(t *testing.T) {
	replica := edited(func(obj pg) {
		obj.Spec.ServiceIntegrations = []*v1alpha1.ServiceIntegrationItem{
			{IntegrationType: "read_replica", SourceServiceName: "main"},
		}
	})
	const source, sourceBackups = "GET service/main", "GET service/main/backups"
	running := aiventest.Service(aiventest.Object{"service_name": "main"})
	for name, tc := range map[string]struct {
		source, backups aiventest.Answer
		hold            string
		class           fault.Class
		calls           []string
	}{
		"no source": {
			source: aiventest.Missing(), hold: "Waiting for service main, which this one is to replicate",
			calls: []string{lookup, source},
		},
		"a source that is being built": {
			source: aiventest.Service(aiventest.Object{"service_name": "main", "state": "REBUILDING"}),
			hold:   "Waiting for service main, which this one is to replicate", calls: []string{lookup, source},
		},
		"a source that can't be read": {
			source: aiventest.Refused(500, "oops"), class: fault.Server, calls: []string{lookup, source},
		},
		"a source without backups": {
			source: running, backups: noBackups(),
			hold:  "Waiting for the first backup of service main, which this one is to replicate",
			calls: []string{lookup, source, sourceBackups},
		},
		"a source whose backups can't be read": {
			source: running, backups: aiventest.Refused(502, "oops"), class: fault.Server,
			calls: []string{lookup, source, sourceBackups},
		},
		"a source that can be copied": {
			source: running, backups: oneBackup(), calls: []string{lookup, source, sourceBackups},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, aiventest.Missing())
			a.On(source, tc.source)
			a.On(sourceBackups, tc.backups)
			o, err := start(t, a, replica).Observe(t.Context(), replica)
			if tc.class == "" {
				tc.class = fault.None
			}
			assert.Equal(t, tc.class, fault.Of(err).Class)
			assert.Equal(t, tc.hold, o.WaitFor)
			assert.False(t, o.Remote.Exists)
			assert.Equal(t, tc.calls, a.Calls())
		})
	}
}

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
		"tags alone need no update of the service, and are looked at again at once": {
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
		"an address filter that lets nobody in reaches Aiven": {
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
		"another plan is looked at later": {
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
	for name, tc := range map[string]struct {
		obj    pg
		looks  []aiventest.Answer
		script map[string]aiventest.Answer
		want   error
		class  fault.Class
		calls  []string
	}{
		"gone at once": {
			looks:  []aiventest.Answer{aiventest.Service(nil), aiventest.Missing()},
			script: map[string]aiventest.Answer{remove: aiventest.OK(nil)},
			calls:  []string{lookup, remove, lookup},
		},
		"still there": {
			looks:  []aiventest.Answer{aiventest.Service(nil)},
			script: map[string]aiventest.Answer{remove: aiventest.OK(nil)},
			want:   controllers.ErrDeletionPending, calls: []string{lookup, remove, lookup},
		},
		"gone before": {looks: []aiventest.Answer{aiventest.Missing()}, calls: []string{lookup}},
		"gone in between": {
			looks:  []aiventest.Answer{aiventest.Service(nil), aiventest.Missing()},
			script: map[string]aiventest.Answer{remove: aiventest.Missing()},
			calls:  []string{lookup, remove, lookup},
		},
		"protection that the spec no longer asks for": {
			looks:  []aiventest.Answer{protected, aiventest.Missing()},
			script: map[string]aiventest.Answer{put: aiventest.OK(nil), remove: aiventest.OK(nil)},
			calls:  []string{lookup, unprotect, remove, lookup},
		},
		"protected, and gone in between": {
			looks:  []aiventest.Answer{protected, aiventest.Missing()},
			script: map[string]aiventest.Answer{put: aiventest.Missing(), remove: aiventest.Missing()},
			calls:  []string{lookup, unprotect, remove, lookup},
		},
		"protection that can't be turned off": {
			looks:  []aiventest.Answer{protected},
			script: map[string]aiventest.Answer{put: aiventest.Refused(403, "no")},
			class:  fault.Forbidden, calls: []string{lookup, unprotect},
		},
		"refused": {
			looks:  []aiventest.Answer{aiventest.Service(nil)},
			script: map[string]aiventest.Answer{remove: aiventest.Refused(409, "replicas depend on it")},
			class:  fault.Conflict, calls: []string{lookup, remove},
		},
		"Aiven is in trouble": {
			looks: []aiventest.Answer{aiventest.Refused(500, "oops")}, class: fault.Server, calls: []string{lookup},
		},
		"a namesake of another type stays": {
			looks: []aiventest.Answer{aiventest.Service(aiventest.Object{"service_type": "kafka"})}, calls: []string{lookup},
		},
		"a name that no service has": {obj: edited(func(obj pg) { obj.Name = "my.pg" })},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, tc.looks...)
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

func TestATypeWithoutDetailsNeedsNoCA(t *testing.T) {
	a := aiventest.New(t)
	a.On(lookup, aiventest.Service(nil))
	d := definition()
	d.Details = nil
	obj := object()
	o, err := d.Controller(controllers.Env{Client: a.Account()}).Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.True(t, o.Remote.Active)
	assert.Equal(t, []string{lookup}, a.Calls())
}

func TestVPC(t *testing.T) {
	ref := &v1alpha1.ResourceReference{Name: "net", Namespace: "shared"}
	for name, tc := range map[string]struct {
		obj  pg
		want []reference.Target
	}{
		"none": {obj: object()},
		"by name": {
			obj:  edited(func(obj pg) { obj.Spec.ProjectVPCRef = ref }),
			want: []reference.Target{{NamespacedName: types.NamespacedName{Namespace: "shared", Name: "net"}}},
		},
		"an id wins": {obj: edited(func(obj pg) { obj.Spec.ProjectVPCRef, obj.Spec.ProjectVPCID = ref, "vpc-1" })},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tc.want, VPC.Targets(tc.obj)) })
	}
	assert.Equal(t, schema.GroupVersionKind{Group: "aiven.io", Version: "v1alpha1", Kind: "ProjectVPC"}, VPC.Kind)
}

func TestProtected(t *testing.T) {
	assert.False(t, Protected(object()))
	assert.False(t, Protected(edited(func(obj pg) { obj.Spec.TerminationProtection = ptr.To(false) })))
	assert.True(t, Protected(edited(func(obj pg) { obj.Spec.TerminationProtection = ptr.To(true) })))
}
