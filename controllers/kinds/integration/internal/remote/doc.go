// Package remote computes which integration at Aiven an object manages, and its state. It does no I/O.
//
//	ends.go    the identity of an integration: its type and its two ends
//	choose.go  the integration of an object, of those that its services list, or its id leads to
//	state.go   whether an integration works, and why it doesn't
package remote
