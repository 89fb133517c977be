package main

import (
	"math"
	"slices"
	"time"
)

// percentile is the smallest of the values that no less than p percent of them don't exceed; 0 without values.
func percentile(values []time.Duration, p float64) time.Duration {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	rank := int(math.Ceil(p / 100 * float64(len(sorted))))
	return sorted[min(max(rank, 1), len(sorted))-1]
}
