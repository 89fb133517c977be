package main

import (
	"context"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
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
	check := synced(filled)
	request := httptest.NewRequestWithContext(t.Context(), "GET", "/readyz", nil)
	require.ErrorContains(t, check(request), "the caches aren't filled yet")
	close(filled)
	require.NoError(t, check(request))
}
