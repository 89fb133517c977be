package conformance_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// gate lets the operator's patches of statuses pass one by one, once it is closed.
type gate struct {
	http.RoundTripper

	closed  chan struct{}
	arrived chan struct{}
	pass    chan struct{}
	status  chan int // of what passed
}

func newGate() *gate {
	return &gate{closed: make(chan struct{}), arrived: make(chan struct{}), pass: make(chan struct{}), status: make(chan int, 1)}
}

// RoundTrip implements http.RoundTripper.
func (g *gate) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-g.closed:
	default:
		return g.RoundTripper.RoundTrip(r)
	}
	if r.Method != http.MethodPatch || !strings.HasSuffix(r.URL.Path, "/status") {
		return g.RoundTripper.RoundTrip(r)
	}
	for _, step := range []chan struct{}{g.arrived, g.pass} {
		select {
		case step <- struct{}{}:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	rsp, err := g.RoundTripper.RoundTrip(r)
	if err == nil {
		g.status <- rsp.StatusCode
	}
	return rsp, err
}

func TestW04_AStatusIsNeverThatOfAnotherObjectOfTheName(t *testing.T) {
	g := newGate()
	e := testenv.New(t, testenv.Options{Kinds: []string{"KafkaTopic"}, Transport: func(next http.RoundTripper) http.RoundTripper {
		g.RoundTripper = next
		return g
	}})
	topic := e.Example("kafkatopic").(*v1alpha1.KafkaTopic)
	again := topic.DeepCopy()
	e.Create(topic)
	e.Until(func() bool { e.Get(topic); return len(topic.Status.Conditions) > 0 }, func() string { return "it has no status" })
	require.Empty(t, topic.Finalizers, "its service doesn't exist: it goes at once")

	close(g.closed)
	e.Change(topic, func() { topic.Spec.Partitions++ })
	<-g.arrived
	require.NoError(t, e.Client.Delete(t.Context(), topic))
	e.WaitGone(topic)
	e.Create(again)
	<-g.pass
	assert.Equal(t, http.StatusUnprocessableEntity, <-g.status)
	<-g.arrived // the status of the new object, before it takes effect
	live := &v1alpha1.KafkaTopic{}
	require.NoError(t, e.Client.Get(t.Context(), client.ObjectKeyFromObject(again), live))
	assert.Equal(t, again.UID, live.UID)
	assert.Empty(t, live.Status.Conditions, "those of the former one")

	<-g.pass
	assert.Equal(t, http.StatusOK, <-g.status)
	require.NoError(t, e.Client.Get(t.Context(), client.ObjectKeyFromObject(again), live))
	require.NotEmpty(t, live.Status.Conditions)
	for _, c := range live.Status.Conditions {
		assert.EqualValues(t, 1, c.ObservedGeneration, c.Type)
	}
}
