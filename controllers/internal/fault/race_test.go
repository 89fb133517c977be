//go:build race

package fault_test

// instrumented is how many times as much the race detector makes code allocate, at most.
const instrumented = 20
