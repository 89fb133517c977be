package startup

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/kubernetes/fake"
)

// caches sync when the channel is closed.
type caches chan struct{}

func (c caches) WaitForCacheSync(ctx context.Context) bool {
	select {
	case <-c:
		return true
	case <-ctx.Done():
		return false
	}
}

func TestAManagerIsReadyOnceItsCachesHaveSynced(t *testing.T) {
	cache := make(caches)
	check := synced(cache, &Watches{Now: time.Now})
	require.ErrorContains(t, check(t.Context()), "the caches have not synced")
	close(cache)
	require.NoError(t, check(t.Context()))
}

func TestNamespacesThatAreSearchedForAivenOperatorsLease(t *testing.T) {
	cases := map[string]struct {
		options Options
		want    []string
	}{
		"all, if the manager watches all":           {Options{LeaseNamespace: "own"}, nil},
		"the watched ones, and that of the manager": {Options{Namespaces: []string{"a", "b"}, LeaseNamespace: "own"}, []string{"a", "b", "own"}},
		"one only once":                                 {Options{Namespaces: []string{"own"}, LeaseNamespace: "own"}, []string{"own"}},
		"the watched ones outside a cluster":            {Options{Namespaces: []string{"a"}}, []string{"a"}},
		"those of the flag instead of the watched ones": {Options{Namespaces: []string{"a"}, AivenOperatorNamespaces: []string{"there"}}, []string{"there"}},
		"those of the flag instead of all":              {Options{AivenOperatorNamespaces: []string{"there"}}, []string{"there"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var s Supervisor
			s.addLeases(&tc.options, fake.NewClientset().CoordinationV1())
			assert.Equal(t, tc.want, s.aivenOperator.Namespaces)
			assert.Len(t, s.checks, 1)
		})
	}
}

func TestLeaderElectionAddsACheck(t *testing.T) {
	var s Supervisor
	s.addLeases(&Options{LeaderElect: true, LeaseNamespace: "own"}, fake.NewClientset().CoordinationV1())
	assert.Len(t, s.checks, 2, "our own lease, and that of aiven-operator")
}
