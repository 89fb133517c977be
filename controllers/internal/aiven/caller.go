package aiven

import (
	"context"
	"hash/maphash"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

type (
	priorityKey struct{}
	callerKey   struct{}
	readKey     struct{}
)

// WithPriority marks the calls that are made with a context as overtaking: where calls wait for their turn, those that
// serve an edit or a deletion by a person come before polls. Without it a call is made in the background.
func WithPriority(ctx context.Context) context.Context {
	return context.WithValue(ctx, priorityKey{}, true)
}

// HasPriority reports whether a user waits for the calls of a context.
func HasPriority(ctx context.Context) bool {
	priority, _ := ctx.Value(priorityKey{}).(bool)
	return priority
}

// attempt is one reconcile of an object, which may take several calls.
type attempt struct {
	uid   string
	made  atomic.Int32 // calls
	wrote atomic.Bool
	// applied is set once a write may have changed something.
	applied atomic.Bool
}

// call is what a turn is for.
type call struct {
	request  uint64
	priority bool
	read     bool
	of       *attempt // nil for calls that no object makes, such as polls
}

func callOf(req *http.Request) call {
	of, _ := req.Context().Value(callerKey{}).(*attempt)
	read := req.Method == http.MethodGet || req.Context().Value(readKey{}) != nil
	return call{request: keyOf(req, of), priority: HasPriority(req.Context()), read: read, of: of}
}

// made notes that the call is made now.
func (c call) made() {
	if c.of != nil {
		c.of.made.Add(1)
		if !c.read {
			c.of.wrote.Store(true)
		}
	}
}

// answered notes the status of an answer, 0 for none: what Aiven refuses changes nothing.
func (c call) answered(status int) {
	refused := status >= 400 && status < 500 && status != http.StatusRequestTimeout && status != http.StatusTooEarly
	if c.of != nil && !c.read && !refused {
		c.of.applied.Store(true)
	}
}

// ChangedNothing reports whether an attempt has ended in an error, and has changed nothing at Aiven: not by any of its writes.
func ChangedNothing(ctx context.Context, err error) bool {
	of, _ := ctx.Value(callerKey{}).(*attempt)
	return err != nil && of != nil && !of.applied.Load() && !MayHaveApplied(err)
}

// Refused reports whether an attempt has ended in an error that waits for a user, and has changed nothing at Aiven.
func Refused(ctx context.Context, err error) bool {
	return ChangedNothing(ctx, err) && fault.Is(err, fault.Rejected, fault.Invalid, fault.NotFound, fault.Forbidden, fault.Unauthorized, fault.Exhausted)
}

// goesOn reports whether the attempt has made others, and not too many. What it reads after a write isn't lost for the next one,
// and may be read for others, too.
func (c call) goesOn() bool {
	if c.of == nil || c.read && c.of.wrote.Load() {
		return false
	}
	made := c.of.made.Load()
	return made > 0 && (made < longestBehind || c.priority && made < longest)
}

// WithRead marks a call that changes nothing, and isn't a GET.
func WithRead(ctx context.Context) context.Context { return context.WithValue(ctx, readKey{}, true) }

// WithCaller begins an attempt of an object that makes calls. While a write waits for its turn, the object keeps its place,
// even if the body differs each time. Once an attempt has made a call, it makes the next few without waiting for a turn each:
// the next attempt would repeat what it has read.
func WithCaller(ctx context.Context, uid string) context.Context {
	return context.WithValue(ctx, callerKey{}, &attempt{uid: uid})
}

// ofNoAttempt is a context for a call beside that of an attempt: it counts for none, and its answer isn't the one that WithBody keeps.
func ofNoAttempt(ctx context.Context) context.Context {
	return context.WithValue(context.WithValue(ctx, callerKey{}, nil), bodyKey{}, nil)
}

// requestSeed makes the keys of requests worthless outside of this process.
var requestSeed = maphash.MakeSeed()

// keyOf distinguishes requests. Objects that ask for the same read share its turn. A write is that of its caller, or has
// the body that it has.
func keyOf(req *http.Request, of *attempt) uint64 {
	var hash maphash.Hash
	hash.SetSeed(requestSeed)
	caller := ""
	if of != nil && req.Method != http.MethodGet {
		caller = of.uid
	}
	for _, part := range []string{req.Method, req.URL.Path, req.URL.RawQuery, caller} {
		_, _ = hash.WriteString(part) // never fails
		_ = hash.WriteByte(0)
	}
	if caller == "" && req.GetBody != nil {
		if body, err := req.GetBody(); err == nil {
			_, _ = io.Copy(&hash, body)
			_ = body.Close()
		}
	}
	return hash.Sum64()
}
