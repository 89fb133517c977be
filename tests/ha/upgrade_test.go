package ha_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/tests/env"
	"github.com/aero-operator/aero/tests/helm"
	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/release"
)

const (
	goodToken, lostToken = "token-that-is-good", "token-that-was-good"

	paused         = "controllers.aiven.io/paused"
	deletionPolicy = "controllers.aiven.io/deletion-policy"
	finalizer      = "finalizers.aiven.io/delete-remote-resource"
)

// phases makes an object in each phase, and some that wait for somebody. None of them would move by itself.
func phases(e *env.Env) map[string]env.Object {
	all := map[string]env.Object{}
	add := func(name, example string, edit func(env.Object), wants ...env.Want) env.Object {
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
	service := func(name string) func(env.Object) {
		return func(obj env.Object) { obj.(*v1alpha1.PostgreSQL).Spec.ConnInfoSecretTarget.Name = name }
	}
	in := func(name string) func(env.Object) {
		return func(obj env.Object) { obj.(*v1alpha1.Database).Spec.ServiceName = name }
	}
	state := func(name, state string) {
		require.NoError(e.T, e.Aiven.Patch(e.Project, name, map[string]any{"state": state}))
	}
	add("running", "postgresql", service("running"), env.Ready(), env.Phase(v1alpha1.PhaseRunning))
	add("ready", "database", in("running"), env.Ready(), env.Phase(v1alpha1.PhaseReady))
	add("vpc", "projectvpc", nil, env.Ready())
	add("kafka", "kafka", nil, env.Ready())
	add("user", "serviceuser", func(obj env.Object) { obj.(*v1alpha1.ServiceUser).Spec.ServiceName = "running" }, env.Ready())
	add("pending", "database", in("nobodys"), env.Phase(v1alpha1.PhasePending))
	e.Aiven.Service(e.Project, "off")
	state("off", "POWEROFF")
	add("not-available", "database", in("off"), env.Phase(v1alpha1.PhaseNotAvailable))
	add("failed", "database", func(obj env.Object) {
		in("running")(obj)
		obj.SetAnnotations(map[string]string{deletionPolicy: "orphan"})
	}, env.Phase(v1alpha1.PhaseFailed))
	add("starting", "postgresql", service("starting"), env.Ready())
	state("starting", "REBUILDING")
	e.Wait(all["starting"], env.Condition("Ready", metav1.ConditionUnknown, "Progressing"))

	e.SetSecret("other-token", map[string]string{"token": lostToken})
	add("degraded", "database", func(obj env.Object) {
		in("running")(obj)
		obj.GetAuthSecretRef().Name = "other-token"
	}, env.Ready())
	e.SetSecret("other-token", map[string]string{"token": "token-of-nobody"})
	e.Wait(all["degraded"], env.Phase(v1alpha1.PhaseDegraded))

	held := add("held", "database", in("running"), env.Ready())
	e.Annotate(held, deletionPolicy, "orphan")
	e.Delete(held)
	e.Wait(held, env.Condition("Ready", metav1.ConditionFalse, "InvalidDeletionPolicy"))
	left := add("paused", "serviceuser", func(obj env.Object) {
		spec := &obj.(*v1alpha1.ServiceUser).Spec
		spec.ServiceName, spec.ConnInfoSecretTarget.Name = "running", "paused"
	}, env.Ready())
	e.Annotate(left, paused, "true")
	e.Wait(left, env.Condition("Paused", metav1.ConditionTrue, "PausedByAnnotation"))
	return all
}

func TestP05_ARollingUpgradeMovesNoObjectAndWritesNothingAtAiven(t *testing.T) {
	e := env.New(t, env.Options{
		Outside: true, Aiven: localaiven.Options{Tokens: []string{goodToken, lostToken}},
		// What starts goes on to start, however long this takes.
		Config: func(c *controllers.Config) { c.ProgressDeadline = time.Hour },
	})
	e.SetSecret(env.TokenSecret, map[string]string{env.TokenKey: goodToken})
	r := release.Prepare(e)
	values := helm.Values{
		"logging": helm.Values{"level": "debug"}, "image": helm.Values{"tag": "one"},
		"admissionPolicies": helm.Values{"enabled": false}, // they would refuse what holds two of the objects
	}
	r.Install(values)
	all := phases(e)
	r.Settle(all)
	mark, before := e.Aiven.Mark(), map[string]env.Object{}
	for name, obj := range all {
		e.Get(obj)
		before[name] = obj.DeepCopyObject().(env.Object)
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
		want := env.Find(before[name], "Ready")
		for _, state := range e.History(obj) {
			if env.Revision(state) > env.Revision(before[name]) {
				got := env.Find(state, "Ready")
				assert.Equal(t, [2]string{string(want.Status), want.Reason}, [2]string{string(got.Status), got.Reason}, name)
				assert.Equal(t, before[name].GetCommonStatus().Phase, state.GetCommonStatus().Phase, name)
			}
		}
	}
}

func TestP05_UninstallingWithObjectsAliveLeavesAllOfThemAndHoldsTheirDeletion(t *testing.T) {
	e := env.New(t, env.Options{Outside: true})
	r := release.Prepare(e)
	r.Install(nil)
	pg, db := e.Example("postgresql"), e.Example("database")
	for _, obj := range []env.Object{pg, db} {
		e.Create(obj)
		e.Wait(obj, env.Ready())
	}
	mark, there := e.Aiven.Mark(), e.Aiven.Resources()
	r.Uninstall()
	for _, obj := range []env.Object{pg, db} {
		e.Get(obj)
		assert.Equal(t, []string{finalizer}, obj.GetFinalizers())
		assert.Equal(t, metav1.ConditionTrue, env.Find(obj, "Ready").Status)
	}
	e.Delete(db)
	assert.Equal(t, there, e.Aiven.Resources())
	assert.Empty(t, e.Aiven.Writes(mark))

	r.Install(nil)
	e.WaitGone(db)
	e.Wait(pg, env.Ready())
	assert.Equal(t, []string{"ServiceDatabaseDelete"}, e.Aiven.Writes(mark), "what nobody deleted must not be written")
	e.Delete(pg)
	e.WaitGone(pg)
	assert.Empty(t, strings.Join(kindsOf(e), " "))
}

// kindsOf are the types of what is at Aiven, without projects.
func kindsOf(e *env.Env) []string {
	var types []string
	for _, resource := range e.Aiven.Resources() {
		if resource.Type != "project" {
			types = append(types, resource.Type)
		}
	}
	return types
}
