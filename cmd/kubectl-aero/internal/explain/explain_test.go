package explain

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/cmd/kubectl-aero/internal/table"
	"github.com/aero-operator/aero/controllers/reason"
	"github.com/aero-operator/aero/controllers/view"
)

var update = flag.Bool("update", false, "write the golden files")

var now = time.Date(2026, 5, 2, 12, 0, 0, 0, time.UTC)

// situation is a row of the status tests.
type situation struct {
	Situation  string
	Generation int64
	Deleting   bool
	Status     v1alpha1.CommonStatus
}

// situations are those of the tests of the status table.
func situations(t *testing.T) (all []situation) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "controllers", "internal", "status", "testdata", "rows.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &all))
	require.NotEmpty(t, all)
	return all
}

// object has the status of a situation.
func (s *situation) object() *view.Object {
	o := &view.Object{Status: view.Status{CommonStatus: s.Status}}
	o.Kind, o.Namespace, o.Name, o.Generation = "ServiceUser", "shop", "orders-app", s.Generation
	if s.Deleting {
		o.DeletionTimestamp = &metav1.Time{Time: now}
	}
	return o
}

func TestEachSituationIsExplained(t *testing.T) {
	var out strings.Builder
	w := &table.Writer{Out: &out, Now: now}
	for _, s := range situations(t) {
		fmt.Fprintf(&out, "# %s\n", s.Situation)
		require.NoError(t, Write(w, []Explanation{Of(s.object())}, false))
		fmt.Fprintln(&out)
	}
	golden := filepath.Join("testdata", "rows.txt")
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(out.String()), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), out.String(), "if that is right: go test ./cmd/kubectl-aero/internal/explain -update")
}

func TestWhatIsNotReadyHasACauseAndAPage(t *testing.T) {
	for _, s := range situations(t) {
		e := Of(s.object())
		if e.IsReady() {
			continue
		}
		assert.NotEmpty(t, e.Cause, s.Situation)
		assert.NotEmpty(t, e.Page, s.Situation)
		assert.NotNil(t, e.Condition, s.Situation)
	}
}

// A deletion with a rejected token is retried, but waiting is no remedy for it.
func TestCauseAndFixAreThoseOfTheConditionThatDecides(t *testing.T) {
	const message = "Put a valid token into key \"token\" of Secret shop/aiven-token"
	auth, found := reason.Of("AuthFailed")
	require.True(t, found)
	for _, why := range []string{"AuthFailed", "TokenMissing"} {
		o := &view.Object{}
		o.DeletionTimestamp = &metav1.Time{Time: now}
		o.Status.Conditions = []metav1.Condition{
			{Type: "Ready", Status: "Unknown", Reason: "ProgressingWithRetry", Message: message},
			{Type: "AuthValid", Status: "False", Reason: why, Message: message},
		}
		e := Of(o)
		assert.Equal(t, sentence(auth.Means), e.Cause, why)
		assert.Equal(t, sentence(auth.Remedy), e.Fix, why)
		assert.Equal(t, auth.Page(), e.Page, why)
	}
}

func TestWhatWasNeverReconciledIsExplained(t *testing.T) {
	e := Of(&view.Object{})
	assert.Equal(t, metav1.ConditionUnknown, e.Ready)
	assert.Equal(t, unseenFix, e.Fix)
	assert.Nil(t, e.Since)
}

func TestADeletionIsntHeldUpForLongerThanItLasts(t *testing.T) {
	o := &view.Object{}
	o.Status.Conditions = []metav1.Condition{{
		Type: "Ready", Status: metav1.ConditionUnknown, Reason: "DeletionBlocked", LastTransitionTime: metav1.NewTime(now.Add(-time.Minute)),
	}}
	assert.Equal(t, now.Add(-time.Minute), Of(o).Since.Time)
	o.DeletionTimestamp = &metav1.Time{Time: now.Add(-time.Second)}
	assert.Equal(t, now.Add(-time.Second), Of(o).Since.Time)
	o.DeletionTimestamp.Time = now.Add(-time.Hour)
	assert.Equal(t, now.Add(-time.Minute), Of(o).Since.Time)
}

func TestNotes(t *testing.T) {
	ready := metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue, Reason: "ReconciliationSucceeded", Message: "Running"}
	for name, tc := range map[string]struct {
		edit func(o *view.Object)
		want []string
	}{
		"none": {func(*view.Object) {}, nil},
		"a pause": {
			func(o *view.Object) { o.Annotations = map[string]string{"controllers.aiven.io/paused": "true"} },
			[]string{"Paused: the status is from before. `kubectl aero resume` ends the pause"},
		},
		"an edit": {
			func(o *view.Object) { o.Generation = 4 },
			[]string{"The operator hasn't reconciled the latest edit yet: the status is that of generation 3, the spec has 4"},
		},
		"drift": {
			func(o *view.Object) {
				o.Status.Conditions = append(o.Status.Conditions, metav1.Condition{Type: "Drifted", Status: "True", Message: "Drift in spec.plan"})
			},
			[]string{"Drift in spec.plan"},
		},
		"a rotation that is blocked, and a certificate that ends": {
			func(o *view.Object) {
				o.Status.Conditions = append(o.Status.Conditions,
					metav1.Condition{Type: "CredentialsExpiring", Status: "True", Message: "The certificate ends soon"},
					metav1.Condition{Type: "RotationBlocked", Status: "True", Message: "The password isn't rotated"})
			},
			[]string{"The password isn't rotated", "The certificate ends soon"},
		},
		"a blocked rotation that is why the object isn't ready": {
			func(o *view.Object) {
				o.Status.Conditions = []metav1.Condition{
					{Type: "Ready", Status: "False", Reason: "RotationBlocked", Message: "The password isn't rotated"},
					{Type: "RotationBlocked", Status: "True", Message: "The password isn't rotated"},
				}
			},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := &view.Object{}
			o.Generation, o.Status.ObservedGeneration, o.Status.Conditions = 3, 3, []metav1.Condition{ready}
			tc.edit(o)
			assert.Equal(t, tc.want, Of(o).Notes)
		})
	}
}

func TestWhatNeedsAnActionComesFirst(t *testing.T) {
	list := []Explanation{
		{Name: "ready", Ready: "True"}, {Name: "waits", Ready: "Unknown"}, {Name: "b", Ready: "False"}, {Name: "a", Ready: "False"},
	}
	Sort(list)
	var names []string
	for _, e := range list {
		names = append(names, e.Name)
	}
	assert.Equal(t, []string{"a", "b", "waits", "ready"}, names)
}

func TestObjectsThatShareAnExplanationAreWrittenTogether(t *testing.T) {
	of := func(name, message string, notes ...string) Explanation {
		return Explanation{Kind: "Database", Namespace: "shop", Name: name, Ready: "False", Reason: "AuthFailed", Message: message, Notes: notes}
	}
	var out strings.Builder
	list := []Explanation{of("a", "refused"), of("b", "refused"), of("c", "another"), of("d", "refused", "Paused"), of("e", "refused")}
	require.NoError(t, Write(&table.Writer{Out: &out}, list, false))
	assert.Equal(t, strings.TrimLeft(`
Database/a is not ready: AuthFailed
  Message   refused
  Also      Database/b
            Database/e

Database/c is not ready: AuthFailed
  Message   another

Database/d is not ready: AuthFailed
  Message   refused
  Note      Paused
`, "\n"), out.String())
}

func TestTheOutputHasColorsOnlyWhereTheyAreWanted(t *testing.T) {
	for colored, want := range map[bool]string{
		false: "shop Kafka/k is not ready: AuthFailed\n",
		true:  "\x1b[1mshop Kafka/k\x1b[0m is \x1b[31mnot ready\x1b[0m: AuthFailed\n",
	} {
		var out strings.Builder
		e := Explanation{Kind: "Kafka", Namespace: "shop", Name: "k", Ready: "False", Reason: "AuthFailed"}
		require.NoError(t, Write(&table.Writer{Out: &out, Colored: colored}, []Explanation{e}, true))
		assert.Equal(t, want, out.String())
	}
}
