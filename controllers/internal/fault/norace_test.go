//go:build !race

package fault_test

// instrumented is 1 without the race detector.
const instrumented = 1
