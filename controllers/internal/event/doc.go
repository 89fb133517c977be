// Package event reports to Kubernetes what happened to objects, as events of events.k8s.io.
//
// Two causes are two events, even if they share a reason. A cause that comes again soon is counted in the event that is
// there, as its series. Reporting never blocks: a bounded queue lies between, and what doesn't fit is logged and dropped.
package event
