package informers

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
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
	assert.Len(t, informer.GetIndexer().ListIndexFuncValues(indexPrefix+"name"), 2, "one key for each value")
}

func TestAnIndexNeedsTheInformer(t *testing.T) {
	c := Share(&clusters{err: errors.New("down")}, runtime.NewScheme())
	require.ErrorContains(t, c.IndexField(t.Context(), &corev1.Secret{}, "name", nil), "down")
}
