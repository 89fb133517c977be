package cli

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/aero-operator/aero/api/v1alpha1"
)

// kind is the client for the objects of a kind.
func (s *server) kind(plural string) dynamic.ResourceInterface {
	return s.objects.Resource(v1alpha1.GroupVersion.WithResource(plural)).Namespace("default")
}

func (s *server) get(t *testing.T, plural, name string) *unstructured.Unstructured {
	t.Helper()
	u, err := s.kind(plural).Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	return u
}

const (
	paused    = "controllers.aiven.io/paused"
	requested = "controllers.aiven.io/reconcile-requested-at"
)

func TestPauseAndResume(t *testing.T) {
	s := newServer(t, postgres, database)
	assert.Equal(t, "postgresql.aiven.io/my-pg paused\ndatabase.aiven.io/orders paused\n", s.prints(t, "pause", "avnpg/my-pg", "database/orders"))
	assert.Equal(t, "true", s.get(t, "postgresqls", "my-pg").GetAnnotations()[paused])
	assert.Equal(t, "true", s.get(t, "databases", "orders").GetAnnotations()[paused])

	assert.Contains(t, s.prints(t, "resume", "aiven", "--all"), "postgresql.aiven.io/my-pg resumed\n")
	assert.NotContains(t, s.get(t, "postgresqls", "my-pg").GetAnnotations(), paused)
	assert.NotContains(t, s.get(t, "databases", "orders").GetAnnotations(), paused)

	assert.Equal(t, "postgresql.aiven.io/my-pg paused\n", s.prints(t, "pause", "aiven", "-l", "team=shop"))
}

func TestOfSeveralAllThatCanBeAreChanged(t *testing.T) {
	s := newServer(t, postgres, database)
	s.forbidden["kafkas"], s.forbidden["databases"] = true, true
	const problems = "Error from server (Forbidden): databases.aiven.io is forbidden: <nil>\nError from server (Forbidden): kafkas.aiven.io is forbidden: <nil>"
	for command, does := range map[string]string{"pause": "paused", "resume": "resumed", "reconcile": "reconcile requested"} {
		for _, several := range [][]string{{"--all"}, {"-l", "team=shop"}} {
			out, problem := s.types(t, append([]string{command, "aiven"}, several...)...)
			assert.Equal(t, "postgresql.aiven.io/my-pg "+does+"\n", out)
			assert.Equal(t, problems, problem)
		}
	}
	for _, named := range [][]string{{"avnpg/my-pg", "avnpg/no"}, {"avnpg", "my-pg", "no", "--all"}} {
		out, problem := s.types(t, append([]string{"pause"}, named...)...)
		assert.Empty(t, out, "what is named has to exist")
		assert.Contains(t, problem, "NotFound")
	}
	_, problem := s.types(t, "pause", "kafka", "--all")
	assert.Equal(t, "Error from server (Forbidden): kafkas.aiven.io is forbidden: <nil>", problem)
}

func TestWhereNothingMatchesNothingIsDone(t *testing.T) {
	s := newServer(t, database)
	for _, args := range [][]string{{"pause", "avnpg", "--all"}, {"resume", "aiven", "-l", "team=x"}} {
		_, problem := s.types(t, args...)
		assert.Equal(t, "error: no matching objects found", problem, args)
	}
}

func TestReconcileRequestsOne(t *testing.T) {
	s := newServer(t, postgres)
	assert.Equal(t, "postgresql.aiven.io/my-pg reconcile requested\n", s.prints(t, "reconcile", "postgresql", "my-pg"))
	assert.Equal(t, "2026-05-01T12:00:00Z", s.get(t, "postgresqls", "my-pg").GetAnnotations()[requested])
}

// operator is what the operator makes of a request: a status after the other.
func (s *server) operator(t *testing.T, statuses ...map[string]any) {
	s.watched = func(of string) {
		if of != "metadata.name=my-pg" {
			return
		}
		for _, status := range statuses {
			u, err := s.kind("postgresqls").Get(t.Context(), "my-pg", metav1.GetOptions{})
			if !assert.NoError(t, err) {
				return
			}
			u.Object["status"] = status
			_, err = s.kind("postgresqls").Update(t.Context(), u, metav1.UpdateOptions{})
			assert.NoError(t, err)
		}
	}
}

// status is one with Ready, and the request that is handled.
func status(handled, ready, reason, message string) map[string]any {
	return map[string]any{
		"observedGeneration": int64(1), "lastHandledReconcileAt": handled,
		"conditions": []any{map[string]any{"type": "Ready", "status": ready, "reason": reason, "message": message}},
	}
}

func TestReconcileWaitsAndShowsTheProgress(t *testing.T) {
	const at = "2026-05-01T12:00:00Z"
	s := newServer(t, postgres)
	s.operator(t, status("", "Unknown", "Progressing", "old"), status(at, "Unknown", "Progressing", "Waiting for Aiven to build the service"),
		status(at, "True", "ReconciliationSucceeded", "Running"))
	assert.Equal(t, `postgresql.aiven.io/my-pg reconcile requested
postgresql.aiven.io/my-pg waiting for the operator, Ready is still True
postgresql.aiven.io/my-pg waiting for the operator, Ready is still Unknown
postgresql.aiven.io/my-pg Ready=Unknown Progressing: Waiting for Aiven to build the service
postgresql.aiven.io/my-pg Ready=True ReconciliationSucceeded: Running
`, s.prints(t, "reconcile", "postgresql", "my-pg", "--wait"))
}

func TestSeveralObjectsAreWaitedForTogether(t *testing.T) {
	s := newServer(t, postgres, database)
	s.operator(t, status("2026-05-01T12:00:00Z", "True", "ReconciliationSucceeded", "Running"))
	out, problem := s.types(t, "reconcile", "database/orders", "postgresql/my-pg", "--wait", "--timeout", "1s")
	assert.Contains(t, out, "postgresql.aiven.io/my-pg Ready=True ReconciliationSucceeded: Running\n", "the operator does nothing with the other one")
	assert.Equal(t, "error: timed out waiting for database.aiven.io/orders: waiting for the operator, Ready is still False", problem)
}

func TestAWaitEndsWhereItHelpsNoLonger(t *testing.T) {
	const at = "2026-05-01T12:00:00Z"
	for name, tc := range map[string]struct {
		status  map[string]any
		timeout string
		want    string
	}{
		"a failure": {
			status(at, "False", "InvalidSpec", "no such plan"), "1m",
			"error: postgresql.aiven.io/my-pg isn't ready. For the cause and the fix: kubectl aero why PostgreSQL/my-pg -n default",
		},
		"the end of the time": {
			status(at, "Unknown", "Progressing", "Waiting"), "300ms",
			"error: timed out waiting for postgresql.aiven.io/my-pg: Ready=Unknown Progressing: Waiting",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, postgres)
			s.operator(t, tc.status)
			_, problem := s.types(t, "reconcile", "postgresql", "my-pg", "--wait", "--timeout", tc.timeout)
			assert.Equal(t, tc.want, problem)
		})
	}
}

// changes is what others do to the object that is waited for: one change after the other.
func (s *server) changes(t *testing.T, edits ...func(u *unstructured.Unstructured)) {
	s.watched = func(string) {
		for _, edit := range edits {
			u, err := s.kind("postgresqls").Get(t.Context(), "my-pg", metav1.GetOptions{})
			if !assert.NoError(t, err) {
				return
			}
			edit(u)
			_, err = s.kind("postgresqls").Update(t.Context(), u, metav1.UpdateOptions{})
			assert.NoError(t, err)
		}
	}
}

func TestAWaitStaysWithItsRequest(t *testing.T) {
	const at, later = "2026-05-01T12:00:00Z", "2026-05-01T12:00:01Z"
	has := func(status map[string]any) func(u *unstructured.Unstructured) {
		return func(u *unstructured.Unstructured) { u.Object["status"] = status }
	}
	ready := has(status(at, "True", "ReconciliationSucceeded", "Running"))
	asksAgain := func(u *unstructured.Unstructured) { u.SetAnnotations(map[string]string{requested: later}) }
	for name, tc := range map[string]struct {
		changes []func(u *unstructured.Unstructured)
		want    string
	}{
		"another object of the name": {
			[]func(u *unstructured.Unstructured){func(u *unstructured.Unstructured) { u.SetUID("another"); ready(u) }},
			"error: postgresql.aiven.io/my-pg was deleted, and another object has its name now",
		},
		"a deletion that has begun": {
			[]func(u *unstructured.Unstructured){func(u *unstructured.Unstructured) { u.SetDeletionTimestamp(&metav1.Time{Time: time.Unix(1, 0)}) }},
			"error: postgresql.aiven.io/my-pg is being deleted",
		},
		"an edit": {
			[]func(u *unstructured.Unstructured){func(u *unstructured.Unstructured) {
				u.SetGeneration(2)
				ready(u)
				_ = unstructured.SetNestedField(u.Object, int64(2), "status", "observedGeneration")
			}},
			"error: the spec of postgresql.aiven.io/my-pg was edited meanwhile: request a reconcile of generation 2 to wait for it",
		},
		"another request, before this one is handled": {
			[]func(u *unstructured.Unstructured){asksAgain},
			"error: the request for postgresql.aiven.io/my-pg was replaced by another one before the operator handled it: request a reconcile again",
		},
		"another request, which is handled in place of this one": {
			[]func(u *unstructured.Unstructured){func(u *unstructured.Unstructured) {
				asksAgain(u)
				has(status(later, "True", "ReconciliationSucceeded", "Running"))(u)
			}},
			"error: the request for postgresql.aiven.io/my-pg was replaced by another one before the operator handled it: request a reconcile again",
		},
		"another request, after this one was handled": {
			[]func(u *unstructured.Unstructured){has(status(at, "Unknown", "Progressing", "Waiting")), asksAgain, has(status(later, "True", "ReconciliationSucceeded", "Running"))}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, postgres)
			s.changes(t, tc.changes...)
			_, problem := s.types(t, "reconcile", "postgresql", "my-pg", "--wait", "--timeout", "10s")
			assert.Equal(t, tc.want, problem)
		})
	}
}

func TestAnObjectThatIsDeletedIsNotWaitedFor(t *testing.T) {
	s := newServer(t, postgres)
	s.watched = func(string) {
		assert.NoError(t, s.kind("postgresqls").Delete(t.Context(), "my-pg", metav1.DeleteOptions{}))
	}
	_, problem := s.types(t, "reconcile", "postgresql", "my-pg", "--wait")
	assert.Equal(t, "error: postgresql.aiven.io/my-pg was deleted", problem)
}

func TestAPausedObjectIsNotWaitedFor(t *testing.T) {
	s := newServer(t, postgres)
	s.prints(t, "pause", "avnpg", "my-pg")
	_, problem := s.types(t, "reconcile", "avnpg", "my-pg", "--wait")
	assert.Equal(t, "error: postgresql.aiven.io/my-pg is paused: resume it first", problem)
}
