//go:build race

package secrettemplate_test

// slower is how many times as long the race detector lets a template take.
const slower = 20
