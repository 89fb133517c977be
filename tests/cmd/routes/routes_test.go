package main

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestThePageIsCurrent(t *testing.T) {
	all, err := operations()
	require.NoError(t, err)
	written, err := os.ReadFile("../../../docs/contributor/localaiven-routes.md")
	require.NoError(t, err)
	assert.Equal(t, page(all), string(written), "run make routes")
}

func TestTheClientsMethodsAreFound(t *testing.T) {
	all, err := operations()
	require.NoError(t, err)
	for _, want := range []operation{
		{"ServiceUserGet", "GET", "/v1/project/{}/service/{}/user/{}", true},
		{"ServiceKafkaTopicListV2", "POST", "/v2/project/{}/service/{}/topic", true},
		{"ListClouds", "GET", "/v1/clouds", false},
	} {
		at := slices.IndexFunc(all, func(o operation) bool { return o.id == want.id })
		require.GreaterOrEqual(t, at, 0, want.id)
		assert.Equal(t, want, all[at])
	}
}
