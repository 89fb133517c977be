package aiven

import (
	"context"
	"hash/maphash"
	"io"
	"net/http"
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

// WithCaller names the object that makes the calls: while a write waits for its turn, the object keeps its place, even if
// the body differs each time.
func WithCaller(ctx context.Context, uid string) context.Context {
	return context.WithValue(ctx, callerKey{}, uid)
}

// requestSeed makes the keys of requests worthless outside of this process.
var requestSeed = maphash.MakeSeed()

// keyOf distinguishes requests. Objects that ask for the same read share its turn. A write is that of its caller, or has
// the body that it has.
func keyOf(req *http.Request) uint64 {
	var hash maphash.Hash
	hash.SetSeed(requestSeed)
	caller, _ := req.Context().Value(callerKey{}).(string)
	if req.Method == http.MethodGet {
		caller = ""
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
