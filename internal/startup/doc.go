// Package startup holds the manager back until it can work, says why it can't, and lets it go on by itself.
//
//   - A Board answers the probes of the kubelet, and writes to the log why the manager isn't ready.
//   - A Check asks one thing of the cluster: Kinds, Namespaces, Election, Reference. Await repeats them, one after the other.
//   - Watches collects what the API server refuses to show.
package startup
