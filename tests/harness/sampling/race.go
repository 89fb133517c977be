//go:build race

package sampling

// Raced is how many cases there are for each one that the race detector takes.
const Raced = 12
