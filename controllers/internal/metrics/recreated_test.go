package metrics

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/api/v1alpha1"
)

func TestOnlyWhatWasReadyIsCreatedAgain(t *testing.T) {
	for name, tc := range map[string]struct {
		before *v1alpha1.Provenance
		made   bool
		counts float64
	}{
		"a resource that was ready":           {&v1alpha1.Provenance{WasReady: true}, true, 1},
		"a creation that Aiven refuses":       {&v1alpha1.Provenance{WasReady: true}, false, 0},
		"a resource that was never ready":     {&v1alpha1.Provenance{}, true, 0},
		"the first resource of an object":     {nil, true, 0},
		"a first creation that Aiven refuses": {nil, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Cleanup(recreatedTotal.Reset)
			CountCreation("Kafka", tc.before, tc.made)
			assert.InDelta(t, tc.counts, testutil.ToFloat64(recreatedTotal.WithLabelValues("Kafka")), 0)
		})
	}
}
