package service

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/internal/referencetest"
	"github.com/aero-operator/aero/controllers/internal/status"
)

type pg = *v1alpha1.PostgreSQL

func migrationOf(obj pg) *v1alpha1.MigrationSecretSource { return obj.Spec.MigrationSecretSource }

// definition is a service type with everything that one can have.
func definition() Definition[pg] {
	return Definition[pg]{
		Type:    "pg",
		Options: func(obj pg) any { return obj.Spec.UserConfig },
		Details: func(s *aiven.Service, ca string) connection.Info {
			return connection.Info{URI: s.URI, CACert: ca, Layout: connection.Layout{
				Prefixed: map[string]connection.Value{"URI": connection.URI, "CA_CERT": connection.CACert},
			}}
		},
		NeedsCA:   true,
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
	refs := referencetest.Resolve(t, obj, []reference.Declaration{Migration(migrationOf, MigrationKeys{})}, secrets...)
	return definition().Controller(controllers.Env{Client: a.Client(), Refs: refs})
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
		obj     pg
		script  map[string]aiventest.Answer
		want    status.Remote
		waitFor string
		paths   []string
		class   fault.Class
		calls   []string
		empty   bool // no details
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
		"Aiven answers with an error": {
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
		"running, with all of its address but the host": {
			script: map[string]aiventest.Answer{lookup: aiventest.Service(aiventest.Object{
				"service_uri_params": aiventest.Object{"host": "", "port": "5432", "user": "avnadmin"},
			})},
			want:  status.Remote{Exists: true, Active: true, State: "RUNNING"},
			calls: []string{lookup}, empty: true,
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
			obj:     edited(func(obj pg) { obj.Spec.Powered = ptr.To(false) }),
			script:  map[string]aiventest.Answer{lookup: aiventest.Service(nil), backups: noBackups()},
			want:    status.Remote{Exists: true, Active: true, State: "RUNNING"},
			waitFor: messageBackup,
			paths:   []string{"spec.powered"}, calls: []string{lookup, backups, "GET kms/ca"},
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
		"a disk size beside an autoscaler that came after the spec was applied": {
			obj: edited(func(obj pg) { obj.Spec.DiskSpace = "90GiB"; accepted(obj) }),
			script: map[string]aiventest.Answer{lookup: aiventest.Service(aiventest.Object{
				"disk_space_mb": 81920,
				"service_integrations": []any{
					aiventest.Object{"integration_type": "autoscaler", "enabled": true, "active": true},
				},
			})},
			want:  status.Remote{Exists: true, Active: true, State: "RUNNING"},
			calls: []string{lookup, "GET kms/ca"},
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
			assert.Equal(t, tc.waitFor, o.WaitFor)
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
		waitFor         string
		class           fault.Class
		calls           []string
	}{
		"no source": {
			source: aiventest.Missing(), waitFor: "Waiting for service main, which this one replicates: it does not exist at Aiven. Create it, or recreate this object with another spec.serviceIntegrations",
			calls: []string{lookup, source},
		},
		"a source that is being built": {
			source:  aiventest.Service(aiventest.Object{"service_name": "main", "state": "REBUILDING"}),
			waitFor: "Waiting for service main, which this one replicates: it is REBUILDING", calls: []string{lookup, source},
		},
		"a source that can't be read": {
			source: aiventest.Refused(500, "oops"), class: fault.Server, calls: []string{lookup, source},
		},
		"a source without backups": {
			source: running, backups: noBackups(),
			waitFor: "Waiting for the first backup of service main, which this one replicates",
			calls:   []string{lookup, source, sourceBackups},
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
			assert.Equal(t, tc.waitFor, o.WaitFor)
			assert.False(t, o.Remote.Exists)
			assert.Equal(t, tc.calls, a.Calls())
		})
	}
}
