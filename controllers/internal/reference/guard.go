package reference

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/controllers/internal/enqueue"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// Referrers names the objects that refer to a target, such as KafkaSchema apps/orders, sorted. Objects that are being
// deleted count until they are gone; an object that refers to itself doesn't, nor does one in a circle with the target, nor
// one that must not refer to it: it has never used it, and the target may be on its way to where it belongs.
// lister lists the kind that holds the declaration and MUST have its index.
//
// While there are any, the deletion of a target waits if the declaration has BlocksDeletion. No two objects wait for
// each other, because a referrer that is being deleted doesn't wait for its target: see Resolver.Resolve.
func (d Declaration) Referrers(ctx context.Context, lister enqueue.Lister, target client.Object) ([]string, error) {
	found, err := lister.List(ctx, client.MatchingFields{d.IndexKey(): client.ObjectKeyFromObject(target).String()})
	if err != nil {
		return nil, err
	}
	released, err := Guard{Declaration: d, Lister: lister}.released(ctx, found, target)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, obj := range found {
		refused, err := d.refuses(obj, target)
		if err != nil {
			return nil, err
		}
		if obj.GetUID() != target.GetUID() && !released[client.ObjectKeyFromObject(obj)] && !refused {
			names = append(names, lister.Kind.Kind+" "+client.ObjectKeyFromObject(obj).String())
		}
	}
	slices.Sort(names)
	return names, nil
}

// refuses reports whether an object must not refer to a target.
func (d Declaration) refuses(referrer, target client.Object) (bool, error) {
	if d.Ready == nil {
		return false, nil
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(target)
	if err != nil {
		return false, fmt.Errorf("encoding %s: %w", client.ObjectKeyFromObject(target), err)
	}
	_, err = d.Ready(referrer, &unstructured.Unstructured{Object: content})
	return fault.Is(err, fault.Invalid), nil
}

// Guard is a declaration with BlocksDeletion, seen from the kind of its targets.
type Guard struct {
	Declaration Declaration
	Lister      enqueue.Lister // of the kind that holds the declaration
}

// Guards are all that may hold back the deletion of the objects of one kind.
type Guards []Guard

// Referrers names the objects that refer to a target by any of the declarations.
func (g Guards) Referrers(ctx context.Context, target client.Object) ([]string, error) {
	var referrers []string
	for _, guard := range g {
		names, err := guard.Declaration.Referrers(ctx, guard.Lister, target)
		if err != nil {
			return nil, err
		}
		referrers = append(referrers, names...)
	}
	return referrers, nil
}

// Released handles the events of referrers for the controller of the targets: it enqueues the targets that an object no
// longer names, because it was changed or is gone. They may wait for that to be deleted.
func (d Declaration) Released() handler.EventHandler {
	release := func(before, after client.Object, queue enqueue.Queue) {
		var still []types.NamespacedName
		if after != nil {
			still = d.names(after)
		}
		for _, name := range d.names(before) {
			if !slices.Contains(still, name) {
				queue.Add(reconcile.Request{NamespacedName: name})
			}
		}
	}
	return handler.Funcs{
		UpdateFunc: func(_ context.Context, e event.UpdateEvent, queue enqueue.Queue) {
			release(e.ObjectOld, e.ObjectNew, queue)
		},
		DeleteFunc: func(_ context.Context, e event.DeleteEvent, queue enqueue.Queue) { release(e.Object, nil, queue) },
	}
}
