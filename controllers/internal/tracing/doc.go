// Package tracing makes an OpenTelemetry trace of each reconcile: a span for the reconcile, one for each station, and one for
// each wait that a package records. Package otlp exports them.
//
// Without a provider, and for a reconcile that isn't sampled, every function returns at once and allocates nothing. A
// span holds names, numbers, and messages of package fault, which have nothing that looks like a secret. The engine, which
// knows the secrets of an object, removes their exact values before. Callers MUST NOT add anything else: no URL, no body, no
// header, no value of a spec. No control flow depends on a span: its methods return nothing.
//
//	tracing.go  Wrap for reconciles, Root for other work
//	span.go     Start, Join and the end of spans; attributes and events
package tracing
