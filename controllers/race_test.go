//go:build race

package controllers

// oneOf is how many cases there are for each one that a test takes, as the race detector makes each of them take five times as long.
const oneOf = 5
