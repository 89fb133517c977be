// Package fault turns any error into a Class, the one word the engine decides by.
//
// It is the only package that reads HTTP codes, statuses of an API or the text of an error. Others ask Of or Is. A new
// shape of error, or an operation with codes of its own, is added here.
//
//	fault.go       the classes, Fault, Of and Is
//	classify.go    walks a tree of wrapped and joined errors
//	api.go         what a response of Aiven or Kubernetes means
//	operations.go  operations whose codes mean something of their own
//	fields.go      the fields of a spec that Aiven writes of
//	phrases.go     the words Aiven uses for what its codes don't say
//	message.go     one clean line for the user, with Aiven's own sentence
//	redact.go      removes what looks like a secret from text
//	secrets.go     removes known secrets from text
//	errors.go      errors that this project makes itself
//	sequence.go    writes of several calls
package fault

import (
	"slices"
	"time"
)

// Class is what an error means to the loop.
type Class string

// The classes. Which condition, phase and requeue a class leads to is decided by the engine, not here.
const (
	// None is no error.
	None Class = "None"
	// Unknown is everything that no rule knows. It is handled like infrastructure.
	Unknown Class = "Unknown"
	// Canceled is the end of the process or of the caller, not an error.
	Canceled Class = "Canceled"
	// Network is a call without an answer: refused, reset, cut off, no such host, TLS.
	Network Class = "Network"
	// Timeout is an answer that came too late or not at all, and HTTP 408.
	Timeout Class = "Timeout"
	// Server is a failure on the other side: 5xx (501 too, Aiven's "try later") and 425.
	Server Class = "Server"
	// RateLimited is a call that waits for its turn: 429, or the rate limit of the operator itself.
	RateLimited Class = "RateLimited"
	// Unauthorized is a token that isn't accepted: 401, or a 403 that blames the token.
	Unauthorized Class = "Unauthorized"
	// Forbidden is any other 403 of Aiven. A young one may be lag of Aiven's access control.
	Forbidden Class = "Forbidden"
	// NotFound is 404 of Aiven or Kubernetes, and what an operation answers instead of it.
	NotFound Class = "NotFound"
	// Exists is a refusal to create what is there already.
	Exists Class = "Exists"
	// Conflict is a refusal that may pass: any other 409, a dependent that is still there (417), a lock (423), and an
	// outdated resourceVersion.
	Conflict Class = "Conflict"
	// Rejected is 400, 422 and every other 4xx: bad input, if the call was a mutation.
	Rejected Class = "Rejected"
	// NotReady is what a part of a service answers before it works: a wait for it, no refusal.
	NotReady Class = "NotReady"
	// Exhausted is a refusal over quota, billing, credit, trial or the limits of a plan.
	Exhausted Class = "Exhausted"
	// Protected is a refusal because termination protection is on.
	Protected Class = "Protected"
	// Invalid is a spec that was found wrong before any call. See InvalidSpec.
	Invalid Class = "Invalid"
	// NoChange is Aiven's refusal of an update that changes nothing: a success. See Unchanged.
	NoChange Class = "NoChange"
)

// precedence orders the classes: of a tree of joined errors, the class that comes first here is the class of the tree.
// What a person must fix comes first, then what the other side answered, then what a shutdown may leave behind.
var precedence = []Class{
	Invalid, Unauthorized, Protected, Exhausted, Rejected, Forbidden, RateLimited, Conflict, NotReady, Exists, NotFound,
	Server, Canceled, Timeout, Network, Unknown, NoChange,
}

// Fault is an error as the engine and the user see it.
type Fault struct {
	Class Class
	// Message is one redacted line of at most 1,024 bytes, empty only for None. It is stable: the same cause has the
	// same text, without ephemeral ports or remaining seconds.
	Message string
	// RetryAfter is how long the other side asked to wait, 0 if it named no time. At most five minutes.
	RetryAfter time.Duration
}

// Of classifies err, wrapped and joined errors included. Of(nil) has class None.
func Of(err error) Fault { return (*Secrets)(nil).Of(err) }

// Unchanged reports whether Aiven refused an update because it changes nothing, which is as good as its success.
func Unchanged(err error) bool { return Is(err, NoChange) }

// Is reports whether err is of one of the classes.
func Is(err error, classes ...Class) bool {
	if err == nil {
		return slices.Contains(classes, None)
	}
	return slices.Contains(classes, examine(err).class)
}
