package controllers

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/mock/gomock"
	corev1 "k8s.io/api/core/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/reference"
)

// newStubborn has an object with a value of a Secret, and a difference that no update changes. It returns what the updates
// are called with.
func newStubborn(t *testing.T, found Observation, writeOnly bool) (*world[*v1alpha1.ServiceUser], *[]Observation) {
	t.Helper()
	pw := &corev1.Secret{ObjectMeta: named("pw"), Data: map[string][]byte{"password": []byte("12345678")}}
	w := newWorld(t, newUser(), pw)
	source := passwordReference()
	source.WriteOnly = writeOnly
	w.engine.kind.References = []reference.Declaration{source}
	w.observes(found, nil)
	sent := &[]Observation{}
	w.aiven.EXPECT().Update(gomock.Any(), gomock.Any(), gomock.Any()).AnyTimes().DoAndReturn(
		func(_ context.Context, _ *v1alpha1.ServiceUser, seen Observation) (Observation, error) {
			*sent = append(*sent, seen)
			return found, nil
		})
	for range 5 {
		_, err := w.reconcile()
		require.NoError(t, err)
	}
	require.Len(t, *sent, 2)
	require.Equal(t, "True/NotConverging", w.condition("Drifted"))
	*sent, w.events = nil, nil
	return w, sent
}

func TestARequestedApplySendsADifferenceThatDoesNotConvergeOnceMore(t *testing.T) {
	found := differs
	found.WriteOnly = []string{"spec.secretOption"}
	w, sent := newStubborn(t, found, true)
	w.edit(func(user *v1alpha1.ServiceUser) { delete(user.Annotations, annotation.Processed) })
	for range 5 {
		_, err := w.reconcile()
		require.NoError(t, err)
	}
	require.Len(t, *sent, 1)
	assert.Equal(t, differs.Diff, (*sent)[0].Diff)
	assert.Equal(t, found.WriteOnly, (*sent)[0].WriteOnly)
	assert.Equal(t, "True/NotConverging", w.condition("Drifted"))
}

func TestAChangedSecretStartsTheAttemptsAgain(t *testing.T) {
	password := allWell
	password.Diff = Diff{{Path: "spec.connInfoSecretSource", Wanted: "(secret)", Found: "(secret)"}}
	beside := differs
	beside.WriteOnly = []string{"spec.secretOption"}
	for name, tc := range map[string]struct {
		found     Observation
		writeOnly bool
		want      [][]string // write-only paths of each update
	}{
		"a corrected password, whose difference is the same":         {password, false, [][]string{nil, nil}},
		"a rotated Secret beside a difference that doesn't converge": {beside, true, [][]string{beside.WriteOnly, nil}},
	} {
		t.Run(name, func(t *testing.T) {
			w, sent := newStubborn(t, tc.found, tc.writeOnly)
			w.changeSecret("pw", "another-value")
			for range 5 {
				_, err := w.reconcile()
				require.NoError(t, err)
			}
			var paths [][]string
			for _, seen := range *sent {
				paths = append(paths, seen.WriteOnly)
			}
			assert.Equal(t, tc.want, paths)
			assert.Equal(t, "True/NotConverging", w.condition("Drifted"))
		})
	}
}

func TestAChangedSecretIsNotSentWhereDifferencesAreOnlyReported(t *testing.T) {
	found := differs
	found.WriteOnly = []string{"spec.secretOption"}
	w, sent := newStubborn(t, found, true)
	w.edit(reports)
	w.changeSecret("pw", "another-value")
	for range 3 {
		_, err := w.reconcile()
		require.NoError(t, err)
	}
	assert.Empty(t, *sent)
	assert.Equal(t, "True/ReportOnly", w.condition("Drifted"))
}

// Only a read shows that Aiven has what it accepted.
func TestAnAnswerThatRepeatsTheSpecIsNoConvergence(t *testing.T) {
	w := newWorld(t, newUser())
	w.observes(differs, nil)
	w.aiven.EXPECT().Update(gomock.Any(), gomock.Any(), gomock.Any()).Times(2).DoAndReturn(
		func(_ context.Context, _ *v1alpha1.ServiceUser, _ Observation) (Observation, error) {
			return allWell, nil
		})
	for range 5 {
		_, err := w.reconcile()
		require.NoError(t, err)
		w.now = w.now.Add(10 * time.Minute)
	}
	assert.Equal(t, "True/NotConverging", w.condition("Drifted"))
}
