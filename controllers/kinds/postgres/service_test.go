package postgres

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	pguserconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/pg"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

const (
	lookup   = "GET service/my-pg"
	begin    = `POST service/my-pg/task {"task_type":"upgrade_check","upgrade_check":{"target_version":"18"}}`
	progress = "GET service/my-pg/task/task-1"
	ca       = "GET kms/ca"
	update   = `PUT service/my-pg {"cloud":"google-europe-west1","plan":"startup-4","powered":true,` +
		`"project_vpc_id":null,"user_config":{"pg_version":"18"}}`
)

func postgres(version string) *v1alpha1.PostgreSQL {
	obj := &v1alpha1.PostgreSQL{ObjectMeta: metav1.ObjectMeta{Namespace: aiventest.Namespace, Name: "my-pg"}}
	obj.Spec.Project, obj.Spec.Plan, obj.Spec.CloudName = aiventest.Project, "startup-4", "google-europe-west1"
	obj.Spec.UserConfig = &pguserconfig.PgUserConfig{PgVersion: ptr.To(version)}
	return obj
}

func TestServiceDetails(t *testing.T) {
	a := aiventest.New(t)
	a.On(lookup, aiventest.Service(nil))
	o, err := Service.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), postgres("17"))
	require.NoError(t, err)
	assert.Empty(t, o.Diff)
	assert.Equal(t, []string{lookup, ca}, a.Calls(), "what is in sync is only read")
	uri := "postgres://avnadmin:pass-word@pg.test:5432/defaultdb?sslmode=require"
	assert.Equal(t, map[string]string{
		"HOST": "pg.test", "PORT": "5432", "DATABASE": "defaultdb", "USER": "avnadmin", "PASSWORD": "pass-word",
		"SSLMODE": "require", "DATABASE_URI": uri, "CA_CERT": "the CA",
	}, o.Details.Prefixed())
	assert.Equal(t, map[string]string{
		"PGHOST": "pg.test", "PGPORT": "5432", "PGDATABASE": "defaultdb", "PGUSER": "avnadmin", "PGPASSWORD": "pass-word",
		"PGSSLMODE": "require", "DATABASE_URI": uri,
	}, o.Details.Legacy())
}

func TestServiceReferences(t *testing.T) {
	sent := map[string]bool{}
	for _, declaration := range Service.References {
		sent[declaration.Name] = declaration.WriteOnly
	}
	assert.Equal(t, map[string]bool{"ProjectVPC": false, "MigrationSecretSource": true}, sent,
		"Aiven never returns what the Secret of a migration holds: a change of it has to be sent")
}

// task is an upgrade check as Aiven reports it.
func task(success bool, result string) aiventest.Answer {
	return aiventest.OK(aiventest.Object{"task": aiventest.Object{
		"task_id": "task-1", "task_type": "upgrade_check", "success": success, "result": result,
		"create_time": "2026-01-01T00:00:00Z",
	}})
}

// tried is one reconcile that tries to upgrade.
func tried(t *testing.T, a *aiventest.Aiven, memory *sync.Map, obj *v1alpha1.PostgreSQL) ([]string, error) {
	c := Service.New(controllers.Env{Client: a.Client(), Memory: memory})
	seen, err := c.Observe(t.Context(), obj)
	require.NoError(t, err)
	a.Calls()
	_, err = c.Update(t.Context(), obj, seen)
	return a.Calls(), err
}

func TestUpgrade(t *testing.T) {
	running, passed := task(false, ""), task(true, "All checks passed")
	failed := task(false, "The extension timescaledb isn't there in version 18")
	type step struct {
		progress aiventest.Answer
		begin    *aiventest.Answer
		calls    []string
		class    fault.Class
		text     string
	}
	for name, steps := range map[string][]step{
		"a check that is over at once": {
			{progress: passed, calls: []string{begin, progress, update}, class: fault.None},
		},
		"a check that takes a while": {
			{progress: running, calls: []string{begin, progress}, class: fault.Conflict, text: "Aiven is checking"},
			{progress: running, calls: []string{progress}, class: fault.Conflict, text: "to version 18"},
			{progress: passed, calls: []string{progress, update}, class: fault.None},
		},
		"a check that fails says why, and is made again when asked again": {
			{progress: running, calls: []string{begin, progress}, class: fault.Conflict},
			{
				progress: failed, calls: []string{progress}, class: fault.Invalid,
				text: "spec.userConfig.pg_version: The extension timescaledb isn't there in version 18",
			},
			{progress: passed, calls: []string{begin, progress, update}, class: fault.None},
		},
		"a check that Aiven no longer has": {
			{progress: running, calls: []string{begin, progress}, class: fault.Conflict},
			{progress: aiventest.Missing(), calls: []string{progress}, class: fault.NotFound, text: "reading the upgrade check"},
			{progress: passed, calls: []string{begin, progress, update}, class: fault.None},
		},
		"a check that can't begin": {
			{
				begin: ptr.To(aiventest.Refused(400, "no such version")), calls: []string{begin}, class: fault.Rejected,
				text: "starting the upgrade check",
			},
			{progress: passed, calls: []string{begin, progress, update}, class: fault.None},
		},
		"a check that Aiven's answer has no id of": {
			{
				begin: ptr.To(aiventest.OK(aiventest.Object{})), calls: []string{begin}, class: fault.Unknown,
				text: "starting the upgrade check: unclear answer: Aiven has returned no id of it",
			},
			{progress: passed, calls: []string{begin, progress, update}, class: fault.None},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, aiventest.Service(nil))
			a.On("PUT service/my-pg", aiventest.OK(nil))
			var memory sync.Map
			for i, step := range steps {
				a.On("POST service/my-pg/task", task(false, ""))
				if step.begin != nil {
					a.On("POST service/my-pg/task", *step.begin)
				}
				a.On(progress, step.progress)
				calls, err := tried(t, a, &memory, postgres("18"))
				assert.Equal(t, step.calls, calls, "step %d", i)
				assert.Equal(t, step.class, fault.Of(err).Class, "step %d", i)
				if step.text != "" {
					assert.ErrorContains(t, err, step.text)
				}
			}
		})
	}
}

func TestUpgradeChecksAreKeptByObjectAndSetup(t *testing.T) {
	a := aiventest.New(t)
	a.On(lookup, aiventest.Service(nil))
	a.On("POST service/my-pg/task", task(false, ""))
	a.On(progress, task(false, ""))
	var memory, otherSetup sync.Map
	obj := postgres("18")
	obj.UID = "first"
	for _, tc := range []struct {
		reason string
		uid    types.UID
		memory *sync.Map
		calls  []string
	}{
		{"the first reconcile starts a check", "first", &memory, []string{begin, progress}},
		{"the next one reads it", "first", &memory, []string{progress}},
		{"another setup has its own", "first", &otherSetup, []string{begin, progress}},
		{"another object has its own", "second", &memory, []string{begin, progress}},
	} {
		obj.UID = tc.uid
		calls, err := tried(t, a, tc.memory, obj)
		require.Error(t, err)
		assert.Equal(t, tc.calls, calls, tc.reason)
	}
	a.On("DELETE service/my-pg", aiventest.OK(nil))
	err := Service.New(controllers.Env{Client: a.Client(), Memory: &memory}).Delete(t.Context(), obj)
	require.ErrorIs(t, err, deletion.ErrPending)
	a.Calls()
	calls, err := tried(t, a, &memory, obj)
	require.Error(t, err)
	assert.Equal(t, []string{begin, progress}, calls, "a deletion drops the check")

	obj.Spec.UserConfig.PgVersion = ptr.To("19")
	calls, err = tried(t, a, &memory, obj)
	require.Error(t, err)
	assert.Equal(t, []string{strings.ReplaceAll(begin, `"18"`, `"19"`), progress}, calls, "another version has a check of its own")
}

func TestOtherChangesNeedNoCheck(t *testing.T) {
	for name, tc := range map[string]struct{ atAiven, sent string }{
		"the version of the spec": {"17", "17"},
		// Aiven upgrades at the end of life. The newer version stays.
		"a newer version": {"18", "18"},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, aiventest.Service(aiventest.Object{"plan": "startup-8", "user_config": aiventest.Object{"pg_version": tc.atAiven}}))
			a.On("PUT service/my-pg", aiventest.OK(nil))
			calls, err := tried(t, a, &sync.Map{}, postgres("17"))
			require.NoError(t, err)
			assert.Equal(t, []string{
				`PUT service/my-pg {"cloud":"google-europe-west1","plan":"startup-4","powered":true,"project_vpc_id":null,` +
					`"user_config":{"pg_version":"` + tc.sent + `"}}`,
			}, calls)
		})
	}
}
