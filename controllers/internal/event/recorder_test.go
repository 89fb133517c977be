package event_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/aero-operator/aero/controllers/internal/event"
)

// cluster is a recorder that writes into a cluster of its own.
type cluster struct {
	t        *testing.T
	client   client.Client
	recorder *event.Recorder
	writes   atomic.Int32
	logged   atomic.Int32 // lines of the log
	before   atomic.Value // func() error that runs before each write, and may fail it
	after    atomic.Value // func() error that runs after each write, and may lose its answer
	stop     func()
	ended    chan error
}

// delay is that of the recorder.
const delay = time.Second

var kindOfThing = corev1.SchemeGroupVersion.WithKind("Thing")

func thing(name string) client.Object {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: "shop", Name: name, UID: "uid-of-it", ResourceVersion: fmt.Sprint(time.Now().UnixNano()),
	}}
}

// fine is what happens to writes mostly.
var fine = func() error { return nil }

// inCluster runs a test in a bubble of time.
func inCluster(t *testing.T, test func(*cluster)) {
	synctest.Test(t, func(t *testing.T) {
		scheme := runtime.NewScheme()
		require.NoError(t, eventsv1.AddToScheme(scheme))
		c := &cluster{t: t, client: fake.NewClientBuilder().WithScheme(scheme).Build()}
		c.before.Store(fine)
		c.after.Store(fine)
		write := func(do func() error) error {
			c.writes.Add(1)
			if err := c.before.Load().(func() error)(); err != nil {
				return err
			}
			if err := do(); err != nil {
				return err
			}
			return c.after.Load().(func() error)()
		}
		c.recorder = event.New(interceptor.NewClient(c.client.(client.WithWatch), interceptor.Funcs{
			Create: func(ctx context.Context, w client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
				return write(func() error { return w.Create(ctx, obj, opts...) })
			},
			Patch: func(ctx context.Context, w client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
				return write(func() error { return w.Patch(ctx, obj, patch, opts...) })
			},
		}), delay)
		logger := funcr.New(func(string, string) { c.logged.Add(1) }, funcr.Options{})
		ctx, cancel := context.WithCancel(log.IntoContext(t.Context(), logger))
		c.ended = make(chan error, 1)
		go func() { c.ended <- c.recorder.Start(ctx) }()
		c.stop = func() {
			cancel()
			synctest.Wait()
		}
		test(c)
		c.stop()
		require.NoError(t, <-c.ended)
	})
}

// takes makes each write take a while.
func (c *cluster) takes(d time.Duration) {
	c.before.Store(func() error {
		<-time.After(d)
		return nil
	})
}

func (c *cluster) report(object, reason, note string) {
	kind := corev1.EventTypeNormal
	if strings.HasPrefix(reason, "Waiting") {
		kind = corev1.EventTypeWarning
	}
	c.recorder.Report(c.t.Context(), thing(object), kindOfThing, event.Event{
		Type: kind, Reason: reason, Action: "Reconcile", Note: note,
	})
	synctest.Wait()
}

// events are those in the cluster, as "reason note xcount", sorted.
func (c *cluster) events() []string {
	var list eventsv1.EventList
	require.NoError(c.t, c.client.List(c.t.Context(), &list))
	found := []string{}
	for _, e := range list.Items {
		count := int32(1)
		if e.Series != nil {
			count = e.Series.Count
		}
		found = append(found, fmt.Sprintf("%s %s x%d", e.Reason, e.Note, count))
	}
	slices.Sort(found)
	return found
}

func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func TestV09_EventsAreOfTheNewAPI(t *testing.T) {
	inCluster(t, func(c *cluster) {
		at := time.Now()
		c.report("orders", "Waiting", "for the service")
		pass(delay)
		var list eventsv1.EventList
		require.NoError(t, c.client.List(t.Context(), &list))
		require.Len(t, list.Items, 1)
		e := list.Items[0]
		assert.Equal(t, "shop", e.Namespace)
		assert.True(t, strings.HasPrefix(e.Name, "orders."), e.Name)
		assert.Equal(t, corev1.ObjectReference{APIVersion: "v1", Kind: "Thing", Namespace: "shop", Name: "orders", UID: "uid-of-it"}, e.Regarding)
		assert.Equal(t, "Warning Waiting Reconcile for the service",
			strings.Join([]string{e.Type, e.Reason, e.Action, e.Note}, " "))
		assert.Equal(t, "thing-reconciler", e.ReportingController)
		assert.NotEmpty(t, e.ReportingInstance)
		assert.True(t, e.EventTime.Time.Equal(at))
		assert.Nil(t, e.Series)
	})
}

func TestC08_TwoCausesAreTwoEventsAndARepeatedOneIsASeries(t *testing.T) {
	inCluster(t, func(c *cluster) {
		c.report("orders", "Waiting", "for the service")
		c.report("orders", "Waiting", "for the Secret")
		c.report("sales", "Waiting", "for the service")
		pass(2 * time.Minute)
		c.report("orders", "Waiting", "for the service")
		pass(delay)
		assert.Equal(t, []string{"Waiting for the Secret x1", "Waiting for the service x1", "Waiting for the service x2"}, c.events(), "C-08")
	})
}

func TestSeriesIsWrittenOnceAMinute(t *testing.T) {
	inCluster(t, func(c *cluster) {
		for range 100 {
			c.report("orders", "Waiting", "for the service")
			pass(time.Second)
		}
		assert.LessOrEqual(t, int(c.writes.Load()), 3)
		pass(2 * time.Minute)
		assert.Equal(t, []string{"Waiting for the service x100"}, c.events())
		assert.LessOrEqual(t, int(c.writes.Load()), 4)
	})
}

func TestCauseThatComesAgainAfterALongTimeIsANewEvent(t *testing.T) {
	inCluster(t, func(c *cluster) {
		c.report("orders", "Waiting", "for the service")
		pass(10 * time.Minute)
		c.report("orders", "Waiting", "for the service")
		pass(delay)
		assert.Equal(t, []string{"Waiting for the service x1", "Waiting for the service x1"}, c.events())
	})
}

func TestEventThatCouldNotBeWrittenIsWrittenLater(t *testing.T) {
	inCluster(t, func(c *cluster) {
		c.before.Store(func() error { return errors.New("the API server is away") })
		c.report("orders", "Waiting", "for the service")
		pass(delay)
		c.report("orders", "Waiting", "for the service")
		pass(delay)
		assert.Equal(t, 1, int(c.writes.Load()))
		assert.Empty(t, c.events())
		c.before.Store(fine)
		pass(2 * time.Minute)
		assert.Equal(t, []string{"Waiting for the service x2"}, c.events())
	})
}

func TestLostAnswerMakesNoSecondEvent(t *testing.T) {
	inCluster(t, func(c *cluster) {
		c.after.Store(func() error { return errors.New("connection lost") })
		c.report("orders", "Waiting", "for the service")
		pass(delay)
		c.after.Store(fine)
		c.report("orders", "Waiting", "for the service")
		pass(2 * time.Minute)
		assert.Equal(t, []string{"Waiting for the service x2"}, c.events())
	})
}

func TestEventWhoseTimeIsOverIsRecordedAgain(t *testing.T) {
	inCluster(t, func(c *cluster) {
		c.report("orders", "Waiting", "for the service")
		pass(delay)
		require.NoError(t, c.client.DeleteAllOf(t.Context(), &eventsv1.Event{}, client.InNamespace("shop")))
		pass(2 * time.Minute)
		c.report("orders", "Waiting", "for the service")
		pass(delay)
		assert.Equal(t, []string{"Waiting for the service x2"}, c.events())
	})
}

func TestWhatWasCountedIsWrittenAtTheEnd(t *testing.T) {
	inCluster(t, func(c *cluster) {
		c.report("orders", "Waiting", "for the service")
		pass(delay)
		c.report("orders", "Waiting", "for the service")
		assert.Equal(t, []string{"Waiting for the service x1"}, c.events())
		c.stop()
		assert.Equal(t, []string{"Waiting for the service x2"}, c.events())
	})
}

func TestWhatWaitsIsWrittenAtTheEndSeveralAtATime(t *testing.T) {
	inCluster(t, func(c *cluster) {
		c.takes(20 * time.Millisecond)
		for n := range 1000 {
			c.report(fmt.Sprint("orders", n), "Created", "at Aiven")
		}
		began := time.Now()
		c.stop()
		require.NoError(t, <-c.ended)
		assert.LessOrEqual(t, time.Since(began), 3*time.Second)
		assert.Len(t, c.events(), 1000)
		c.ended <- nil
	})
}

func TestRecordingNeverWaitsForTheAPIServer(t *testing.T) {
	inCluster(t, func(c *cluster) {
		slow := make(chan struct{})
		c.before.Store(func() error { <-slow; return errors.New("the API server is away") })
		start := time.Now()
		for i := range 20000 {
			c.recorder.Report(t.Context(), thing("orders"), kindOfThing, event.Event{Note: fmt.Sprint(i)})
		}
		assert.Zero(t, time.Since(start))
		close(slow)
		pass(delay)
		assert.Equal(t, 16384, int(c.writes.Load()), "what the queue holds")
	})
}

func TestObjectOfNoNamespaceAndALongNameHasAnEvent(t *testing.T) {
	inCluster(t, func(c *cluster) {
		obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: strings.Repeat("n", 253)}}
		c.recorder.Report(t.Context(), obj, corev1.SchemeGroupVersion.WithKind("Node"), event.Event{Reason: "Waiting"})
		pass(delay)
		var list eventsv1.EventList
		require.NoError(t, c.client.List(t.Context(), &list, client.InNamespace("default")))
		require.Len(t, list.Items, 1)
		assert.Len(t, list.Items[0].Name, 253)
	})
}
