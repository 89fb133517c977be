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
		"the manager's own, and the usual one":       {Options{LeaseNamespace: "own"}, []string{"own", "aiven-operator-system"}},
		"the usual one only once":                    {Options{LeaseNamespace: "aiven-operator-system"}, []string{"aiven-operator-system"}},
		"the usual one outside a cluster":            {Options{Namespaces: []string{"a"}}, []string{"aiven-operator-system"}},
		"the manager's own, with watched ones":       {Options{Namespaces: []string{"a"}, LeaseNamespace: "own"}, []string{"own"}},
		"those of the flag instead of the manager's": {Options{LeaseNamespace: "own", AivenOperatorNamespaces: []string{"there"}}, []string{"there"}},
		"those of the flag, with watched ones":       {Options{Namespaces: []string{"a"}, AivenOperatorNamespaces: []string{"there"}}, []string{"there"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := Supervisor{namespaces: &Namespaces{}}
			s.addLeases(&tc.options, fake.NewClientset().CoordinationV1(), fake.NewClientset().CoreV1())
			assert.Equal(t, tc.want, s.aivenOperator.Namespaces)
			assert.Len(t, s.checks, 1)
		})
	}
}

func TestLeaderElectionAddsACheck(t *testing.T) {
	s := Supervisor{namespaces: &Namespaces{}}
	s.addLeases(&Options{LeaderElect: true, LeaseNamespace: "own"}, fake.NewClientset().CoordinationV1(), fake.NewClientset().CoreV1())
	assert.Len(t, s.checks, 2, "our own lease, and that of aiven-operator")
}
