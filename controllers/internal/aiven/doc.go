// Package aiven is the Aiven client: whatever the operator reads from or writes to the API passes through here.
//
// A process has one Clients. It has one Client for each token, and a Client has three sides: the generated client, whose
// calls have a deadline, are metered, and take turns at the rate limiter of the token's user; a snapshot of each service
// that objects read; and shared lists of what no service holds. None of this is shared between clients, as tokens have
// different permissions. The watch keeps it young, and the writes that are recorded here correct it.
//
// Answers arrive in any order, and Aiven may be slow to show what it has accepted. So reads and writes are numbered when
// they begin: an answer never undoes a later one, nor a write that it is too old to reflect. Only Aiven's own 404 is an
// absence; from any other odd answer nothing is concluded.
//
// Nothing in here waits for a turn. A call that can't be made now fails with an error that package fault understands, and
// the work queue decides when to come back. Calls that serve an edit or a deletion are marked by WithPriority.
//
//	clients.go    Options, Clients, one Client for each token, Forget
//	client.go     Client: the generated client
//	kept.go       answers that hardly ever change: the CA of a project, list prices
//	doer.go       one HTTP attempt
//	retry.go      the one retry inside a call
//	guard.go      paths that no request has, answers that are too long
//	answers.go    answers from which nothing is concluded
//	body.go       answers as Aiven sent them
//	absence.go    what proves that a service is gone, or that a project is known
//	ratelimit.go  how many calls the tokens of a user may make
//	ratelearn.go  what the rate limiter learns from refusals
//	turns.go      the requests that wait for one of them, in order
//	users.go      whose a token is, priority, PollFactor
//	inflight.go   a read that is under way, shared by all who ask meanwhile
//	view.go       Service, GetLive and RecordWrite: reads and writes of services
//	beside.go     Beside: calls about a service that was read
//	snapshot.go   what is known of one service, and how reads and writes that overtake each other change it; pure
//	entries.go    what changes on its own in a service: names, writes, differences
//	rows.go       how the snapshot works with one list of entries
//	pending.go    writes that reads may not show yet, of all clients and of an earlier process
//	list.go       List: lists that no service holds
//	listwrite.go  RecordListWrite, RecordListResult and RecordListChange: what our writes change in them
//	topics.go     the configuration of topics, which a service leaves out
//	topicread.go  the calls for them
//	watch.go      polls of projects, of services that Aiven is working on, and of lists
//	changes.go    changes and their subscribers
//	service.go    Service, the shape of a service in a snapshot
//	convert.go    fills it from whichever answer holds a service
//	optional.go   what a request leaves out
//	spans.go      one attempt in a trace
//	metrics.go    calls, reads, the rate limit, the watch
package aiven
