package connection

import (
	"errors"
	"fmt"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
)

func TestHowAPublishEndsIsCounted(t *testing.T) {
	for result, tc := range map[string]struct {
		changed bool
		err     error
	}{
		publishWritten:   {changed: true},
		publishUnchanged: {},
		publishForeign:   {err: fmt.Errorf("publishing: %w", &OwnershipError{})},
		publishPending:   {err: fmt.Errorf("publishing: %w", &PendingError{})},
		publishFailed:    {changed: true, err: errors.New("the API server is away")},
	} {
		t.Run(result, func(t *testing.T) {
			before := testutil.CollectAndCount(publishesTotal)
			countPublish(t.Name(), tc.changed, tc.err)
			assert.Equal(t, before+1, testutil.CollectAndCount(publishesTotal), "one result and no other")
			assert.InDelta(t, 1, testutil.ToFloat64(publishesTotal.WithLabelValues(t.Name(), result)), 0)
		})
	}
}
