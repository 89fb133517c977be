package controllers

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/internal/tracing"
)

// plainPassword looks like words: only its exact value shows that it is a secret.
const plainPassword = "CorrectHorseBattery"

// texts takes one step as the manager does, and returns the texts that result from it, by where users find them.
func (w *world[T]) texts() map[string]string {
	w.t.Helper()
	w.events = nil
	var lines []string
	logger := funcr.New(func(_, line string) { lines = append(lines, line) }, funcr.Options{Verbosity: 9})
	recorder := tracetest.NewSpanRecorder()
	around := tracing.Wrap(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)), w.engine.gvk.Kind, w.engine)
	_, err := around.Reconcile(log.IntoContext(w.t.Context(), logger), reconcile.Request{NamespacedName: w.key})
	if err != nil {
		logger.Error(err, "Reconciler error") // as controller-runtime does
	}
	obj, err := json.Marshal(w.get())
	require.NoError(w.t, err)
	return map[string]string{
		"the object": string(obj), "its events": strings.Join(w.events, "\n"), "the log": strings.Join(lines, "\n"),
		"the trace": fmt.Sprintf("%+v", tracetest.SpanStubsFromReadOnlySpans(recorder.Ended())),
	}
}

// assertHidden takes a step in which Aiven quotes the password. Without an event there is nothing to search in events.
func (w *world[T]) assertHidden(withEvent bool) {
	w.t.Helper()
	for where, text := range w.texts() {
		assert.NotContains(w.t, text, plainPassword, where)
		if where != "its events" || withEvent {
			assert.Contains(w.t, text, "***", "%s has the rest of the message", where)
		}
	}
}

var (
	errQuotingRefusal = answer(400, "the value "+plainPassword+" was used before")
	errQuotingFailure = answer(503, "can't apply "+plainPassword)
)

func TestAValueOfASecretThatAivenQuotesIsHiddenEverywhere(t *testing.T) {
	type users = world[*v1alpha1.ServiceUser]
	for name, tc := range map[string]struct {
		deleting  bool
		quotes    func(w *users)
		withEvent bool
	}{
		"a create that is refused": {withEvent: true, quotes: func(w *users) {
			w.observes(nothing, nil)
			w.creates(Observation{}, errQuotingRefusal)
		}},
		"an update that is refused": {withEvent: true, quotes: func(w *users) {
			w.observes(differs, nil)
			w.updates(Observation{}, errQuotingRefusal)
		}},
		"an update that fails": {withEvent: true, quotes: func(w *users) {
			w.observes(differs, nil)
			w.updates(Observation{}, errQuotingFailure)
		}},
		"a read that fails":          {quotes: func(w *users) { w.observes(Observation{}, errQuotingFailure) }},
		"a deletion that is refused": {deleting: true, withEvent: true, quotes: func(w *users) { w.deletes(errQuotingRefusal) }},
		"a deletion that fails":      {deleting: true, quotes: func(w *users) { w.deletes(errQuotingFailure) }},
	} {
		t.Run(name, func(t *testing.T) {
			user := newUser()
			finalized(user)
			w := newWorld(t, user, &corev1.Secret{ObjectMeta: named("pw"), Data: map[string][]byte{"password": []byte(plainPassword)}})
			w.engine.kind.References = []reference.Declaration{passwordReference()}
			tc.quotes(w)
			if tc.deleting {
				w.delete()
			}
			w.assertHidden(tc.withEvent)
		})
		t.Run(name+", of a credential in the spec", func(t *testing.T) {
			user := newUser()
			finalized(user)
			w := newWorld(t, user)
			w.engine.shape.Secrets = func(client.Object) []string { return []string{plainPassword} }
			tc.quotes(w)
			if tc.deleting {
				w.delete()
			}
			w.assertHidden(tc.withEvent)
		})
	}
}

// No Secret has it: its form alone shows that it is one.
func TestReviewH2_AConnectionStringThatAivenQuotesIsHiddenEverywhere(t *testing.T) {
	w := newWorld(t, newUser())
	w.observes(Observation{}, answer(500, "could not reach postgres://avnadmin:"+plainPassword+"@db.example:5432/x"))
	w.assertHidden(false)
}

func TestACredentialInTheSpecThatKubernetesQuotesIsHiddenAlsoIfNoReferenceWasRead(t *testing.T) {
	w := newWorld(t, newUser(annotated(annotation.Paused, "true")))
	w.engine.shape.Secrets = func(client.Object) []string { return []string{plainPassword} }
	w.before = func(string) error { return errors.New("the object has " + plainPassword) }
	texts := w.texts()
	assert.NotContains(t, texts["the log"], plainPassword)
	assert.NotContains(t, texts["the trace"], plainPassword)
	assert.Contains(t, texts["the log"], "the object has ***")
}

func TestAPasswordOfTheConnectionSecretThatAivenQuotesIsHiddenEverywhere(t *testing.T) {
	issued := connection.Info{Keep: []string{"PASSWORD"}, Password: plainPassword, Layout: withPassword}
	for name, tc := range map[string]struct {
		once  bool // Aiven returns it once
		later connection.Info
	}{
		"Aiven returns it each time":                      {false, connection.Info{Password: plainPassword, Layout: withPassword}},
		"it is published, and Aiven no longer returns it": {true, connection.Info{Keep: []string{"PASSWORD"}}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, newUser())
			w.engine.kind.CredentialsOnce = tc.once
			found := allWell
			found.Details = issued
			w.observes(found, nil).Times(1)
			w.settle()

			found = differs
			found.Details = tc.later
			w.observes(found, nil)
			w.updates(Observation{}, errQuotingRefusal)
			w.edit(func(user *v1alpha1.ServiceUser) { user.Generation = 2 })
			w.assertHidden(true)
		})
	}
}

func TestAnErrorOfTheClusterThatQuotesAValueOfASecretIsHidden(t *testing.T) {
	w := newWorld(t, newUser(), &corev1.Secret{ObjectMeta: named("pw"), Data: map[string][]byte{"password": []byte(plainPassword)}})
	w.engine.kind.References = []reference.Declaration{passwordReference()}
	w.observes(allWell, nil)
	w.before = func(call string) error {
		if call == "status" {
			return fmt.Errorf("admission webhook denied %s", plainPassword)
		}
		return nil
	}
	for where, text := range w.texts() {
		assert.NotContains(t, text, plainPassword, where)
	}
}
