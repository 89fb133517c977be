package startup

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func parse(t *testing.T, args ...string) *Options {
	t.Helper()
	o, fs := &Options{}, flag.NewFlagSet("", flag.ContinueOnError)
	o.BindFlags(fs)
	require.NoError(t, fs.Parse(args))
	return o
}

func TestNamespacesAreSeparatedByCommas(t *testing.T) {
	t.Setenv("WATCHED_NAMESPACES", "c,, d")
	o := parse(t, "--aiven-operator-namespaces=a, b,")
	require.NoError(t, o.Complete())
	assert.Equal(t, []string{"a", "b"}, o.AivenOperatorNamespaces)
	assert.Equal(t, []string{"c", "d"}, o.Namespaces)
}

func TestAllNamespacesAreWatchedByDefault(t *testing.T) {
	t.Setenv("WATCHED_NAMESPACES", "")
	o := parse(t)
	require.NoError(t, o.Complete())
	assert.Nil(t, (&Namespaces{Names: o.Namespaces}).Watched())
}

func TestLeaderElectionRequiresANamespace(t *testing.T) {
	require.EqualError(t, parse(t, "--leader-elect").Complete(),
		"--leader-elect requires --leader-election-namespace outside a cluster")
	o := parse(t, "--leader-elect", "--leader-election-namespace=own")
	require.NoError(t, o.Complete())
	assert.Equal(t, "own", o.LeaseNamespace)
}
