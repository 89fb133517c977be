package informers

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	fcache "k8s.io/client-go/tools/cache/testing"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestAnIndexFindsObjectsInAllNamespaces has the cache of controller-runtime read by the keys that are written here.
func TestAnIndexFindsObjectsInAllNamespaces(t *testing.T) {
	scheme := runtime.NewScheme()
	require.NoError(t, corev1.AddToScheme(scheme))
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(corev1.SchemeGroupVersion.WithKind("Secret"), meta.RESTScopeNamespace)
	source := fcache.NewFakeControllerSource()
	for _, at := range []client.ObjectKey{{Namespace: "apps", Name: "red"}, {Namespace: "far", Name: "red"}, {Namespace: "apps", Name: "blue"}} {
		one := secret(at.Name)
		one.Namespace = at.Namespace
		source.Add(one)
	}
	var informer toolscache.SharedIndexInformer
	c, err := NewCache(&rest.Config{Host: "http://127.0.0.1"}, cache.Options{
		Scheme: scheme, Mapper: mapper,
		NewInformer: func(_ toolscache.ListerWatcher, obj runtime.Object, resync time.Duration, indexers toolscache.Indexers) toolscache.SharedIndexInformer {
			informer = toolscache.NewSharedIndexInformer(source, obj, resync, indexers)
			return informer
		},
	})
	require.NoError(t, err)
	require.NoError(t, c.IndexField(t.Context(), &corev1.Secret{}, "name", func(obj client.Object) []string { return []string{obj.GetName()} }))
	go func() { _ = c.Start(t.Context()) }()
	require.True(t, c.WaitForCacheSync(t.Context()))

	listed := func(options ...client.ListOption) ([]string, error) {
		var list corev1.SecretList
		err := c.List(t.Context(), &list, options...)
		var names []string
		for i := range list.Items {
			names = append(names, client.ObjectKeyFromObject(&list.Items[i]).String())
		}
		return names, err
	}
	got, err := listed(client.MatchingFields{"name": "red"})
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{"apps/red", "far/red"}, got)
	got, err = listed(client.InNamespace("far"))
	require.NoError(t, err)
	assert.Equal(t, []string{"far/red"}, got)
	_, err = listed(client.InNamespace("far"), client.MatchingFields{"name": "red"})
	require.ErrorIs(t, err, errNotInNamespace, "no object would be found")
	got, err = listed(client.MatchingFields{"name": "green"})
	require.NoError(t, err)
	assert.Empty(t, got)
	assert.Len(t, informer.GetIndexer().ListIndexFuncValues(indexPrefix+"name"), 2, "one key for each value")
}

func TestAListByAnIndexThatHasNoneReadsNothing(t *testing.T) {
	scheme := runtime.NewScheme()
	require.NoError(t, corev1.AddToScheme(scheme))
	informer := toolscache.NewSharedIndexInformer(fcache.NewFakeControllerSource(), &corev1.Secret{}, 0, toolscache.Indexers{})
	inner := &clusters{informers: map[bool]*counting{
		false: {SharedIndexInformer: informer},
		true:  {SharedIndexInformer: toolscache.NewSharedIndexInformer(fcache.NewFakeControllerSource(), &metav1.PartialObjectMetadata{}, 0, toolscache.Indexers{})},
	}}
	c := Share(inner, scheme)
	byName := func(obj client.Object) []string { return []string{obj.GetName()} }
	metadata := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}}
	require.NoError(t, c.IndexField(t.Context(), metadata, "name", byName))
	require.NoError(t, c.IndexField(t.Context(), &corev1.Secret{}, "name", byName))
	require.NoError(t, c.IndexField(t.Context(), metadata, "uid", byName), "which is another informer's")
	find := func(options ...client.ListOption) (lists int) {
		before := inner.lists
		list := corev1.SecretList{Items: make([]corev1.Secret, 1)}
		require.NoError(t, c.List(t.Context(), &list, options...))
		if inner.lists == before {
			assert.Empty(t, list.Items, "the former content")
		}
		return inner.lists - before
	}
	red := client.MatchingFields{"name": "red"}
	assert.Equal(t, 1, find(red), "the cache below waits until it has synced")
	go informer.Run(t.Context().Done())
	require.True(t, toolscache.WaitForCacheSync(t.Context().Done(), informer.HasSynced))
	assert.Zero(t, find(red))
	assert.Equal(t, 1, find(), "all of them")
	assert.Equal(t, 1, find(client.MatchingFields{"other": "red"}), "no index, which is for the cache below to say")
	assert.Equal(t, 1, find(client.MatchingFields{"name": "red", "other": "red"}), "more than one field")
	require.NoError(t, c.RemoveInformer(t.Context(), metadata))
	assert.Zero(t, find(red), "another informer is gone")
	require.NoError(t, informer.GetIndexer().Add(secret("red")))
	assert.Equal(t, 1, find(red), "there is one")
	require.NoError(t, informer.GetIndexer().Delete(secret("red")))
	require.NoError(t, c.RemoveInformer(t.Context(), &corev1.Secret{}))
	assert.Equal(t, 1, find(red), "the informer is gone")
}

func TestAnIndexNeedsTheInformer(t *testing.T) {
	c := Share(&clusters{err: errors.New("down")}, runtime.NewScheme())
	require.ErrorContains(t, c.IndexField(t.Context(), &corev1.Secret{}, "name", nil), "down")
}
