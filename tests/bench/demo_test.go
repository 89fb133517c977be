package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheTimeOfTheDemoIsRead(t *testing.T) {
	seconds, calls, err := demoTook("   ✓ The folder /tmp/aero-demo-1 is gone\n\n   Done in 118 seconds, with 56 calls to Aiven.\n   Read next: ...\n")
	require.NoError(t, err)
	assert.InDelta(t, 118, seconds, 0)
	assert.Equal(t, "56 calls to Aiven", calls)
	limit, limited := budgetOf(measuredDemo)
	require.True(t, limited)
	assert.True(t, limit.allows(seconds))
	assert.False(t, limit.allows(seconds+3), "two minutes")
	_, _, err = demoTook("✗ Aiven isn't there\n")
	require.ErrorContains(t, err, "Aiven isn't there")
}
