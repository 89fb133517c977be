// Package startup delays the manager until it can work, reports why it can't, and continues without a restart. Afterwards it
// stops the manager when aiven-operator starts, or when a watched namespace that was missing can be read.
//
//   - A Supervisor runs the manager, from the checks to the end.
//   - A Check checks one thing of the cluster: Kinds, Namespaces, Election, AivenOperator. Await repeats them, one after the other.
//   - Watches collects what the API server refuses to list or watch.
//   - Readiness serves the probes of the kubelet, and logs why the manager isn't ready.
package startup
