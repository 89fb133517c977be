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
	writers   = 2    // telling must not crowd out doing
	queueSize = 4096 // of each writer
	sweep     = time.Minute
	farewell  = 5 * time.Second // to write, at the end, what is still to be written
)

// Event is one thing to tell.
type Event struct {
	Controller string // who tells, such as database-reconciler
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

// New makes a recorder. Its events name the host as who tells: in a cluster, the pod.
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

// Report tells an event about an object, and returns at once.
func (r *Recorder) Report(ctx context.Context, obj client.Object, gvk schema.GroupVersionKind, e Event) {
	o := occurrence{Event: e, at: time.Now(), regarding: corev1.ObjectReference{
		APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind,
		Namespace: obj.GetNamespace(), Name: obj.GetName(), UID: obj.GetUID(),
	}}
	select {
	case r.queues[shard(o.regarding)] <- o:
	default:
		log.FromContext(ctx).Info("An event was left out, as the API server takes them too slowly", "reason", e.Reason)
	}
}

// shard keeps the events of an object in their order.
func shard(regarding corev1.ObjectReference) int {
	h := fnv.New32a()
	_, _ = io.WriteString(h, string(regarding.UID)+regarding.Namespace+"/"+regarding.Name)
	return int(h.Sum32() % writers)
}

// NeedLeaderElection says that the recorder runs longer than the controllers, to tell what they told last.
func (*Recorder) NeedLeaderElection() bool { return false }

// Start writes events until the context ends, and then what is still to be written.
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
	ticker := time.NewTicker(sweep)
	defer ticker.Stop()
	for {
		select {
		case o := <-queue:
			w.tell(ctx, &o)
		case <-ticker.C:
			w.sweep(ctx, time.Now())
		case <-ctx.Done():
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
			defer cancel()
			for len(queue) > 0 {
				o := <-queue
				w.tell(ctx, &o)
			}
			w.flush(ctx)
			return
		}
	}
}
