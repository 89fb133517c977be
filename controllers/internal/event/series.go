package event

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

const (
	// seriesGap ends a series: what comes later is a new event.
	seriesGap = 6 * time.Minute
	// pause is the least time between two writes of one series.
	pause = time.Minute
	// evictTime bounds the writes of one pass over the series: new events wait for its end.
	evictTime = 2 * time.Second
	// maxName leaves room for the suffix in a name of at most 253 bytes.
	maxName = 253 - 17
)

// cause is what makes two occurrences the same.
type cause struct {
	regarding corev1.ObjectReference
	event     Event
}

// series is an event that was recorded, and how often since.
type series struct {
	event   *eventsv1.Event
	count   int32
	last    time.Time // when it happened last
	written time.Time // when it was written last, successfully or not
	exists  bool      // at the API server, as far as is known
	behind  bool      // the API server doesn't know the last occurrence, and may accept it
	failed  bool      // the last write did
}

// writer writes the events of some objects. It isn't safe for concurrent use.
type writer struct {
	client   client.Writer
	instance string
	known    map[cause]*series
}

// count adds an occurrence to its series, and returns that.
func (w *writer) count(o *occurrence) *series {
	key := cause{regarding: o.regarding, event: o.Event}
	s := w.known[key]
	if s == nil || o.at.Sub(s.last) > seriesGap {
		s = &series{event: w.event(o)}
		w.known[key] = s
	}
	s.count, s.last, s.behind = s.count+o.times, o.last, true
	return s
}

// evict writes what was counted meanwhile, as far as the time allows, and forgets series that are over, written or not.
func (w *writer) evict(ctx context.Context, now time.Time) {
	for key, s := range w.known {
		switch {
		case now.Sub(s.last) > seriesGap:
			delete(w.known, key)
		case s.behind && now.Sub(s.written) >= pause && time.Since(now) < evictTime:
			w.save(ctx, s, now)
		}
	}
}

// flush writes all that the API server doesn't know yet, several at a time, warnings first.
func (w *writer) flush(ctx context.Context) {
	var warnings, others []*series
	for _, s := range w.known {
		switch {
		case !s.behind:
		case s.event.Type == corev1.EventTypeWarning:
			warnings = append(warnings, s)
		default:
			others = append(others, s)
		}
	}
	w.saveAll(ctx, warnings)
	w.saveAll(ctx, others)
}

func (w *writer) saveAll(ctx context.Context, all []*series) {
	var running sync.WaitGroup
	slots := make(chan struct{}, drainWriters)
	for _, s := range all {
		slots <- struct{}{}
		running.Go(func() {
			w.save(ctx, s, s.last)
			<-slots
		})
	}
	running.Wait()
}

// save writes the event, or its count if it is there. An event is never worth an error: the first failure is logged, and a
// later evict tries again unless the API server refuses the event for good.
func (w *writer) save(ctx context.Context, s *series, now time.Time) {
	s.written = now
	if s.count > 1 {
		s.event.Series = &eventsv1.EventSeries{Count: s.count, LastObservedTime: metav1.NewMicroTime(s.last)}
	}
	err := w.send(ctx, s)
	if apierrors.IsNotFound(err) && s.exists { // its time at the API server is over
		s.exists = false
		err = w.send(ctx, s)
	}
	s.behind = err != nil && !isFinal(err)
	first := !s.failed
	s.failed = err != nil
	if err == nil {
		s.exists = true
		return
	}
	if first && !namespaceGone(err) {
		log.FromContext(ctx).Error(err, "Could not write an event", "reason", s.event.Reason,
			"kind", s.event.Regarding.Kind, "namespace", s.event.Regarding.Namespace, "name", s.event.Regarding.Name)
	}
}

// isFinal reports whether another attempt would fail too.
func isFinal(err error) bool { return namespaceGone(err) || apierrors.IsInvalid(err) }

// namespaceGone reports whether there is nowhere to write to any more: it is how each namespace ends, and no error.
func namespaceGone(err error) bool {
	return apierrors.IsNotFound(err) || apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause)
}

func (w *writer) send(ctx context.Context, s *series) error {
	if !s.exists {
		err := w.client.Create(ctx, s.event.DeepCopy())
		if s.event.Series == nil || !apierrors.IsAlreadyExists(err) {
			return client.IgnoreAlreadyExists(err)
		}
		// It was written before, and the answer was lost.
	}
	before := s.event.DeepCopy()
	before.Series = nil
	return w.client.Patch(ctx, s.event.DeepCopy(), client.MergeFrom(before))
}

// event is the first of a series.
func (w *writer) event(o *occurrence) *eventsv1.Event {
	namespace := o.regarding.Namespace
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	name := o.regarding.Name
	name = strings.TrimRight(name[:min(len(name), maxName)], "-.") // a cut must not end a DNS label with either
	return &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace,
			Name:      fmt.Sprintf("%s.%016x", name, o.digest()),
		},
		EventTime:           metav1.NewMicroTime(o.at),
		ReportingController: strings.ToLower(o.regarding.Kind) + "-reconciler",
		ReportingInstance:   w.instance,
		Action:              o.Action,
		Reason:              o.Reason,
		Regarding:           o.regarding,
		Note:                o.Note,
		Type:                o.Type,
	}
}

// digest distinguishes occurrences in the names of events.
func (o *occurrence) digest() uint64 {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%v %v %d", o.regarding, o.Event, o.at.UnixNano())
	return h.Sum64()
}
