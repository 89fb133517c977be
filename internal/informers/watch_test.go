package informers

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"
)

// late is a watch with an event on its way when it is stopped.
type late struct {
	events chan watch.Event
	ended  chan struct{}
}

func (l late) ResultChan() <-chan watch.Event { return l.events }

func (l late) Stop() {
	go func() {
		l.events <- watch.Event{Type: watch.Added, Object: secret("late")}
		close(l.events)
		close(l.ended)
	}()
}

func TestAWatchThatIsStoppedEndsAlsoWithAnEventOnItsWay(t *testing.T) {
	source := late{make(chan watch.Event), make(chan struct{})}
	var failure error
	lists := &toolscache.ListWatch{WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) {
		return source, failure
	}}
	newSharedInformer(lists, &corev1.Secret{}, 0, toolscache.Indexers{})
	started, err := lists.WatchWithContext(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	started.Stop()
	select {
	case <-source.ended:
	case <-time.After(10 * time.Second):
		require.Fail(t, "the watch waits until its event is received")
	}
	failure = errors.New("down")
	_, err = lists.WatchWithContext(t.Context(), metav1.ListOptions{})
	require.ErrorIs(t, err, failure)
}
