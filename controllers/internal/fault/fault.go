// Package fault turns any error into a Class, the one word the engine decides by.
//
// It is the only place of the project that reads HTTP codes, statuses of an API or the text of an error. Whoever wants to
// know what an error means asks Of, or Is; whoever learns of a new shape of error teaches it to this package.
//
//	fault.go     the classes, Fault, Of and Is
//	classify.go  walks a tree of wrapped and joined errors
//	api.go       what an answer of Aiven or Kubernetes means
//	phrases.go   the words Aiven uses for what its codes don't say
//	message.go   one clean line for people
//	redact.go    removes secrets from text
//	errors.go    errors that this project makes itself
package fault

import (
	"slices"
	"time"
)

// Class says what an error means to the loop.
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
	// Server is trouble on the other side: 5xx (501 too, Aiven's "try later") and 425.
	Server Class = "Server"
	// RateLimited is 429, 503 with a Retry-After, or our own rate limiter having no turn.
	RateLimited Class = "RateLimited"
	// Unauthorized is a token that isn't accepted: 401, or a 403 that blames the token.
	Unauthorized Class = "Unauthorized"
	// Forbidden is any other 403 of Aiven. A young one may be lag of Aiven's access control.
	Forbidden Class = "Forbidden"
	// NotFound is 404 of Aiven or Kubernetes.
	NotFound Class = "NotFound"
	// Exists is a refusal to create what is there already.
	Exists Class = "Exists"
	// Conflict is a refusal that may pass: any other 409, a dependent that is still there (417), a lock (423), and an
	// outdated resourceVersion.
	Conflict Class = "Conflict"
	// Rejected is 400, 422 and every other 4xx: bad input, if the call was a mutation.
	Rejected Class = "Rejected"
	// Exhausted is a refusal over quota, billing, credit, trial or the limits of a plan.
	Exhausted Class = "Exhausted"
	// Invalid is a spec that was found wrong before any call. See InvalidSpec.
	Invalid Class = "Invalid"
)

// telling lists the classes from the most to the least telling one: where a tree of joined errors holds several, the
// first in this list speaks for all. What a person must mend comes first, then what the other side answered, then what
// may be mere debris of a shutdown.
var telling = []Class{
	Invalid, Unauthorized, Exhausted, Rejected, Forbidden, RateLimited, Conflict, Exists, NotFound, Server,
	Canceled, Timeout, Network, Unknown,
}

// Fault is an error as the engine and people see it.
type Fault struct {
	Class Class
	// Message is one redacted line of at most 1,024 bytes, empty only for None. It is stable: the same trouble gives
	// the same text, without ephemeral ports or remaining seconds.
	Message string
	// RetryAfter is how long the other side asked to be left alone, 0 if it named no time. At most five minutes.
	RetryAfter time.Duration
}

// Of classifies err, looking through wrapped and joined errors. Of(nil) has class None.
func Of(err error) Fault {
	if err == nil {
		return Fault{Class: None}
	}
	v := examine(err)
	return Fault{Class: v.class, Message: message(err), RetryAfter: v.retryAfter}
}

// Is tells whether err is of one of the classes.
func Is(err error, classes ...Class) bool {
	if err == nil {
		return slices.Contains(classes, None)
	}
	return slices.Contains(classes, examine(err).class)
}
