package aiven

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	avngen "github.com/aiven/go-client-codegen"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

const (
	// longestRefusal bounds how much of an error's body is read, in bytes.
	longestRefusal = 64 << 10
	// shortestToken is how long a token is at least, in bytes. What is shorter is a part of words, and no token of Aiven.
	shortestToken = 8
)

// doer carries the requests of one token: it takes a turn at the rate limiter, makes one attempt, and measures it.
type doer struct {
	http     *http.Client
	secrets  *fault.Secrets              // the token, if it is no part of words
	limiter  atomic.Pointer[rateLimiter] // nil without one
	now      func() time.Time
	identify func(context.Context) // finds out whose token it is
	closing  func() bool           // reports whether the operator is shutting down

	unauthorized atomic.Bool // Aiven refused the token last
}

// Do implements avngen.Doer.
func (d *doer) Do(req *http.Request) (*http.Response, error) {
	operation, _ := req.Context().Value(avngen.OperationIDKey{}).(string)
	if err := checkPath(operation, req.URL); err != nil {
		return nil, err
	}
	rsp, err := d.withRetry(operation, req)
	if err == nil && rsp.StatusCode < http.StatusMultipleChoices {
		d.identify(req.Context()) // not before: a token may be refused for a while, and it would compete with this call for the one that probes
	}
	return rsp, err
}

// attempt makes one call, if it is its turn.
func (d *doer) attempt(operation string, req *http.Request) (*http.Response, error) {
	limiter := d.limiter.Load()
	this := callOf(req)
	taken, wait := limiter.allow(this)
	if wait > 0 {
		countRateLimited(req.Context(), operation, wait)
		return nil, fault.NoTurn(operation, wait)
	}
	span, start := called(operation, req), time.Now()
	rsp, err := d.http.Do(req)
	this.answered(statusOf(rsp))
	if err != nil {
		limiter.observe(taken, 0, 0)
		observeCall(operation, string(fault.Of(err).Class), time.Since(start))
		err = d.withoutToken(err)
		span.End(err)
		return nil, &unansweredError{err}
	}
	answered(span, rsp)
	observeCall(operation, strconv.Itoa(rsp.StatusCode), time.Since(start))
	if rsp.StatusCode < http.StatusMultipleChoices {
		d.unauthorized.Store(false)
		limiter.observe(taken, rsp.StatusCode, 0)
		bounded(operation, rsp)
		if err := checkSuccess(operation, req.Method, rsp); err != nil {
			return nil, errors.Join(d.withoutToken(err), rsp.Body.Close())
		}
		keepBody(req.Context(), rsp)
		return rsp, nil
	}
	status := rsp.StatusCode
	rsp, err = d.refused(operation, rsp)
	limiter.observe(taken, status, fault.Of(err).RetryAfter)
	return rsp, err
}

// statusOf is the status of an answer; 0 for none.
func statusOf(rsp *http.Response) int {
	if rsp == nil {
		return 0
	}
	return rsp.StatusCode
}

// refused reads the body of an error, so that an answer that asks to wait keeps its message and no answer echoes the
// token. That it asks to wait is in its headers too, so it counts even if the body breaks off; nothing else is concluded then.
func (d *doer) refused(operation string, rsp *http.Response) (*http.Response, error) {
	body, broken := io.ReadAll(io.LimitReader(rsp.Body, longestRefusal))
	if fault.RefusesToken(operation, rsp.StatusCode, body) {
		d.unauthorized.Store(true)
	}
	broken = errors.Join(broken, rsp.Body.Close())
	body = []byte(d.secrets.Scrub(string(body)))
	if err := fault.Throttled(operation, rsp, body, d.now()); err != nil {
		return nil, err
	}
	if broken != nil {
		return nil, d.withoutToken(broken)
	}
	if err := checkMissing(operation, rsp.StatusCode, body); err != nil {
		return nil, err
	}
	rsp.Body = io.NopCloser(bytes.NewReader(body))
	return rsp, nil
}

// withoutToken is the last guard: no known transport puts headers into its errors, but one could.
func (d *doer) withoutToken(err error) error {
	if text := err.Error(); d.secrets.Scrub(text) != text {
		return errors.New(d.secrets.Scrub(text))
	}
	return err
}

func secretsWith(token string) *fault.Secrets {
	secrets := &fault.Secrets{}
	if len(token) >= shortestToken {
		secrets.Add(token)
	}
	return secrets
}
