// Package conformance checks what holds for every kind, on a real control plane and the local Aiven.
//
// A kind is an entry of kinds_<family>_test.go: its example in the documentation, what has to exist at Aiven before it, one
// change that takes one update, one change made at the console, the keys of its Secret. A requirement is an entry of one of
// the lists: a sentence, the ids of the requirements that it proves, and a check. A requirement and a kind make a conformance
// case. A new kind is one new entry, and a new requirement covers all kinds at once.
//
// Cases share one control plane, and run side by side in namespaces. Each has a local Aiven and an operator of its own, which
// runs the controllers of the kinds that the case needs, and no others.
package conformance
