package postgres

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMajor(t *testing.T) {
	for version, want := range map[string]int{"15": 15, "15.4": 15, "pgsql-16": 16, "postgresql@17": 17, "": 0, "usr": 0} {
		assert.Equal(t, want, major(version), "of %q", version)
	}
}

func TestVerifies(t *testing.T) {
	stored, err := verifier("pass:w$rd")
	require.NoError(t, err)
	assert.True(t, verifies(stored, "pass:w$rd"))
	assert.False(t, verifies(stored, "password"))
	assert.False(t, verifies("md5abc", "password"))
	again, err := verifier("pass:w$rd")
	require.NoError(t, err)
	assert.NotEqual(t, stored, again, "the salt is random")
}
