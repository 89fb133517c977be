package connection

import (
	"errors"
	"fmt"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHowAPublishEndsIsCounted(t *testing.T) {
	for result, tc := range map[string]struct {
		changed bool
		err     error
	}{
		publishWritten:      {changed: true},
		publishUnchanged:    {},
		publishOwnedByOther: {err: fmt.Errorf("publishing: %w", &OwnershipError{})},
		publishPending:      {err: fmt.Errorf("publishing: %w", &PendingError{})},
		publishFailed:       {changed: true, err: errors.New("the API server is away")},
	} {
		t.Run(result, func(t *testing.T) {
			before := testutil.CollectAndCount(publishesTotal)
			countPublish(t.Name(), tc.changed, tc.err)
			assert.Equal(t, before+1, testutil.CollectAndCount(publishesTotal), "one result and no other")
			assert.InDelta(t, 1, testutil.ToFloat64(publishesTotal.WithLabelValues(t.Name(), result)), 0)
		})
	}
}

func TestEachPublishIsCountedOnce(t *testing.T) {
	count := func(result string) float64 {
		return testutil.ToFloat64(publishesTotal.WithLabelValues(kafkaKind.Kind, result))
	}
	written, unchanged := count(publishWritten), count(publishUnchanged)
	b := newBench(t)
	for range 3 {
		_, err := b.publish(t, target, kafkaDetails)
		require.NoError(t, err)
	}
	_, err := b.publish(t, Target{Name: "events", Disabled: true}, kafkaDetails)
	require.NoError(t, err)
	assert.InDelta(t, written+1, count(publishWritten), 0)
	assert.InDelta(t, unchanged+2, count(publishUnchanged), 0, "a disabled Secret isn't published")
}
