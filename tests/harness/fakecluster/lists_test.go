package fakecluster

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

func TestAListByAFieldHasWhatIsIndexedUnderItsValue(t *testing.T) {
	l := newLists()
	l.index(&corev1.Secret{}, "keys", func(obj client.Object) []string {
		var keys []string
		for key := range obj.(*corev1.Secret).Data {
			keys = append(keys, key)
		}
		return keys
	})
	c := interceptor.NewClient(fake.NewClientBuilder().Build(), l.writes())
	with := func(key string) (names []string) {
		var list corev1.SecretList
		require.NoError(t, c.List(t.Context(), &list, client.MatchingFields{"keys": key}))
		for i := range list.Items {
			names = append(names, list.Items[i].Name)
		}
		return names
	}
	a := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "a"}, Data: map[string][]byte{"one": nil, "two": nil}}
	require.NoError(t, c.Create(t.Context(), a))
	require.NoError(t, c.Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "b"}, Data: map[string][]byte{"two": nil}}))
	assert.Equal(t, []string{"a"}, with("one"))
	assert.Equal(t, []string{"a", "b"}, with("two"))
	assert.Empty(t, with("three"))
	a.Data = map[string][]byte{"three": nil}
	require.NoError(t, c.Update(t.Context(), a))
	assert.Equal(t, []string{"a"}, with("three"))
	assert.Equal(t, []string{"b"}, with("two"))
}
