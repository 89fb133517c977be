package event

import (
	"context"
	"hash/fnv"
	"io"
	"os"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

const (
	writers      = 2               // events must not crowd out the work
	queueSize    = 4096            // of each writer
	evict        = time.Minute     // between two passes over the series
	drainTimeout = 5 * time.Second // to write the rest at the end
)

// Event is one thing to report.
type Event struct {
	Controller string // reporting, such as database-reconciler
	Type       string // corev1.EventTypeNormal or corev1.EventTypeWarning
	Reason     string // CamelCase, at most 128 bytes
	Action     string
	Note       string // at most 1,024 bytes
}

// occurrence is an event that happened to an object at a time.
type occurrence struct {
	Event

	regarding corev1.ObjectReference
	at        time.Time
}

// Recorder writes events. It is a Runnable of the manager; the events that come before its start wait for it.
type Recorder struct {
	client   client.Writer
	instance string
	queues   [writers]chan occurrence
}

// New makes a recorder. Its events name the host as the reporting instance: in a cluster, the pod.
func New(writer client.Writer) *Recorder {
	host, err := os.Hostname()
	if err != nil {
		host = "aero"
	}
	r := &Recorder{client: writer, instance: host}
	for i := range r.queues {
		r.queues[i] = make(chan occurrence, queueSize)
	}
	return r
}

// Report queues an event about an object, and returns at once.
func (r *Recorder) Report(ctx context.Context, obj client.Object, gvk schema.GroupVersionKind, e Event) {
	o := occurrence{Event: e, at: time.Now(), regarding: corev1.ObjectReference{
		APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind,
		Namespace: obj.GetNamespace(), Name: obj.GetName(), UID: obj.GetUID(),
	}}
	select {
	case r.queues[shard(o.regarding)] <- o:
	default:
		log.FromContext(ctx).Info("Dropped an event: the API server is slower than the events", "reason", e.Reason)
	}
}

// shard keeps the events of an object in their order.
func shard(regarding corev1.ObjectReference) int {
	h := fnv.New32a()
	_, _ = io.WriteString(h, string(regarding.UID)+regarding.Namespace+"/"+regarding.Name)
	return int(h.Sum32() % writers)
}

// NeedLeaderElection lets the recorder run longer than the controllers, to write their last events.
func (*Recorder) NeedLeaderElection() bool { return false }

// Start writes events until the context ends, and then the rest.
func (r *Recorder) Start(ctx context.Context) error {
	var running sync.WaitGroup
	for _, queue := range r.queues {
		running.Go(func() { r.write(ctx, queue) })
	}
	running.Wait()
	return nil
}

// write is one writer.
func (r *Recorder) write(ctx context.Context, queue <-chan occurrence) {
	w := &writer{client: r.client, instance: r.instance, known: map[cause]*series{}}
	ticker := time.NewTicker(evict)
	defer ticker.Stop()
	for {
		select {
		case o := <-queue:
			w.record(ctx, &o)
		case <-ticker.C:
			w.evict(ctx, time.Now())
		case <-ctx.Done():
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
			defer cancel()
			for len(queue) > 0 {
				o := <-queue
				w.record(ctx, &o)
			}
			w.flush(ctx)
			return
		}
	}
}
