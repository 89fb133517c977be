package conformance_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

func TestAServiceThatMayNotBeReadIsNamedAndTheOthersAreExported(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Idle: true})
	e.Aiven.Service(e.Project, serviceName)
	e.Aiven.Service(e.Project, "other-pg")
	e.Aiven.Fail("ServiceGet", localaiven.Effect{Status: 403}, 1)
	manifests, notes, code := exported(e, e.Token)
	assert.Equal(t, 3, code)
	assert.Contains(t, notes, "Not read:\n  service "+serviceName+": ")
	assert.Contains(t, notes, "Use a token in AIVEN_TOKEN whose user has the permission to read it")
	all := objectsIn(e, manifests)
	assert.True(t, strings.Contains(manifests, "name: other-pg"), manifests)
	for _, obj := range all {
		assert.NotEqual(t, serviceName, obj.GetName())
	}
}

func TestAProjectThatMayNotBeReadIsAnError(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Idle: true})
	e.Aiven.Fail("ServiceList", localaiven.Effect{Status: 403}, 1)
	manifests, notes, code := exported(e, e.Token)
	assert.Equal(t, 1, code)
	assert.Empty(t, manifests)
	assert.Contains(t, notes, "listing the services of project "+e.Project)
	_, notes, code = exported(e, "")
	assert.Equal(t, 1, code)
	assert.Contains(t, notes, "AIVEN_TOKEN isn't set")
}

func TestWhatIsExportedHasWhatTheFlagsSay(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Idle: true})
	e.Aiven.Service(e.Project, serviceName)
	plain, _, code := exported(e, e.Token, "--service", serviceName, "--kinds", "PostgreSQL")
	require.Zero(t, code)
	all, _, code := exported(e, e.Token, "--service", serviceName, "--kinds", "postgresql", "--mode", "manage", "--include-defaults",
		"--label", "team=orders", "--annotation", "note=x")
	require.Zero(t, code)
	assert.Len(t, objectsIn(e, plain), 1)
	assert.Contains(t, plain, managementPolicy+": Observe")
	managed := objectsIn(e, all)[0].(*v1alpha1.PostgreSQL)
	assert.NotContains(t, managed.Annotations, managementPolicy)
	assert.Equal(t, map[string]string{"team": "orders"}, managed.Labels)
	assert.Equal(t, "x", managed.Annotations["note"])
	assert.NotContains(t, plain, "ip_filter", "it has its default")
	assert.Contains(t, all, "ip_filter")
	_, notes, code := exported(e, e.Token, "--kinds", "Postgres")
	assert.Equal(t, 1, code)
	assert.Contains(t, notes, `"Postgres" is no kind`)
}

// leaveAtAiven makes what an example describes, and deletes the object alone.
func leaveAtAiven(e *testenv.Env, example string) {
	obj := e.Example(example)
	obj.SetAnnotations(map[string]string{deletionPolicy: "Orphan"})
	e.Create(obj)
	e.Wait(obj, testenv.Ready())
	e.Delete(obj)
	e.WaitGone(obj)
}

func TestWhatIsExportedOfAnAccountIsAdoptedWithoutAWrite(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ kind, example, project string }{
		"a project of an organization": {"OrganizationProject", "organizationproject", organizationProjectName},
		"a project":                    {"Project", "project", projectName},
		"a step":                       {"UpgradePipelineStep", "upgradepipelinestep", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := testenv.New(t, testenv.Options{})
			if tc.kind == "UpgradePipelineStep" {
				makeStepEnds(e)
				tc.project = e.Project
			}
			leaveAtAiven(e, tc.example)
			mark := e.Aiven.Mark()
			manifests, notes, code := exported(e, e.Token, "--project", tc.project, "--kinds", tc.kind, "--mode", "manage",
				"--auth-secret", testenv.TokenSecret+"/"+testenv.TokenKey)
			require.Zero(t, code, notes)
			all := objectsIn(e, manifests)
			require.Len(t, all, 1, notes)
			e.Create(all[0])
			e.Wait(all[0], testenv.Ready())
			assert.Empty(t, e.Aiven.Writes(mark))
		})
	}
}
