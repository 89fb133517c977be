package ha_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/tests/harness/helm"
	"github.com/aero-operator/aero/tests/harness/install"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

const (
	goodToken, lostToken = "token-that-is-good", "token-that-was-good"

	paused         = "controllers.aiven.io/paused"
	deletionPolicy = "controllers.aiven.io/deletion-policy"
	finalizer      = "finalizers.aiven.io/delete-remote-resource"
)

// phases makes an object in each phase, and some that wait for a person. None of them would move by itself.
func phases(e *testenv.Env) map[string]testenv.Object {
	all := map[string]testenv.Object{}
	add := func(name, example string, edit func(testenv.Object), wants ...testenv.Want) testenv.Object {
		obj := e.Example(example)
		obj.SetName(name)
		if edit != nil {
			edit(obj)
		}
		e.Create(obj)
		e.Wait(obj, wants...)
		all[name] = obj
		return obj
	}
	service := func(name string) func(testenv.Object) {
		return func(obj testenv.Object) { obj.(*v1alpha1.PostgreSQL).Spec.ConnInfoSecretTarget.Name = name }
	}
	in := func(name string) func(testenv.Object) {
		return func(obj testenv.Object) { obj.(*v1alpha1.Database).Spec.ServiceName = name }
	}
	state := func(name, state string) {
		require.NoError(e.T, e.Aiven.Patch(e.Project, name, map[string]any{"state": state}))
	}
	add("running", "postgresql", service("running"), testenv.Ready(), testenv.Phase(v1alpha1.PhaseRunning))
	add("ready", "database", in("running"), testenv.Ready(), testenv.Phase(v1alpha1.PhaseReady))
	add("vpc", "projectvpc", nil, testenv.Ready())
	add("kafka", "kafka", nil, testenv.Ready())
	add("user", "serviceuser", func(obj testenv.Object) { obj.(*v1alpha1.ServiceUser).Spec.ServiceName = "running" }, testenv.Ready())
	add("pending", "database", in("nobodys"), testenv.Phase(v1alpha1.PhasePending))
	e.Aiven.Service(e.Project, "off")
	state("off", "POWEROFF")
	add("not-available", "database", in("off"), testenv.Phase(v1alpha1.PhaseNotAvailable))
	add("failed", "database", func(obj testenv.Object) {
		in("running")(obj)
		obj.SetAnnotations(map[string]string{deletionPolicy: "orphan"})
	}, testenv.Phase(v1alpha1.PhaseFailed))
	add("starting", "postgresql", service("starting"), testenv.Ready())
	state("starting", "REBUILDING")
	e.Wait(all["starting"], testenv.Condition("Ready", metav1.ConditionUnknown, "Progressing"))

	e.SetSecret("other-token", map[string]string{"token": lostToken})
	add("degraded", "database", func(obj testenv.Object) {
		in("running")(obj)
		obj.GetAuthSecretRef().Name = "other-token"
	}, testenv.Ready())
	e.SetSecret("other-token", map[string]string{"token": "unknown-token"})
	e.Wait(all["degraded"], testenv.Phase(v1alpha1.PhaseDegraded))

	held := add("held", "database", in("running"), testenv.Ready())
	e.Annotate(held, deletionPolicy, "orphan")
	e.Delete(held)
	e.Wait(held, testenv.Condition("Ready", metav1.ConditionFalse, "InvalidDeletionPolicy"))
	left := add("paused", "serviceuser", func(obj testenv.Object) {
		spec := &obj.(*v1alpha1.ServiceUser).Spec
		spec.ServiceName, spec.ConnInfoSecretTarget.Name = "running", "paused"
	}, testenv.Ready())
	e.Annotate(left, paused, "true")
	e.Wait(left, testenv.Condition("Paused", metav1.ConditionTrue, "PausedByAnnotation"))
	return all
}

func TestARollingUpgradeMovesNoObjectAndWritesNothingAtAiven(t *testing.T) {
	e := testenv.New(t, testenv.Options{
		Outside: true, Aiven: localaiven.Options{Tokens: []string{goodToken, lostToken}},
		// What starts goes on to start, however long this takes.
		Config: func(c *config.Config) { c.ProgressDeadline = time.Hour },
	})
	e.SetSecret(testenv.TokenSecret, map[string]string{testenv.TokenKey: goodToken})
	r := install.Prepare(e)
	values := helm.Values{
		"logging": helm.Values{"level": "debug"}, "image": helm.Values{"tag": "one"},
		"admissionPolicies": helm.Values{"enabled": false}, // they would refuse what holds two of the objects
	}
	r.Install(values)
	all := phases(e)
	r.Settle(all)
	mark, before := e.Aiven.Mark(), map[string]testenv.Object{}
	for name, obj := range all {
		e.Get(obj)
		before[name] = obj.DeepCopyObject().(testenv.Object)
	}

	values["image"] = helm.Values{"tag": "two"}
	r.Upgrade(values)
	for _, pod := range r.Pods() {
		assert.Equal(t, "aero:two", pod.Spec.Containers[0].Image)
	}
	r.Settle(all)
	assert.Empty(t, e.Aiven.Writes(mark), "writes at Aiven")
	e.CatchUp()
	for name, obj := range all {
		want := testenv.Find(before[name], "Ready")
		for _, state := range e.History(obj) {
			if testenv.Revision(state) > testenv.Revision(before[name]) {
				got := testenv.Find(state, "Ready")
				assert.Equal(t, [2]string{string(want.Status), want.Reason}, [2]string{string(got.Status), got.Reason}, name)
				assert.Equal(t, before[name].GetCommonStatus().Phase, state.GetCommonStatus().Phase, name)
			}
		}
	}
}

func TestUninstallingWithObjectsAliveLeavesAllOfThemAndHoldsTheirDeletion(t *testing.T) {
	e := testenv.New(t, testenv.Options{Outside: true})
	r := install.Prepare(e)
	r.Install(nil)
	pg, db := e.Example("postgresql"), e.Example("database")
	for _, obj := range []testenv.Object{pg, db} {
		e.Create(obj)
		e.Wait(obj, testenv.Ready())
	}
	mark, there := e.Aiven.Mark(), e.Aiven.Resources()
	r.Uninstall()
	for _, obj := range []testenv.Object{pg, db} {
		e.Get(obj)
		assert.Equal(t, []string{finalizer}, obj.GetFinalizers())
		assert.Equal(t, metav1.ConditionTrue, testenv.Find(obj, "Ready").Status)
	}
	e.Delete(db)
	assert.Equal(t, there, e.Aiven.Resources())
	assert.Empty(t, e.Aiven.Writes(mark))

	r.Install(nil)
	e.WaitGone(db)
	e.Wait(pg, testenv.Ready())
	assert.Equal(t, []string{"ServiceDatabaseDelete"}, e.Aiven.Writes(mark), "only what was deleted is written")
	e.Delete(pg)
	e.WaitGone(pg)
	assert.Empty(t, strings.Join(kindsOf(e), " "))
}

// kindsOf are the types of what is at Aiven, without projects.
func kindsOf(e *testenv.Env) []string {
	var types []string
	for _, resource := range e.Aiven.Resources() {
		if resource.Type != "project" {
			types = append(types, resource.Type)
		}
	}
	return types
}
