package conformance_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// What the store of the operator relies on, which a fake API server may answer otherwise.
func TestReviewH3_TheAPIServerTestsTheProvenanceBeforeItReplacesAStatus(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"ServiceUser"}, Idle: true})
	user := e.Example("serviceuser").(*v1alpha1.ServiceUser)
	e.Create(user)
	const absent = `{"op": "test", "path": "/status/provenance", "value": null}`
	of := func(kind v1alpha1.ProvenanceType, uid types.UID) string {
		return fmt.Sprintf(`{"op": "test", "path": "/status/provenance/uid", "value": %q}, {"op": "test", "path": "/status/provenance/type", "value": %q}`, uid, kind)
	}
	replace := func(test, status string) error {
		patch := fmt.Sprintf(`[{"op": "test", "path": "/metadata/uid", "value": %q}, %s, {"op": "add", "path": "/status", "value": %s}]`, user.UID, test, status)
		return e.Client.Status().Patch(t.Context(), user, client.RawPatch(types.JSONPatchType, []byte(patch)))
	}
	provenance := func(kind v1alpha1.ProvenanceType, uid types.UID) string {
		return fmt.Sprintf(`{"provenance": {"type": %q, "uid": %q, "time": "2026-01-01T00:00:00Z"}}`, kind, uid)
	}
	const observed, adopted = v1alpha1.ProvenanceObserved, v1alpha1.ProvenanceAdopted
	for _, step := range []struct {
		says, test, status string
		refused            bool
	}{
		{"a new object", absent, `{"phase": "Pending"}`, false},
		{"one without a provenance", absent, `{}`, false},
		{"one whose status is empty", absent, provenance(observed, user.UID), false},
		{"one with a provenance", absent, `{}`, true},
		{"one that still observes", of(observed, user.UID), provenance(adopted, "another"), false},
		{"one that doesn't only observe any more", of(observed, "another"), `{}`, true},
		{"one that still has that of another", of(adopted, "another"), provenance(adopted, user.UID), false},
		{"one that has its own by now", of(adopted, "another"), `{}`, true},
	} {
		err := replace(step.test, step.status)
		if !step.refused {
			require.NoError(t, err, step.says)
			continue
		}
		assert.True(t, apierrors.IsInvalid(err), "%s: %v", step.says, err)
		e.Get(user)
		assert.NotNil(t, user.Status.Provenance, step.says)
	}
}
