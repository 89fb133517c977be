package testenv

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/yaml"
)

// logTail is how much of the operator's log a failed test shows.
const logTail = 60

// audit ends the test: what must hold for every object of every test is checked here.
func (e *Env) audit() {
	if e.spans != nil {
		e.auditCache()
	}
	e.Operator.Stop()
	e.CatchUp()
	for _, h := range e.recorder.histories() {
		for _, violation := range h.violations() {
			assert.Fail(e.T, "Invariant violated", violation)
		}
	}
	if !e.outside {
		e.auditEvents()
	}
	e.auditSecrets()
	e.auditPages()
	if e.spans != nil {
		e.auditSpans()
		e.auditMetrics()
	}
	if unknown := e.Aiven.Stats().UnknownRoutes; unknown > 0 {
		assert.Fail(e.T, "Calls that the local Aiven doesn't know", "%d, such as %v", unknown, e.unknownCalls())
	}
	if e.T.Failed() {
		lines := e.Operator.Log()
		e.T.Log("The end of the operator's log:\n" + strings.Join(lines[max(0, len(lines)-logTail):], "\n"))
	}
}

// unknownCalls are those of all clients for which the local Aiven has no route, as method and path.
func (e *Env) unknownCalls() []string {
	var calls []string
	for _, entry := range e.Aiven.Journal(0) {
		if entry.Operation == "" {
			calls = append(calls, entry.Method+" "+entry.Path)
		}
	}
	return calls
}

// auditEvents wants each event in the log, too.
func (e *Env) auditEvents() {
	reports := 0
	log := e.Operator.Log()
	for _, event := range e.lastEvents() {
		reports++
		twin := fmt.Sprintf(`"event"=true "type"=%q "reason"=%q`, event.Type, event.Reason)
		isTwin := func(line string) bool { return strings.Contains(line, twin) }
		assert.True(e.T, slices.ContainsFunc(log, isTwin), "event %s must be in the log too", event.Reason)
		if event.Series != nil {
			reports += int(event.Series.Count) - 1
		}
		assert.LessOrEqual(e.T, len(event.Note), 1024, "length of the note of event %s", event.Reason)
	}
	assert.LessOrEqual(e.T, reports, e.Operator.Reconciles(), "there must not be more events than reconciles")
}

// auditSecrets finds secret values in what users read.
func (e *Env) auditSecrets() {
	for _, value := range e.recorder.published() {
		e.Plant(value)
	}
	for _, h := range e.recorder.histories() {
		for _, seen := range h.states {
			fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(seen.object)
			assert.NoError(e.T, err)
			delete(fields, "spec") // a user may have credentials in it
			assert.False(e.T, e.planted.within(fields), "a secret is in %s at revision %d", name(seen.object), seen.revision)
		}
	}
	for _, event := range e.lastEvents() {
		assert.False(e.T, e.planted.in(event.Note), "a secret is in the note of event %s", event.Reason)
	}
	for _, line := range e.Operator.Log() {
		if e.planted.in(line) {
			assert.Fail(e.T, "A secret is in the operator's log", fmt.Sprintf("in a line of %d characters", len(line)))
		}
	}
}

// auditCache finds secret values in what the operator caches of Secrets.
func (e *Env) auditCache() {
	var secrets metav1.PartialObjectMetadataList
	secrets.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
	assert.NoError(e.T, e.Operator.cache.List(context.Background(), &secrets, client.InNamespace(e.Namespace)))
	assert.NotEmpty(e.T, secrets.Items)
	for _, secret := range secrets.Items {
		text, err := yaml.Marshal(secret)
		assert.NoError(e.T, err)
		assert.False(e.T, e.planted.in(string(text)), "a secret is in the operator's cache, in the metadata of Secret %s", secret.Name)
	}
}

// auditSpans finds secret values in spans.
func (e *Env) auditSpans() {
	assert.NotEmpty(e.T, e.spans.Ended())
	for _, stub := range tracetest.SpanStubsFromReadOnlySpans(e.spans.Ended()) {
		text := fmt.Sprint(stub.Name, stub.Attributes, stub.Events, stub.Status)
		assert.False(e.T, e.planted.in(text), "a secret is in a span %s", stub.Name)
	}
}

// auditMetrics finds secret values in the labels of metrics, which all operators of the process share.
func (e *Env) auditMetrics() {
	families, err := metrics.Registry.Gather()
	assert.NoError(e.T, err)
	for _, family := range families {
		assert.False(e.T, e.planted.in(family.String()), "a secret is in the metric %s", family.GetName())
	}
}

// Readable is what users can read in a namespace, by what it is: objects without their specs, Secrets, notes of events.
func (e *Env) Readable(namespace string) map[string]string {
	e.T.Helper()
	texts := map[string]string{}
	for _, obj := range e.current(namespace) {
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
		require.NoError(e.T, err)
		delete(fields, "spec") // what a user has written there is known to that user
		text, err := yaml.Marshal(fields)
		require.NoError(e.T, err)
		texts[name(obj)] = string(text)
	}
	var secrets corev1.SecretList
	require.NoError(e.T, e.Client.List(e.T.Context(), &secrets, client.InNamespace(namespace)))
	for _, secret := range secrets.Items {
		for key, value := range secret.Data {
			texts["Secret "+secret.Name] += key + ": " + string(value) + "\n"
		}
	}
	var events eventsv1.EventList
	require.NoError(e.T, e.Client.List(e.T.Context(), &events, client.InNamespace(namespace)))
	for _, event := range events.Items {
		texts["event "+event.Name] = event.Note
	}
	return texts
}

// lastEvents can be asked for when the context of the test is over.
func (e *Env) lastEvents() []eventsv1.Event {
	list := &eventsv1.EventList{}
	assert.NoError(e.T, e.Client.List(context.Background(), list, client.InNamespace(e.Namespace)))
	return list.Items
}
