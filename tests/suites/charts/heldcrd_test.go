package charts_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/tests/harness/helm"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// readsOf are how often an account has read a CRD.
func (i *installed) readsOf(crd string) int {
	reads := 0
	for _, one := range requestsOf(i.t, i.account) {
		if needs := one.needed(); needs.resource == "customresourcedefinitions" && needs.verb == "get" && needs.name == crd {
			reads++
		}
	}
	return reads
}

func TestNothingIsDeletedAtAivenWithACRDWithoutItsAnnotation(t *testing.T) { // review H8
	const crd = "valkeys.aiven.io"
	e := world(t, testenv.Options{Outside: true})
	i := install(t, e, helm.Values{})
	i.run("pod")
	obj := e.Example("valkey")
	e.Create(obj)
	e.Wait(obj, testenv.Ready())
	chart := helm.Release{Name: "aero-crds", Namespace: "aero-crds", Kubeconfig: kubeconfig}
	require.NoError(t, chart.Upgrade(t.Context(), load(t, kindFolder), helm.Values{"allowDeletion": true}))
	defer restore(e, chart, crd)
	mark, reads := e.Aiven.Mark(), i.readsOf(crd)
	var out string
	e.Until(func() bool {
		var err error
		out, err = kubectl(t, "delete --wait=false crd "+crd)
		return err == nil
	}, func() string { return "allowDeletion: true doesn't let it be deleted: " + out })

	e.Wait(obj, testenv.Condition("Ready", metav1.ConditionUnknown, "DeletionBlocked"),
		testenv.Saying("Ready", "CRD "+crd+" is being deleted"), testenv.Saying("Ready", allowDeletion+"=true"))
	e.Until(func() bool { return i.readsOf(crd) > reads+3 }, func() string { return "the deletion isn't tried again" })
	assert.Empty(t, e.Aiven.Writes(mark))
	assert.True(t, e.Aiven.Has("service", e.Project+"/"+obj.GetName()))
	assert.NotNil(t, e.Secret("my-valkey-connection"))

	out, err := kubectl(t, "annotate crd "+crd+" --overwrite "+allowDeletion+"=true")
	require.NoError(t, err, out)
	e.WaitGone(obj)
	assert.Equal(t, []string{"ServiceDelete"}, e.Aiven.Writes(mark))
	assert.False(t, e.Aiven.Has("service", e.Project+"/"+obj.GetName()))
	out, err = kubectl(t, "wait --for=delete --timeout=60s crd "+crd)
	require.NoError(t, err, out)
	i.stop(i.pods[0])
}

// restore makes a CRD again that was deleted, as other tests need it, and makes the deletion of CRDs an error again.
func restore(e *testenv.Env, chart helm.Release, crd string) {
	e.T.Helper()
	require.NoError(e.T, chart.Upgrade(e.T.Context(), load(e.T, kindFolder), helm.Values{"allowDeletion": false}))
	out, err := kubectl(e.T, "wait --for=condition=Established --timeout=60s crd "+crd)
	require.NoError(e.T, err, out)
	e.Rewatch()
}
