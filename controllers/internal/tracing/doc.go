// Package tracing makes a trace of each reconcile, for OpenTelemetry: a span for the reconcile, one for each station, and
// one for whatever else a package says that it waits for. Where spans go is decided by main.
//
// Without a provider, and for a reconcile that isn't sampled, every function returns at once and allocates nothing. A
// span holds names, numbers, and texts of errors as package fault words them, which have no secrets. Nobody hands it
// anything else: no URL, no body, no header, no value of a spec.
//
//	tracing.go  Around a reconcile, Root of other work
//	span.go     Start, Station, Join; what is told to a span
package tracing
