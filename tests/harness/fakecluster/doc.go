// Package fakecluster runs the controllers of all kinds on a fake API server, one reconcile at a time and by hand. So each request to
// that server, and each call of Aiven, is known to be on account of one object, which no log of a real cluster shows. A reconcile takes
// about a millisecond.
//
// The controllers are those that the operator sets up, with their indexes. Nothing watches, and nothing is enqueued: a test says what is
// reconciled, and how often. What a real API server would refuse or complete is done for users by [Cluster.Create] and [Cluster.Change].
package fakecluster
