// Package event reports to Kubernetes what happened to objects, as events of events.k8s.io.
//
// Two causes are two events, even if they share a reason. A cause that comes again soon is counted in the event that is
// there, as its series. Normal events of one object that follow each other within the delay become one, with the reason of
// the last and the notes of all; a warning always stays an event of its own.
//
// Events come behind everything else. Reporting never blocks: a bounded queue lies between, and what doesn't fit is logged
// and dropped. An event is written after the delay, one at a time, with a pause as long as the write took: a busy API
// server gets few events, and an idle one gets them quickly. At the end, all that is left is written at once.
package event
