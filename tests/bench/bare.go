package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
)

const (
	// operatorWorkers are how many objects of a kind and a namespace the operator works on at a time, eventWriters how many events it writes.
	operatorWorkers, eventWriters = 8, 2

	bareSuffix = "-bare"
	bareLabel  = "aero-bench-bare"
)

// bareClient repeats the operator's writes on copies of its objects, and does nothing else: it reads nothing, and calls no
// Aiven. How long it takes is how long the API server takes.
type bareClient struct {
	kube   client.Client
	copies map[string]object // by the name of the original
}

// bare measures how long a bare client takes for writes of the operator, which took it a time.
func (w *world) bare(ctx context.Context, written writes, took time.Duration) error {
	if err := w.operator.End(stopTime); err != nil {
		return err
	}
	b := bareClient{kube: w.kube, copies: map[string]object{}}
	if err := b.copyAll(ctx, written); err != nil {
		return err
	}
	begin := time.Now()
	repeated, err := b.repeat(ctx, written)
	if err != nil {
		return err
	}
	bare := time.Since(begin).Seconds()
	w.add(measuredBare, bare, "s", fmt.Sprintf("%d writes of the same sorts to copies of the objects, %d at a time for each kind: %s",
		repeated, operatorWorkers, byFrequency(written.sorts())))
	w.add(measuredBareRatio, took.Seconds()/bare, "times", fmt.Sprintf("%.1f s with the operator", took.Seconds()))
	return b.deleteAll(ctx)
}

// copyAll makes a copy of each object that was written.
func (b *bareClient) copyAll(ctx context.Context, written writes) error {
	for _, kind := range []managed{&v1alpha1.Database{}, &v1alpha1.ServiceUser{}} {
		for name := range written.of(prefixOf(kind)) {
			original := kind.DeepCopyObject().(managed)
			if err := b.kube.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, original); err != nil {
				return fmt.Errorf("reading %s: %w", name, err)
			}
			copied := original.DeepCopyObject().(managed)
			copied.SetName(name + bareSuffix)
			copied.SetLabels(map[string]string{bareLabel: ""})
			copied.SetUID("")
			copied.SetResourceVersion("")
			copied.SetFinalizers(nil)
			if err := b.kube.Create(ctx, copied); err != nil {
				return fmt.Errorf("copying %s: %w", name, err)
			}
			*copied.GetCommonStatus() = *original.GetCommonStatus()
			b.copies[name] = copied
		}
	}
	return nil
}

// prefixOf is how the names of a family's objects begin.
func prefixOf(o object) string {
	if _, isDatabase := o.(*v1alpha1.Database); isDatabase {
		return familyService + "-db-"
	}
	return familyService + "-user-"
}

// repeat makes the writes, those of one object in their order, as many objects at a time as the operator works on.
func (b *bareClient) repeat(ctx context.Context, written writes) (int, error) {
	events, others := writes{}, writes{}
	for _, one := range written {
		switch {
		case b.copies[one.object] == nil: // the service's own
		case one.event:
			events = append(events, one)
		default:
			others = append(others, one)
		}
	}
	all, ctx := errgroup.WithContext(ctx)
	for prefix, of := range map[string]writes{familyService + "-db-": others, familyService + "-user-": others, familyService: events} {
		workers := operatorWorkers
		if prefix == familyService {
			workers = eventWriters
		}
		all.Go(func() error { return b.repeatAll(ctx, of.of(prefix), workers) })
	}
	return len(events) + len(others), all.Wait()
}

func (b *bareClient) repeatAll(ctx context.Context, objects map[string]writes, workers int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for _, name := range slices.Sorted(maps.Keys(objects)) {
		group.Go(func() error {
			for i, one := range objects[name] {
				if err := b.repeatOne(ctx, one, b.copies[name], i); err != nil {
					return fmt.Errorf("repeating %q for %s: %w", one.sort, name, err)
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// repeatOne makes the n-th write of an object. Each changes something: the API server skips what changes nothing.
func (b *bareClient) repeatOne(ctx context.Context, one write, o object, n int) error {
	meta := metav1.ObjectMeta{Namespace: namespace, Name: o.GetName(), Labels: map[string]string{bareLabel: ""}}
	mark := fmt.Appendf(nil, `{"metadata":{"annotations":{"controllers.aiven.io/bench":"%d"}}}`, n)
	switch verb, resource, _ := strings.Cut(one.sort, " "); {
	case one.sort == "create secrets":
		secret := &corev1.Secret{ObjectMeta: meta, StringData: map[string]string{"PASSWORD": strings.Repeat("p", 24), "CA_CERT": strings.Repeat("c", 1500)}}
		return b.kube.Create(ctx, secret)
	case resource == "secrets":
		return b.kube.Patch(ctx, &corev1.Secret{ObjectMeta: meta}, client.RawPatch(client.Merge.Type(), mark))
	case resource == "events" && verb == "create":
		meta.Name += fmt.Sprintf(".%d", n)
		return b.kube.Create(ctx, eventOf(meta, o))
	case resource == "events":
		return b.kube.Patch(ctx, &eventsv1.Event{ObjectMeta: meta}, client.RawPatch(client.Merge.Type(), mark))
	case strings.HasSuffix(resource, "/status"):
		copied := o.DeepCopyObject().(managed)
		base := copied.DeepCopyObject().(managed)
		*base.GetCommonStatus() = v1alpha1.CommonStatus{}
		copied.GetCommonStatus().LastHandledReconcileAt = fmt.Sprint(n)
		return b.kube.Status().Patch(ctx, copied, client.MergeFrom(base))
	default:
		return b.kube.Patch(ctx, o.DeepCopyObject().(managed), client.RawPatch(client.Merge.Type(), mark))
	}
}

func eventOf(meta metav1.ObjectMeta, o object) *eventsv1.Event {
	return &eventsv1.Event{
		ObjectMeta: meta, EventTime: metav1.NowMicro(), ReportingController: "aero-bench", ReportingInstance: "aero-bench",
		Action: "Create", Reason: "Ready", Type: corev1.EventTypeNormal, Note: "In sync with the spec",
		Regarding: corev1.ObjectReference{
			APIVersion: v1alpha1.GroupVersion.String(), Kind: "ServiceUser", Namespace: o.GetNamespace(), Name: o.GetName(), UID: o.GetUID(),
		},
	}
}

// deleteAll removes the copies, before an operator sees them.
func (b *bareClient) deleteAll(ctx context.Context) error {
	var errs []error
	for _, o := range []client.Object{&v1alpha1.Database{}, &v1alpha1.ServiceUser{}, &corev1.Secret{}, &eventsv1.Event{}} {
		err := b.kube.DeleteAllOf(ctx, o, client.InNamespace(namespace), client.HasLabels{bareLabel})
		errs = append(errs, client.IgnoreNotFound(err))
	}
	if err := errors.Join(errs...); err != nil && !apierrors.IsGone(err) {
		return fmt.Errorf("deleting the copies: %w", err)
	}
	return nil
}
