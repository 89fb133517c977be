// Package aiven is the only door to Aiven: whatever the operator reads from or writes to the API passes through here.
//
// A process has one Door. It gives one Account for each token, and an Account gives two things: the generated client, of
// which each call is one HTTP attempt with a deadline, metered, and within the budget of its token; and the shared view,
// a snapshot of each service that somebody reads. A snapshot is never shared between accounts, as tokens have different
// rights. It is kept young by the watch, and corrected by the writes that pass through here.
//
// Answers arrive in any order, and Aiven may be slow to show what it has accepted. So reads and writes are numbered when
// they begin: an answer never undoes a later one, nor a write that it is too old to know.
//
// Nothing in here waits for better times. A call that can't be made now fails with an error that package fault
// understands, and the work queue decides when to come back.
//
//	clients.go      Options, Door, one Account per token
//	client.go   Account: the client, the CA of a project
//	doer.go      one HTTP attempt
//	ratelimit.go    how many of them a token may make, and what Aiven's refusals do to that
//	view.go      Service, Look and Wrote: the shared view, and who makes a call for it
//	snapshot.go  what is known of one service, and how reads and writes that overtake each other change it; pure
//	entries.go     what changes on its own in a service: names, writes, differences
//	topics.go    the configuration of topics, which a service doesn't list
//	watch.go     a look at all services of a project, again and again
//	changes.go   news, and who is told
//	service.go   Service, the shape of a service in the view
//	convert.go   fills it from whichever answer holds a service
//	optional.go  what a request leaves out
//	spans.go     what a trace tells of one attempt
//	metrics.go   calls, reads, budgets, the watch
package aiven
