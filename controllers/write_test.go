package controllers

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/aero-operator/aero/api/v1alpha1"
)

func TestP05_ANewLeaderReadsWhatTheOneBeforeItHasWritten(t *testing.T) {
	w := newWorld(t, &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "orders"}})
	cached, read := &v1alpha1.Database{}, &v1alpha1.Database{}
	require.NoError(t, w.cluster.Get(t.Context(), w.key, cached))
	written := cached.DeepCopy()
	written.Annotations = map[string]string{"by": "the leader before"}
	require.NoError(t, w.cluster.Update(t.Context(), written))
	w.engine.client = interceptor.NewClient(w.cluster, interceptor.Funcs{
		Get: func(_ context.Context, _ client.WithWatch, _ client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
			cached.DeepCopyInto(obj.(*v1alpha1.Database))
			return nil
		},
	})
	for range 2 { // as long as the cache hasn't caught up
		require.NoError(t, w.engine.get(t.Context(), w.key, read))
		assert.Equal(t, written.Annotations, read.Annotations)
	}
}
