// Package aiven is the only door to Aiven: whatever the operator reads from or writes to the API passes through here.
//
// A process has one Door. It gives one Account for each token, and an Account gives two things: the generated client, of
// which each call is one HTTP attempt with a deadline, metered, and within the budget of its token; and the shared view,
// Service and CA, where readers that ask for the same thing at the same time cost one call.
//
// Nothing in here waits for better times. A call that can't be made now fails with an error that package fault
// understands, and the work queue decides when to come back.
//
//	door.go     Options, Door, one Account per token
//	account.go  Account: the client, the view, what a mutation makes stale
//	doer.go     one HTTP attempt
//	changes.go  notices services that became usable, appeared or went
//	service.go  Service, the shape of a service in the view
//	convert.go  fills it from whichever answer holds a service
//	metrics.go  calls and their latency
package aiven
