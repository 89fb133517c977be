package migrate

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// kindWatch records what happens to CRDs.
type kindWatch struct {
	*testenv.Env
	events watch.Interface
}

func watchKinds(t *testing.T, e *testenv.Env) *kindWatch {
	t.Helper()
	events, err := e.Client.Watch(context.WithoutCancel(t.Context()), crdList())
	require.NoError(t, err)
	t.Cleanup(events.Stop)
	return &kindWatch{e, events}
}

// nothingWasDeleted checks each state that a CRD ever had, until it has seen all as they are now.
func (w *kindWatch) nothingWasDeleted() {
	w.T.Helper()
	awaited := map[string]string{}
	list := crdList()
	require.NoError(w.T, w.Client.List(w.T.Context(), list))
	for _, crd := range list.Items {
		if strings.HasSuffix(crd.Name, "."+v1alpha1.GroupVersion.Group) {
			awaited[crd.Name] = crd.ResourceVersion
		}
	}
	require.Len(w.T, awaited, len(aivenOperatorKinds()))
	for len(awaited) > 0 {
		event, open := <-w.events.ResultChan()
		require.True(w.T, open, "the watch has ended")
		crd, is := event.Object.(client.Object)
		require.True(w.T, is, "%v", event.Object)
		assert.NotEqual(w.T, watch.Deleted, event.Type, crd.GetName())
		assert.Nil(w.T, crd.GetDeletionTimestamp(), crd.GetName())
		if awaited[crd.GetName()] == crd.GetResourceVersion() {
			delete(awaited, crd.GetName())
		}
	}
}
