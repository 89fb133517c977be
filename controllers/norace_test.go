//go:build !race

package controllers

// oneOf is how many cases there are for each one that a test takes, which without the race detector are all.
const oneOf = 1
