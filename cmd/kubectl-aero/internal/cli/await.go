package cli

import (
	"context"
	"errors"
	"fmt"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/cli-runtime/pkg/resource"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"github.com/aero-operator/aero/cmd/kubectl-aero/internal/table"
	"github.com/aero-operator/aero/controllers/view"
)

// awaitAll waits for requested reconciles, all at the same time, and returns the errors in the order of the objects.
func (p *plugin) awaitAll(ctx context.Context, infos []*resource.Info, at string) []error {
	failed := make([]error, len(infos))
	var all sync.WaitGroup
	for i, info := range infos {
		all.Go(func() { failed[i] = p.await(ctx, info, at) })
	}
	all.Wait()
	return failed
}

// await waits until an object is reconciled and ready, and prints what changes on the way.
func (p *plugin) await(ctx context.Context, info *resource.Info, at string) error {
	asked, err := viewed(info.Object)
	if err != nil {
		return err
	}
	a := &awaited{plugin: p, info: info, uid: asked.UID, generation: asked.Generation, at: at}
	done, err := a.sees(info.Object)
	if done || err != nil {
		return err
	}
	helper := resource.NewHelper(info.Client, info.Mapping)
	watcher := &cache.ListWatch{WatchFuncWithContext: func(_ context.Context, options metav1.ListOptions) (watch.Interface, error) {
		options.FieldSelector = fields.OneTermEqualSelector(metav1.ObjectNameField, info.Name).String()
		return helper.Watch(info.Namespace, "", &options)
	}}
	_, err = watchtools.Until(ctx, info.ResourceVersion, watcher, func(event watch.Event) (bool, error) {
		switch event.Type {
		case watch.Deleted:
			return false, fmt.Errorf("%s was deleted", nameOf(info))
		case watch.Added, watch.Modified:
			return a.sees(event.Object)
		}
		return false, nil
	})
	if wait.Interrupted(err) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("timed out waiting for %s: %s", nameOf(info), a.printed)
	}
	return err
}

// awaited is an object that is waited for: this one with this spec and this request, not what replaces one of them.
type awaited struct {
	plugin     *plugin
	info       *resource.Info
	uid        types.UID
	generation int64
	at         string
	// handled is true from when the operator has done what was requested: others may request more then.
	handled bool
	printed string
}

// sees reports whether the wait is over. It is an error if no more waiting helps.
func (a *awaited) sees(found runtime.Object) (done bool, err error) {
	o, err := viewed(found)
	if err != nil {
		return false, err
	}
	a.handled = a.handled || o.Handled(a.at)
	if err := a.superseded(o); err != nil {
		return false, err
	}
	ready := o.Ready()
	a.print(ready)
	switch {
	case !a.handled || !o.Current():
		return false, nil
	case ready.Status == metav1.ConditionFalse:
		return false, fmt.Errorf("%s isn't ready. For the cause and the fix: kubectl aero why %s -n %s", nameOf(a.info), o, o.Namespace)
	}
	return ready.Status == metav1.ConditionTrue, nil
}

// superseded returns an error if the request won't be handled, or if what comes isn't its result.
func (a *awaited) superseded(o *view.Object) error {
	name := nameOf(a.info)
	switch {
	case o.UID != a.uid:
		return fmt.Errorf("%s was deleted, and another object has its name now", name)
	case o.DeletionTimestamp != nil:
		return fmt.Errorf("%s is being deleted", name)
	case o.Generation != a.generation:
		return fmt.Errorf("the spec of %s was edited meanwhile: request a reconcile of generation %d to wait for it", name, o.Generation)
	case !a.handled && !o.Requested(a.at):
		return fmt.Errorf("the request for %s was replaced by another one before the operator handled it: request a reconcile again", name)
	case o.Paused():
		return fmt.Errorf("%s is paused: resume it first", name)
	}
	return nil
}

// print prints Ready if it has changed, and before its first change whether the operator has begun.
func (a *awaited) print(ready metav1.Condition) {
	line := []table.Cell{{Text: "Ready="}, table.Status(ready.Status), {Text: " " + ready.Reason + ": " + ready.Message}}
	if !a.handled {
		line = []table.Cell{{Text: "waiting for the operator, Ready is still "}, table.Status(ready.Status)}
	}
	text := ""
	for _, c := range line {
		text += c.Text
	}
	if text == a.printed {
		return
	}
	a.printed = text
	a.plugin.say(a.info, line...)
}
