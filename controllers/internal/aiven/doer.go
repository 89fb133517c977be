package aiven

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	avngen "github.com/aiven/go-client-codegen"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

// longestRefusal bounds how much of an error's body is read, in bytes.
const longestRefusal = 64 << 10

// doer carries the requests of one token: it asks the budget, makes one attempt, and measures it.
type doer struct {
	http    *http.Client
	token   string
	limiter *rateLimiter // nil without one
	now     func() time.Time
}

// Do implements avngen.Doer.
func (d *doer) Do(req *http.Request) (*http.Response, error) {
	operation, _ := req.Context().Value(avngen.OperationIDKey{}).(string)
	if err := checkPath(operation, req.URL); err != nil {
		return nil, err
	}
	if err := d.allow(operation); err != nil {
		countRateLimited(req.Context(), operation, fault.Of(err).RetryAfter)
		return nil, err
	}
	span, start := called(operation, req), time.Now()
	rsp, err := d.http.Do(req)
	if err != nil {
		observeCall(operation, string(fault.Of(err).Class), time.Since(start))
		return nil, span.End(d.withoutToken(err))
	}
	answered(span, rsp)
	observeCall(operation, strconv.Itoa(rsp.StatusCode), time.Since(start))
	d.limiter.observe(d.now(), rsp.StatusCode)
	if rsp.StatusCode < http.StatusMultipleChoices {
		bounded(operation, rsp)
		return rsp, nil
	}
	return d.refused(operation, rsp)
}

// allow takes one call out of the budget, or says when there will be one. It never waits: a worker is too dear.
func (d *doer) allow(operation string) error {
	if wait := d.limiter.allow(d.now()); wait > 0 {
		return fault.BudgetSpent(operation, wait)
	}
	return nil
}

// refused reads the body of an error, so that an answer that asks to wait keeps its message and no answer echoes the
// token.
func (d *doer) refused(operation string, rsp *http.Response) (*http.Response, error) {
	body, err := io.ReadAll(io.LimitReader(rsp.Body, longestRefusal))
	if err = errors.Join(err, rsp.Body.Close()); err != nil {
		return nil, d.withoutToken(err)
	}
	body = bytes.ReplaceAll(body, []byte(d.token), []byte("***"))
	if err := fault.Throttled(operation, rsp, body, d.now()); err != nil {
		d.limiter.pause(d.now(), fault.Of(err).RetryAfter)
		return nil, err
	}
	rsp.Body = io.NopCloser(bytes.NewReader(body))
	return rsp, nil
}

// withoutToken is the last guard: no known transport puts headers into its errors, but one could.
func (d *doer) withoutToken(err error) error {
	if text := err.Error(); strings.Contains(text, d.token) {
		return errors.New(strings.ReplaceAll(text, d.token, "***"))
	}
	return err
}
