package secretcontroller

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllertest"

	"github.com/aero-operator/aero/controllers/internal/connectionsecret"
)

// served is a mapper of a cluster that begins to serve grants.
type served struct {
	meta.RESTMapper
	asked int
	err   error
}

func (s *served) RESTMapping(schema.GroupKind, ...string) (*meta.RESTMapping, error) {
	s.asked++
	return &meta.RESTMapping{}, s.err
}

func TestGrantsAreWatchedOnceTheClusterServesThem(t *testing.T) {
	now, starts := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC), 0
	cluster := &served{err: &meta.NoKindMatchError{}}
	g := &grants{
		mapper: cluster, cache: &informertest.FakeInformers{Scheme: runtime.NewScheme()}, ask: time.Minute,
		watches: func(namespace string) bool { return namespace == "data" },
		now:     func() time.Time { return now },
		start:   func() error { starts++; return nil },
	}
	in := func(namespace string) error {
		_, err := g.In(t.Context(), namespace)
		return err
	}
	require.NoError(t, in("unwatched"))
	assert.Zero(t, cluster.asked)
	require.ErrorIs(t, in("data"), ErrUnserved)
	cluster.err = nil
	now = now.Add(59 * time.Second)
	require.ErrorIs(t, in("data"), ErrUnserved)
	assert.Equal(t, 1, cluster.asked, "it costs two calls of discovery")
	now = now.Add(time.Second)
	require.NoError(t, in("data"))
	require.NoError(t, in("data"))
	assert.Equal(t, 2, cluster.asked)
	assert.Equal(t, 1, starts)
}

func TestAWorkerDoesNotWaitForGrants(t *testing.T) {
	unread := controllertest.NewFakeInformer()
	g := &grants{
		cache: &informertest.FakeInformers{
			Scheme:         runtime.NewScheme(),
			InformersByGVK: map[schema.GroupVersionKind]toolscache.SharedIndexInformer{connectionsecret.GrantKind: unread},
		},
		watches: func(string) bool { return true }, started: true,
	}
	_, err := g.In(t.Context(), "data")
	require.ErrorIs(t, err, ErrUnread)
}

func TestAWatchThatCannotStartIsTriedAgain(t *testing.T) {
	broken := errors.New("broken")
	g := &grants{
		mapper: &served{}, cache: &informertest.FakeInformers{Scheme: runtime.NewScheme()},
		watches: func(string) bool { return true }, now: time.Now, start: func() error { return broken },
	}
	for range 2 {
		_, err := g.In(t.Context(), "data")
		require.ErrorIs(t, err, broken)
	}
}
