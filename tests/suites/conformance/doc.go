// Package conformance says what every kind must obey, on a real control plane and the local Aiven.
//
// A kind is a line in kinds_test.go: its example in the documentation, what has to be at Aiven before, one change that
// can be updated, one change that somebody makes at the console, its keys in the Secret. A law is an entry in one of the
// lists of laws: a sentence, the requirements that it proves, and a check. Every law is tried on every kind that it
// applies to, so a new kind is one new line, and a new law covers all kinds at once.
package conformance
