package enqueue_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/controllers/internal/enqueue"
)

const index = "house"

// A ConfigMap plays an object that lives in a house.
func tenant(namespace, name, house string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: map[string]string{index: house},
	}
}

func house(obj client.Object) string { return obj.(*corev1.ConfigMap).Data[index] }

func tenants(t *testing.T, objects ...client.Object) enqueue.Lister {
	t.Helper()
	reader := fake.NewClientBuilder().WithObjects(objects...).
		WithIndex(&corev1.ConfigMap{}, index, func(obj client.Object) []string { return []string{house(obj)} }).Build()
	return enqueue.Lister{Reader: reader, Kind: corev1.SchemeGroupVersion.WithKind("ConfigMap"), Scheme: reader.Scheme()}
}

// drain returns what a handler has put into the queue.
func drain(queue enqueue.Queue) []string {
	var names []string
	for queue.Len() > 0 {
		request, _ := queue.Get()
		names = append(names, request.String())
		queue.Done(request)
	}
	return names
}

func newQueue(t *testing.T) enqueue.Queue {
	t.Helper()
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	t.Cleanup(queue.ShutDown)
	return queue
}

func TestI03_AnEventEnqueuesTheObjectsOfItsNamespace(t *testing.T) {
	finder := tenants(t, tenant("apps", "a", "apps/red"), tenant("apps", "b", "apps/blue"), tenant("far", "c", "far/red"))
	queue := newQueue(t)
	finder.ForName(index).Create(t.Context(), event.CreateEvent{Object: tenant("apps", "red", "")}, queue)
	assert.Equal(t, []string{"apps/a"}, drain(queue))
}

func TestAnObjectThatIsRenamedOrDeletedEnqueuesThoseOfItsFormerName(t *testing.T) {
	finder := tenants(t, tenant("apps", "a", "red"), tenant("far", "c", "red"), tenant("far", "d", "blue"))
	queue := newQueue(t)
	handler := finder.OnPreviousValue(index, house)
	handler.Create(t.Context(), event.CreateEvent{Object: tenant("apps", "x", "red")}, queue)
	handler.Update(t.Context(), event.UpdateEvent{
		ObjectOld: tenant("apps", "x", "red"), ObjectNew: tenant("apps", "x", "red"),
	}, queue)
	assert.Empty(t, drain(queue), "nothing was given up")
	handler.Update(t.Context(), event.UpdateEvent{
		ObjectOld: tenant("apps", "x", "red"), ObjectNew: tenant("apps", "x", "blue"),
	}, queue)
	assert.ElementsMatch(t, []string{"apps/a", "far/c"}, drain(queue))
	handler.Delete(t.Context(), event.DeleteEvent{Object: tenant("apps", "x", "blue")}, queue)
	assert.Equal(t, []string{"far/d"}, drain(queue))
	handler.Delete(t.Context(), event.DeleteEvent{Object: tenant("apps", "x", "")}, queue)
	assert.Empty(t, drain(queue), "it had nothing to give up")
}

func TestAnObjectThatIsEditedOrGoesEnqueuesItsSiblings(t *testing.T) {
	finder := tenants(t, tenant("apps", "a", "red"), tenant("far", "c", "red"), tenant("far", "d", "blue"))
	edited := func(house string, generation int64) *corev1.ConfigMap {
		obj := tenant("apps", "a", house)
		obj.Generation = generation
		return obj
	}
	queue := newQueue(t)
	handler := finder.ForSiblings(index, func(obj client.Object) []string { return []string{house(obj)} })
	handler.Create(t.Context(), event.CreateEvent{Object: edited("red", 1)}, queue)
	handler.Update(t.Context(), event.UpdateEvent{ObjectOld: edited("red", 1), ObjectNew: edited("red", 1)}, queue)
	assert.Empty(t, drain(queue), "others lose nothing by what begins, or by a status")
	handler.Update(t.Context(), event.UpdateEvent{ObjectOld: edited("red", 1), ObjectNew: edited("blue", 2)}, queue)
	assert.ElementsMatch(t, []string{"far/c", "far/d"}, drain(queue))
	handler.Delete(t.Context(), event.DeleteEvent{Object: edited("red", 2)}, queue)
	assert.Equal(t, []string{"far/c"}, drain(queue))
}

func TestWhatAnObjectNoLongerNamesIsEnqueued(t *testing.T) {
	queue := newQueue(t)
	enqueue.ForPreviousName(house).Update(t.Context(), event.UpdateEvent{
		ObjectOld: tenant("apps", "x", "red"), ObjectNew: tenant("apps", "x", ""),
	}, queue)
	assert.Equal(t, []string{"apps/red"}, drain(queue))
	enqueue.ForPreviousNameIn("aero-system", house).Delete(t.Context(), event.DeleteEvent{Object: tenant("apps", "x", "red")}, queue)
	assert.Equal(t, []string{"aero-system/red"}, drain(queue))
}

func TestFindSaysWhatItCouldNotDo(t *testing.T) {
	scheme := runtime.NewScheme()
	odd := schema.GroupVersionKind{Version: "v1", Kind: "Odd"}
	scheme.AddKnownTypeWithName(odd.GroupVersion().WithKind("OddList"), &corev1.Pod{})
	failing := interceptor.NewClient(fake.NewClientBuilder().Build(), interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
			return errors.New("boom")
		},
	})
	cases := map[string]enqueue.Lister{
		"making a list of Odd":    {Kind: odd, Scheme: runtime.NewScheme()},
		"the list of Odd is none": {Kind: odd, Scheme: scheme},
		"listing ConfigMap: boom": {Kind: corev1.SchemeGroupVersion.WithKind("ConfigMap"), Scheme: failing.Scheme(), Reader: failing},
	}
	for says, finder := range cases {
		t.Run(says, func(t *testing.T) {
			_, err := finder.List(t.Context())
			require.ErrorContains(t, err, says)
			assert.Empty(t, finder.Requests(t.Context()), "timers do the rest")
		})
	}
}

func TestAHandlerDoesNotWaitForACacheThatHasNotSynced(t *testing.T) {
	synced := false
	lister := enqueue.Lister{
		Kind: corev1.SchemeGroupVersion.WithKind("Pod"), Scheme: clientgoscheme.Scheme, Reader: fake.NewClientBuilder().WithObjects(&corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "x"},
		}).Build(), Synced: func() bool { return synced },
	}
	assert.Empty(t, lister.Requests(t.Context()), "each is enqueued once the cache has it")
	synced = true
	assert.Len(t, lister.Requests(t.Context()), 1)
}
