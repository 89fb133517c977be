package event

import (
	"context"
	"os"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

const (
	queueSize    = 16384
	evict        = time.Minute     // between two passes over the series
	drainTimeout = 5 * time.Second // to write the rest at the end
	drainWriters = 8
	maxNote      = 1024
)

// Event is one thing to report.
type Event struct {
	Type   string // corev1.EventTypeNormal or corev1.EventTypeWarning
	Reason string // CamelCase, at most 128 bytes
	Action string
	Note   string // at most 1,024 bytes
}

// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Recorder writes events. It is a Runnable of the manager; the events that come before its start wait for it.
type Recorder struct {
	client   client.Writer
	instance string
	delay    time.Duration

	mu    sync.Mutex
	queue queue
	added chan struct{} // holds a value if something was added to the queue
}

// New makes a recorder that holds events back for a delay. Its events name the host as the reporting instance: in a
// cluster, the pod.
func New(writer client.Writer, delay time.Duration) *Recorder {
	host, err := os.Hostname()
	if err != nil {
		host = "aero"
	}
	return &Recorder{client: writer, instance: host, delay: delay, added: make(chan struct{}, 1)}
}

// Report queues an event about an object, and returns at once. The same is in the log.
func (r *Recorder) Report(ctx context.Context, obj client.Object, gvk schema.GroupVersionKind, e Event) {
	log.FromContext(ctx).Info(e.Note, "event", true, "type", e.Type, "reason", e.Reason, "warning", e.Type == corev1.EventTypeWarning)
	now := time.Now()
	o := &occurrence{Event: e, at: now, last: now, times: 1, regarding: corev1.ObjectReference{
		APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind,
		Namespace: obj.GetNamespace(), Name: obj.GetName(), UID: obj.GetUID(),
	}}
	r.mu.Lock()
	dropped := r.queue.add(o, r.delay)
	r.mu.Unlock()
	if dropped != nil {
		log.FromContext(ctx).Info("Dropped an event: the API server is slower than the events", "reason", dropped.Reason,
			"kind", dropped.regarding.Kind, "namespace", dropped.regarding.Namespace, "name", dropped.regarding.Name)
	}
	select {
	case r.added <- struct{}{}:
	default:
	}
}

// NeedLeaderElection lets the recorder write the last events of a replica that is no longer the leader.
func (*Recorder) NeedLeaderElection() bool { return false }

// Start writes events until the context ends, and then the rest.
func (r *Recorder) Start(ctx context.Context) error {
	w := &writer{client: r.client, instance: r.instance, known: map[cause]*series{}}
	ticker := time.NewTicker(evict)
	defer ticker.Stop()
	next := time.NewTimer(0)
	defer next.Stop()
	var rested time.Time // the end of the pause after the last write
	for {
		select {
		case <-ctx.Done():
			r.drain(ctx, w)
			return nil
		case <-ticker.C:
			w.evict(ctx, time.Now())
		case <-r.added:
		case <-next.C:
			rested = r.writeNext(ctx, w, rested)
		}
		if due, waits := r.due(rested); waits {
			next.Reset(time.Until(due))
		}
	}
}

// due is when the next event may be written. It is false if there is none.
func (r *Recorder) due(rested time.Time) (time.Time, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	due, waits := r.queue.due(r.delay)
	if due.Before(rested) && !r.queue.crowded() {
		due = rested
	}
	return due, waits
}

// writeNext writes the oldest event if its time has come, and returns the end of the pause after it.
func (r *Recorder) writeNext(ctx context.Context, w *writer, rested time.Time) time.Time {
	began := time.Now()
	if due, waits := r.due(rested); !waits || due.After(began) {
		return rested
	}
	r.mu.Lock()
	o := r.queue.pop()
	r.mu.Unlock()
	if s := w.count(o); o.last.Sub(s.written) >= pause {
		w.save(ctx, s, o.last)
	}
	end := time.Now()
	return end.Add(end.Sub(began))
}

// drain writes what is left, and what is reported meanwhile.
func (r *Recorder) drain(ctx context.Context, w *writer) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	for first := true; ctx.Err() == nil; first = false {
		r.mu.Lock()
		left := r.queue.waiting
		r.queue = queue{}
		r.mu.Unlock()
		if len(left) == 0 && !first {
			return
		}
		for _, o := range left {
			w.count(o)
		}
		w.flush(ctx)
	}
}
