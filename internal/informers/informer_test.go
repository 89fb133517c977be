package informers

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	toolscache "k8s.io/client-go/tools/cache"
	fcache "k8s.io/client-go/tools/cache/testing"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// clusters is a cache whose informers are fed by sources, by whether they are of metadata alone.
type clusters struct {
	cache.Cache
	informers map[bool]*counting
	lists     int
	err       error
}

func (c *clusters) List(context.Context, client.ObjectList, ...client.ListOption) error {
	c.lists++
	return c.err
}

func (c *clusters) GetInformer(_ context.Context, obj client.Object, _ ...cache.InformerGetOption) (cache.Informer, error) {
	_, metadata := obj.(*metav1.PartialObjectMetadata)
	return c.informers[metadata], c.err
}

func (c *clusters) RemoveInformer(context.Context, client.Object) error { return c.err }

// counting counts the listeners of an informer.
type counting struct {
	toolscache.SharedIndexInformer
	listeners int
	err       error
}

func (c *counting) AddEventHandlerWithOptions(
	handler toolscache.ResourceEventHandler, options toolscache.HandlerOptions,
) (toolscache.ResourceEventHandlerRegistration, error) {
	c.listeners++
	if c.err != nil {
		return nil, c.err
	}
	return c.SharedIndexInformer.AddEventHandlerWithOptions(handler, options)
}

// events are what a handler got, in order.
type events chan string

func newEvents() events { return make(events, 100) }

func (e events) OnAdd(obj any, initial bool) {
	e <- map[bool]string{true: "has ", false: "add "}[initial] + obj.(client.Object).GetName()
}
func (e events) OnUpdate(_, after any) { e <- "update " + after.(client.Object).GetName() }
func (e events) OnDelete(obj any)      { e <- "delete " + obj.(client.Object).GetName() }

func (e events) next(t *testing.T) string {
	t.Helper()
	select {
	case event := <-e:
		return event
	case <-time.After(10 * time.Second):
		require.Fail(t, "no event came")
		return ""
	}
}

func secret(name string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: name}}
}

// started is a cache with an informer that has synced, and the source of its objects.
func started(t *testing.T, exist ...runtime.Object) (cache.Cache, *counting, *fcache.FakeControllerSource) {
	t.Helper()
	scheme := runtime.NewScheme()
	require.NoError(t, corev1.AddToScheme(scheme))
	source := fcache.NewFakeControllerSource()
	for _, obj := range exist {
		source.Add(obj)
	}
	inner := &counting{SharedIndexInformer: toolscache.NewSharedIndexInformer(source, &corev1.Secret{}, 0, toolscache.Indexers{})}
	go inner.RunWithContext(t.Context())
	require.Eventually(t, inner.HasSynced, 10*time.Second, time.Millisecond)
	return Share(&clusters{informers: map[bool]*counting{false: inner, true: {}}}, scheme), inner, source
}

func informerOf(t *testing.T, c cache.Cache) cache.Informer {
	t.Helper()
	got, err := c.GetInformer(t.Context(), &corev1.Secret{})
	require.NoError(t, err)
	return got
}

func TestHandlersOfAnInformerShareAListenerAndGetTheSameEvents(t *testing.T) {
	c, inner, source := started(t, secret("first"))
	all := []events{newEvents(), newEvents(), newEvents()}
	for i, handler := range all {
		added, err := informerOf(t, c).AddEventHandler(handler)
		require.NoError(t, err)
		assert.Equal(t, "has first", handler.next(t), "handler %d gets what exists", i)
		require.Eventually(t, added.HasSynced, 10*time.Second, time.Millisecond)
	}
	assert.Equal(t, 1, inner.listeners)
	source.Add(secret("second"))
	source.Modify(secret("first"))
	source.Delete(secret("second"))
	for _, handler := range all {
		for _, want := range []string{"add second", "update first", "delete second"} {
			assert.Equal(t, want, handler.next(t))
		}
	}
	late := newEvents()
	_, err := informerOf(t, c).AddEventHandlerWithOptions(late, toolscache.HandlerOptions{})
	require.NoError(t, err)
	assert.Equal(t, "has first", late.next(t))
	assert.Empty(t, late, "what was deleted isn't there")
}

func TestAHandlerThatIsRemovedGetsNothing(t *testing.T) {
	c, _, source := started(t)
	shared, removed, kept := informerOf(t, c), newEvents(), newEvents()
	handle, err := shared.AddEventHandler(removed)
	require.NoError(t, err)
	_, err = shared.AddEventHandler(kept)
	require.NoError(t, err)
	require.NoError(t, shared.RemoveEventHandler(handle))
	source.Add(secret("first"))
	assert.Equal(t, "add first", kept.next(t))
	assert.Empty(t, removed)
}

func TestAHandlerWithAResyncPeriodHasAListenerOfItsOwn(t *testing.T) {
	c, inner, source := started(t)
	shared, own, period := informerOf(t, c), newEvents(), time.Hour
	handle, err := shared.AddEventHandlerWithOptions(own, toolscache.HandlerOptions{ResyncPeriod: &period})
	require.NoError(t, err)
	_, err = shared.AddEventHandler(newEvents())
	require.NoError(t, err)
	assert.Equal(t, 2, inner.listeners)
	source.Add(secret("first"))
	assert.Equal(t, "add first", own.next(t))
	require.NoError(t, shared.RemoveEventHandler(handle))
}

func TestADeletionThatWasMissedIsKnown(t *testing.T) {
	i := newInformer(nil)
	l, got := (*listener)(i), []any{}
	i.handlers = []*registration{{handler: toolscache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) { got = append(got, obj) }}}}
	l.OnAdd(secret("first"), true)
	require.Len(t, i.known, 1)
	tombstone := toolscache.DeletedFinalStateUnknown{Key: "apps/first", Obj: secret("first")}
	l.OnDelete(tombstone)
	assert.Empty(t, i.known)
	assert.Equal(t, []any{tombstone}, slices.Clip(got))
}

func TestInformersAreByKindAndForm(t *testing.T) {
	c, inner, _ := started(t)
	metadata := &metav1.PartialObjectMetadata{}
	metadata.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	of, err := c.GetInformer(t.Context(), metadata)
	require.NoError(t, err)
	assert.Same(t, informerOf(t, c), informerOf(t, c))
	assert.NotSame(t, informerOf(t, c), of)
	before := informerOf(t, c)
	require.NoError(t, c.RemoveInformer(t.Context(), &corev1.Secret{}))
	assert.NotSame(t, before, informerOf(t, c), "the next one is another")
	inner.err = errors.New("stopped")
	_, err = informerOf(t, c).AddEventHandler(newEvents())
	assert.ErrorContains(t, err, "adding the listener of an informer: stopped")
}

func TestErrorsOfTheCacheArePassedOn(t *testing.T) {
	scheme := runtime.NewScheme()
	c := Share(&clusters{err: errors.New("boom")}, scheme)
	_, err := c.GetInformer(t.Context(), &corev1.Secret{})
	require.ErrorContains(t, err, "finding the GroupVersionKind of an informer")
	require.ErrorContains(t, c.RemoveInformer(t.Context(), &corev1.Secret{}), "finding the GroupVersionKind of an informer")
	require.NoError(t, corev1.AddToScheme(scheme))
	_, err = c.GetInformer(t.Context(), &corev1.Secret{})
	require.ErrorContains(t, err, "getting the informer of Secret: boom")
	require.ErrorContains(t, c.RemoveInformer(t.Context(), &corev1.Secret{}), "boom")
}

func TestAnInformerThatHasStoppedTakesNoHandler(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	inner := &counting{SharedIndexInformer: toolscache.NewSharedIndexInformer(fcache.NewFakeControllerSource(), &corev1.Secret{}, 0, toolscache.Indexers{})}
	stopped := make(chan struct{})
	go func() { inner.RunWithContext(ctx); close(stopped) }()
	i := newInformer(inner)
	_, err := i.AddEventHandler(newEvents())
	require.NoError(t, err)
	stop()
	<-stopped
	_, err = i.AddEventHandler(newEvents())
	assert.ErrorIs(t, err, errStopped)
}
