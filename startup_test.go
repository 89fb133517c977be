package main

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/aero-operator/aero/internal/startup"
)

// caches fill when the channel is closed.
type caches chan struct{}

func (c caches) WaitForCacheSync(ctx context.Context) bool {
	select {
	case <-c:
		return true
	case <-ctx.Done():
		return false
	}
}

func TestReadyIsWhoseCachesAreFilled(t *testing.T) {
	filled := make(caches)
	check := synced(filled, &startup.Watches{Now: time.Now})
	require.ErrorContains(t, check(t.Context()), "the caches aren't filled yet")
	close(filled)
	require.NoError(t, check(t.Context()))
}

func TestWhereTheReferenceOperatorIsLookedFor(t *testing.T) {
	cases := map[string]struct {
		options options
		where   []string
	}{
		"everywhere if the manager works everywhere":                      {options{leaseNamespace: "own"}, nil},
		"where the manager works, and in its own namespace":               {options{namespaces: []string{"a", "b"}, leaseNamespace: "own"}, []string{"a", "b", "own"}},
		"once if its own namespace is one of them":                        {options{namespaces: []string{"own"}, leaseNamespace: "own"}, []string{"own"}},
		"where the manager works if it has no namespace":                  {options{namespaces: []string{"a"}}, []string{"a"}},
		"where a flag says, wherever the manager works":                   {options{namespaces: []string{"a"}, referenceNamespaces: []string{"there"}}, []string{"there"}},
		"where a flag says although the manager may look for it anywhere": {options{referenceNamespaces: []string{"there"}}, []string{"there"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var s start
			require.NoError(t, s.addLeases(&tc.options, fake.NewClientset().CoordinationV1()))
			assert.Equal(t, tc.where, s.reference.Namespaces)
			assert.Len(t, s.checks, 1)
		})
	}
}

func TestLeaderElectionNeedsANamespace(t *testing.T) {
	var s start
	leases := fake.NewClientset().CoordinationV1()
	require.EqualError(t, s.addLeases(&options{leaderElect: true}, leases),
		"--leader-elect needs --leader-election-namespace outside of a cluster")
	require.NoError(t, s.addLeases(&options{leaderElect: true, leaseNamespace: "own"}, leases))
	assert.Len(t, s.checks, 2, "our own lease, and that of the reference operator")
}

func TestTheFlagTakesNamespaces(t *testing.T) {
	o, err := parse([]string{"--reference-namespaces=a, b,"})
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, o.referenceNamespaces)
}
