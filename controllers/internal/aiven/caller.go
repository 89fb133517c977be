package aiven

import (
	"context"
	"hash/maphash"
	"io"
	"net/http"
	"sync/atomic"
)

type (
	priorityKey struct{}
	callerKey   struct{}
)

// WithPriority marks the calls that are made with a context as overtaking: where calls wait for their turn, those that
// serve an edit or a deletion by a person come before polls. Without it a call is made in the background.
func WithPriority(ctx context.Context) context.Context {
	return context.WithValue(ctx, priorityKey{}, true)
}

func hasPriority(ctx context.Context) bool {
	priority, _ := ctx.Value(priorityKey{}).(bool)
	return priority
}

// attempt is one reconcile of an object, which may take several calls.
type attempt struct {
	uid  string
	made atomic.Int32 // calls
}

// goesOn reports whether it has made a call, and not too many.
func (a *attempt) goesOn(priority bool) bool {
	if a == nil {
		return false
	}
	made := a.made.Load()
	return made > 0 && (made < longestBehind || priority && made < longest)
}

// WithCaller begins an attempt of an object that makes calls. While a write waits for its turn, the object keeps its place,
// even if the body differs each time. Once an attempt has made a call, it makes the next few without waiting for a turn each:
// the next attempt would repeat what it has read.
func WithCaller(ctx context.Context, uid string) context.Context {
	return context.WithValue(ctx, callerKey{}, &attempt{uid: uid})
}

// attemptOf is nil for calls that no object makes, such as polls.
func attemptOf(ctx context.Context) *attempt {
	of, _ := ctx.Value(callerKey{}).(*attempt)
	return of
}

// requestSeed makes the keys of requests worthless outside of this process.
var requestSeed = maphash.MakeSeed()

// keyOf distinguishes requests. Objects that ask for the same read share its turn. A write is that of its caller, or has
// the body that it has.
func keyOf(req *http.Request) uint64 {
	var hash maphash.Hash
	hash.SetSeed(requestSeed)
	caller := ""
	if of := attemptOf(req.Context()); of != nil && req.Method != http.MethodGet {
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
