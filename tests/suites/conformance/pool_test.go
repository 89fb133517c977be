package conformance_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// X16: a pool without its user refuses every client, so it isn't ready.
func TestX16_APoolWhoseUserIsDeletedIsDegradedUntilTheUserIsBack(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"ConnectionPool"}})
	e.Aiven.Service(e.Project, serviceName)
	makeDatabase(e)
	makeUser(e)
	pool := e.Example("connectionpool")
	e.Create(pool)
	e.Wait(pool, testenv.Ready())
	mark := e.Aiven.Mark()
	require.NoError(t, e.Aiven.Console.ServiceUserDelete(t.Context(), e.Project, serviceName, userName))
	e.Wait(pool, testenv.Condition("Ready", metav1.ConditionUnknown, "Progressing"), testenv.Phase(v1alpha1.PhaseDegraded),
		testenv.Condition("RemoteReady", metav1.ConditionFalse, "Missing"),
		testenv.Saying("Ready", `spec.username: service `+e.Project+"/"+serviceName+` has no user "`+userName+`"`))
	assert.NotContains(t, pool.GetAnnotations(), running)
	makeUser(e)
	e.Wait(pool, testenv.Ready(), testenv.Phase(v1alpha1.PhaseReady))
	assert.Equal(t, "true", pool.GetAnnotations()[running])
	assert.Empty(t, e.Aiven.Writes(mark))
}
