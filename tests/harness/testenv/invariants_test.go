package testenv

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
)

// state is one status of a user, as a row of a table.
type state struct {
	ready  metav1.ConditionStatus
	reason string
	phase  v1alpha1.Phase
	edit   func(*v1alpha1.ServiceUser)
}

var begun = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

// user is an object at a revision, whose conditions have changed when Ready last did.
func user(revision int, s state, since time.Time) *v1alpha1.ServiceUser {
	u := &v1alpha1.ServiceUser{}
	u.Name, u.UID, u.Generation, u.ResourceVersion = "jane", "jane-uid", 1, strconv.Itoa(revision)
	u.Annotations = map[string]string{markProcessed: "1", markRunning: "true"}
	u.Status.Phase, u.Status.ObservedGeneration = s.phase, 1
	add := func(kind, reason string, status metav1.ConditionStatus) {
		u.Status.Conditions = append(u.Status.Conditions, metav1.Condition{
			Type: kind, Status: status, Reason: reason, ObservedGeneration: 1, LastTransitionTime: metav1.NewTime(since),
		})
	}
	add("Ready", s.reason, s.ready)
	for _, kind := range []string{"ConfigValid", "AuthValid", "DependenciesReachable"} {
		add(kind, "Fine", metav1.ConditionTrue)
		u.Status.Conditions[len(u.Status.Conditions)-1].LastTransitionTime = metav1.NewTime(begun)
	}
	if s.edit != nil {
		s.edit(u)
	}
	return u
}

func with(kind string, status metav1.ConditionStatus) func(*v1alpha1.ServiceUser) {
	return func(u *v1alpha1.ServiceUser) {
		u.Status.Conditions = append(u.Status.Conditions, metav1.Condition{
			Type: kind, Status: status, LastTransitionTime: metav1.NewTime(begun),
		})
	}
}

// notAdopted has what an object says of its Secret while it owns nothing.
func notAdopted(u *v1alpha1.ServiceUser) {
	with("SecretReady", metav1.ConditionFalse)(u)
	u.Status.Conditions[len(u.Status.Conditions)-1].Reason = "NotAdopted"
}

func TestK09_X10_X14_ViolationsAreFound(t *testing.T) {
	starting := state{metav1.ConditionUnknown, "Progressing", v1alpha1.PhaseStarting, with("Reconciling", metav1.ConditionTrue)}
	done := state{metav1.ConditionTrue, "ReconciliationSucceeded", v1alpha1.PhaseReady, nil}
	editedDone := func(edit func(*v1alpha1.ServiceUser)) state { s := done; s.edit = edit; return s }
	for says, c := range map[string]struct {
		states   []state
		unwanted string // part of the invariant that must be reported; empty for a history without fault
		noSecret bool
	}{
		"a life as it should be": {states: []state{starting, done}},
		"a parent is missing": {
			states:   []state{editedDone(func(u *v1alpha1.ServiceUser) { u.Status.Conditions = u.Status.Conditions[:2] })},
			unwanted: "parents",
		},
		"ready and Reconciling":  {states: []state{editedDone(with("Reconciling", metav1.ConditionTrue))}, unwanted: "neither Stalled nor Reconciling"},
		"ready and Stalled":      {states: []state{editedDone(with("Stalled", metav1.ConditionTrue))}, unwanted: "Stalled goes with"},
		"an attempt at rest":     {states: []state{editedDone(func(u *v1alpha1.ServiceUser) { u.Status.LastAttemptTime = &metav1.Time{Time: begun} })}, unwanted: "attempt"},
		"ready for the future":   {states: []state{editedDone(func(u *v1alpha1.ServiceUser) { u.Status.ObservedGeneration = 2 })}, unwanted: "generation"},
		"ready without a Secret": {states: []state{starting, done}, noSecret: true, unwanted: "Secret"},
		"ready to observe, and no more": {
			states: []state{editedDone(func(u *v1alpha1.ServiceUser) { u.Annotations[management] = "Observe"; notAdopted(u) })}, noSecret: true,
		},
		"ready without a Secret, and not to observe": {states: []state{editedDone(notAdopted)}, noSecret: true, unwanted: "Secret"},
		"ready without the marks":                    {states: []state{editedDone(func(u *v1alpha1.ServiceUser) { u.Annotations = nil })}, unwanted: "annotations"},
		"ready and left as it is": {states: []state{editedDone(func(u *v1alpha1.ServiceUser) {
			with("Drifted", metav1.ConditionTrue)(u)
			delete(u.Annotations, markProcessed)
		})}},
		"ready and only observed": {states: []state{editedDone(func(u *v1alpha1.ServiceUser) {
			notAdopted(u)
			u.Annotations = map[string]string{management: "Observe", markRunning: "true"}
		})}},
		"only observed, and without the mark of what runs": {
			states: []state{editedDone(func(u *v1alpha1.ServiceUser) {
				notAdopted(u)
				u.Annotations = map[string]string{management: "Observe"}
			})},
			unwanted: "annotations",
		},
		"ready in a phase of doubt": {states: []state{editedDone(func(u *v1alpha1.ServiceUser) { u.Status.Phase = v1alpha1.PhaseDegraded })}, unwanted: "phase"},
		"ready and then Pending": {
			states:   []state{done, {metav1.ConditionUnknown, "Progressing", v1alpha1.PhasePending, nil}},
			unwanted: "Pending",
		},
		"the same again": {states: []state{starting, done, done}, unwanted: "no write"},
		"a time that moves by itself": {
			states: []state{starting, done, editedDone(func(u *v1alpha1.ServiceUser) {
				u.Status.Conditions[1].LastTransitionTime = metav1.NewTime(begun.Add(time.Hour))
			})},
			unwanted: "transition time",
		},
	} {
		t.Run(says, func(t *testing.T) {
			found := historyOf(c.states, !c.noSecret).violations()
			if c.unwanted == "" {
				assert.Empty(t, found)
				return
			}
			require.NotEmpty(t, found)
			assert.Contains(t, strings.Join(found, "\n"), c.unwanted)
			assert.Contains(t, found[0], "jane")
		})
	}
}

func historyOf(states []state, published bool) *history {
	h := &history{}
	if published {
		controls := true
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
			OwnerReferences: []metav1.OwnerReference{{UID: "jane-uid", Controller: &controls}},
		}}
		h.secrets = append(h.secrets, sighting[*corev1.Secret]{1, false, secret})
	}
	since, last := begun, metav1.ConditionStatus("")
	for i, s := range states {
		if s.ready != last {
			since, last = since.Add(time.Second), s.ready
		}
		revision := 10 + i
		h.states = append(h.states, sighting[Object]{uint64(revision), false, user(revision, s, since)})
	}
	return h
}

func TestShortValuesAreNotMistakenForSecrets(t *testing.T) {
	p := &planted{}
	p.add("5432")
	p.add("a-real-password\n")
	assert.False(t, p.in("port 5432"))
	assert.True(t, p.in("password=a-real-password"))
}

func TestASecretIsFoundWhereverItIsInAnObject(t *testing.T) {
	p := &planted{}
	p.add("-----BEGIN KEY-----\nfirst\nsecond\n")
	const key = "-----BEGIN KEY-----\nfirst\nsecond"
	for name, fields := range map[string]any{
		"a text":            map[string]any{"status": map[string]any{"message": "refused: " + key + " is no key"}},
		"a text in a list":  map[string]any{"status": map[string]any{"conditions": []any{map[string]any{"message": key}}}},
		"a name of a field": map[string]any{"metadata": map[string]any{"annotations": map[string]any{key: "true"}}},
	} {
		assert.True(t, p.within(fields), name)
	}
	assert.False(t, p.within(map[string]any{"generation": int64(1), "paused": false, "message": "in sync", "none": nil}))
}
