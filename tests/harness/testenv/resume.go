package testenv

import (
	"context"
	"fmt"

	"github.com/avast/retry-go/v5"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// feed is what a watch of the recorder is about.
type feed struct {
	client    client.WithWatch
	list      client.ObjectList
	namespace string

	stream  watch.Interface // the recorder's lock is for this
	resumed int             // and for this
	shown   string          // the resourceVersion up to which the watch has shown all; empty if that isn't known
}

// Rewatch ends the watches of the recorder, and returns once it has opened others. After the CRDs have changed, do that
// before an object does: the API server ends watches of what was before, and not always with the last event.
func (e *Env) Rewatch() {
	e.T.Helper()
	before := map[*feed]int{}
	e.recorder.mu.Lock()
	for _, f := range e.recorder.feeds {
		before[f] = f.resumed
		f.stream.Stop()
	}
	e.recorder.mu.Unlock()
	e.Until(func() bool {
		e.recorder.mu.Lock()
		defer e.recorder.mu.Unlock()
		for f, resumed := range before {
			if f.resumed == resumed {
				return false
			}
		}
		return true
	}, func() string { return "the recorder's watches can't be opened again" })
}

// resume opens a watch again that has ended, where it ended if the API server still has what came since: not so when the CRD of a kind
// changes. What was not seen in between breaks the recorder. It returns nil when the recorder has to end.
func (r *recorder) resume(ctx context.Context, at *feed) watch.Interface {
	var now []client.Object
	stream, err := retry.NewWithData[watch.Interface](
		retry.UntilSucceeded(), retry.Context(ctx), retry.Delay(tick), retry.DelayType(retry.FixedDelay),
	).Do(func() (stream watch.Interface, err error) {
		stream, now, err = at.open(ctx) // it fails while the new schema isn't served yet
		return stream, err
	})
	if err != nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.compare(now)
	at.stream = stream
	at.resumed++
	return stream
}

// open watches what came since the watch has ended. Or else it lists what there is, and watches from then on.
func (f *feed) open(ctx context.Context) (watch.Interface, []client.Object, error) {
	if f.shown != "" {
		stream, err := f.watch(ctx, f.shown)
		if !apierrors.IsResourceExpired(err) && !apierrors.IsGone(err) {
			return stream, nil, err
		}
	}
	list := f.list.DeepCopyObject().(client.ObjectList)
	if err := f.client.List(ctx, list, client.InNamespace(f.namespace)); err != nil {
		return nil, nil, fmt.Errorf("listing what a watch was about: %w", err)
	}
	var all []client.Object
	err := meta.EachListItem(list, func(item runtime.Object) error {
		all = append(all, item.(client.Object))
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("reading what a watch was about: %w", err)
	}
	f.shown = list.GetResourceVersion()
	stream, err := f.watch(ctx, f.shown)
	return stream, all, err
}

func (f *feed) watch(ctx context.Context, since string) (watch.Interface, error) {
	from := &metav1.ListOptions{ResourceVersion: since}
	stream, err := f.client.Watch(ctx, f.list.DeepCopyObject().(client.ObjectList), &client.ListOptions{Namespace: f.namespace, Raw: from})
	if err != nil {
		return nil, fmt.Errorf("watching again: %w", err)
	}
	return stream, nil
}

// saw notes how far a watch has come. After an error it can't go on from there.
func (f *feed) saw(event watch.Event) {
	f.shown = ""
	if obj, isObject := event.Object.(client.Object); isObject && event.Type != watch.Error {
		f.shown = obj.GetResourceVersion()
	}
}

// compare notes as broken what the recorder has missed: all that there is must have been seen as it is. The caller holds
// the lock.
func (r *recorder) compare(now []client.Object) {
	for _, obj := range now {
		latest := uint64(0)
		switch obj := obj.(type) {
		case Object:
			for _, seen := range r.objects[obj.GetUID()] {
				latest = seen.revision
			}
		default: // a Secret
			for _, seen := range r.secrets {
				if seen.object.UID == obj.GetUID() {
					latest = seen.revision
				}
			}
		}
		if latest < Revision(obj) {
			r.broken = append(r.broken, fmt.Sprintf("%s changed while no watch was open", name(obj)))
		}
	}
}
