// Package tracing makes an OpenTelemetry trace of each reconcile: a span for the reconcile, one for each station, and one for
// each wait that a package records. Package otlp exports them.
//
// Without a provider, and for a reconcile that isn't sampled, every function returns at once and allocates nothing. A
// span holds names, numbers, and messages of package fault, which have no secrets. Callers MUST NOT add anything else: no
// URL, no body, no header, no value of a spec.
//
//	tracing.go  Wrap for reconciles, Root for other work
//	span.go     Start, Station and Join; attributes and events
package tracing
