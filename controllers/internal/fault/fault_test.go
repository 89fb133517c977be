package fault_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	avngen "github.com/aiven/go-client-codegen"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

func aiven(status int, message string) avngen.Error {
	return avngen.Error{Status: status, OperationID: "ServiceCreate", Message: message}
}

func get(err error) error {
	return &url.Error{Op: "Get", URL: "https://api.example.org/v1/project/p/service/s?limit=999", Err: err}
}

func dial(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }

func TestE01_AivenAnswersHaveAClass(t *testing.T) {
	quota := avngen.Error{Status: 400, OperationID: "ServiceKafkaQuotaCreate", Message: "quota exceeds the maximum"}
	details := aiven(409, "Conflict")
	details.Errors = []map[string]any{{"message": "Topic already exists", "status": 409}}

	for name, row := range map[string]struct {
		err  error
		want fault.Class
	}{
		"a plain 400 is rejected":                        {aiven(400, "Invalid plan 'x'"), fault.Rejected},
		"422 is rejected":                                {aiven(422, "Unprocessable"), fault.Rejected},
		"an odd 4xx is rejected":                         {aiven(405, "Method not allowed"), fault.Rejected},
		"a pointer is as good as a value":                {&avngen.Error{Status: 400}, fault.Rejected},
		"a wrapped error keeps its class":                {fmt.Errorf("creating user: %w", aiven(400, "bad")), fault.Rejected},
		"an invalid billing email is bad input":          {aiven(400, "Invalid billing email: x"), fault.Rejected},
		"an invalid quota of a quota is bad input":       {quota, fault.Rejected},
		"a quota that the project has no quota for":      {avngen.Error{Status: 403, OperationID: "ServiceKafkaQuotaCreate", Message: "Project quota exceeded"}, fault.Exhausted},
		"a quota that the token may not set":             {avngen.Error{Status: 403, OperationID: "ServiceKafkaQuotaCreate", Message: "Not allowed to set quotas"}, fault.Forbidden},
		"an unknown credit card is bad input":            {aiven(400, "Unknown credit card id"), fault.Rejected},
		"credentials are no credit":                      {aiven(400, "credentials are missing"), fault.Rejected},
		"a name with the word trial is only a name":      {aiven(400, "Topic 'trial' is not valid"), fault.Rejected},
		"an unavailable plan is bad input":               {aiven(400, "Plan startup-99 for service type pg is not available in cloud x"), fault.Rejected},
		"a missing field is bad input":                   {aiven(400, "billing_group_id is required"), fault.Rejected},
		"an overlarge number is bad input":               {aiven(400, "max_connections: 5000 exceeds 1000"), fault.Rejected},
		"401 is unauthorized":                            {aiven(401, "Authentication failed"), fault.Unauthorized},
		"a 403 over an invalid token is unauthorized":    {aiven(403, "Invalid token"), fault.Unauthorized},
		"a 403 over an expired token is unauthorized":    {aiven(403, "Access token has expired"), fault.Unauthorized},
		"a 403 over a db token is unauthorized":          {aiven(403, "Missing (expired) db token"), fault.Unauthorized},
		"any other 403 is forbidden":                     {aiven(403, "Not a project member"), fault.Forbidden},
		"a 403 without text is forbidden":                {aiven(403, ""), fault.Forbidden},
		"402 is exhausted":                               {aiven(402, "Payment required"), fault.Exhausted},
		"quota exceeded is exhausted":                    {aiven(403, "Project quota exceeded"), fault.Exhausted},
		"H06 quota exceeded with 400 is exhausted":       {aiven(400, "quota exceeded"), fault.Exhausted},
		"missing billing is exhausted":                   {aiven(403, "Billing information is missing"), fault.Exhausted},
		"no credits left is exhausted":                   {aiven(409, "Your project has no credits left"), fault.Exhausted},
		"an ended trial is exhausted":                    {aiven(403, "Free trial has expired"), fault.Exhausted},
		"H06 the limit of a plan is exhausted":           {aiven(422, "Topic count exceeds plan limit"), fault.Exhausted},
		"a reached limit is exhausted":                   {aiven(409, "Partition limit reached for the service"), fault.Exhausted},
		"not enough is exhausted":                        {aiven(400, "Not enough disk space"), fault.Exhausted},
		"404 is not found":                               {aiven(404, "Service does not exist"), fault.NotFound},
		"a 404 of Aiven's own user is a server error":    {aiven(404, "User avnadmin with component main not found"), fault.Server},
		"409 with already exists is exists":              {aiven(409, "Database already exists"), fault.Exists},
		"already exists counts in the details too":       {details, fault.Exists},
		"a name with quota that exists is exists":        {aiven(409, "Topic 'quota exceeded' already exists"), fault.Exists},
		"any other 409 is a conflict":                    {aiven(409, "Service is being moved"), fault.Conflict},
		"417 waits for dependents":                       {aiven(417, "Application has 1 deployment"), fault.Conflict},
		"423 is a conflict":                              {aiven(423, "Locked"), fault.Conflict},
		"408 is a timeout":                               {aiven(408, "Request timeout"), fault.Timeout},
		"425 is a server error":                          {aiven(425, "Too early"), fault.Server},
		"429 is a rate limit":                            {aiven(429, "Slow down"), fault.RateLimited},
		"500 is a server error":                          {aiven(500, "Internal error"), fault.Server},
		"501 is Aiven's try later":                       {aiven(501, "Not implemented"), fault.Server},
		"503 is a server error":                          {aiven(503, "quota exceeded"), fault.Server},
		"504 is a server error":                          {aiven(504, "Gateway timeout"), fault.Server},
		"a redirect is unknown":                          {aiven(302, ""), fault.Unknown},
		"a call that waits for its turn is a rate limit": {fault.NoTurn("ServiceGet", time.Second), fault.RateLimited},
		"a spec found wrong is invalid":                  {fault.InvalidSpec("spec.plan", "is empty"), fault.Invalid},
		"a token found wrong is unauthorized":            {fault.UnusableToken("it is empty"), fault.Unauthorized},
		"an unreadable answer is unknown":                {json.Unmarshal([]byte(`<`), new(string)), fault.Unknown},
		"an answer of another type is unknown":           {json.Unmarshal([]byte(`{}`), new(string)), fault.Unknown},
		"an error of no known type is unknown":           {errors.New("odd"), fault.Unknown},
		"a wrapped error of no known type is unknown":    {fmt.Errorf("reading: %w", errors.New("odd")), fault.Unknown},
		"an exists that the client would know is exists": {fmt.Errorf("a: %w", fmt.Errorf("b: %w", aiven(409, "already exists"))), fault.Exists},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, row.want, fault.Of(row.err).Class, row.err.Error()) })
	}
}

func TestE01_TransportErrorsHaveAClass(t *testing.T) {
	for name, row := range map[string]struct {
		err  error
		want fault.Class
	}{
		"refused":                           {get(dial(os.NewSyscallError("connect", syscall.ECONNREFUSED))), fault.Network},
		"reset":                             {get(&net.OpError{Op: "read", Err: syscall.ECONNRESET}), fault.Network},
		"refused without the HTTP client":   {dial(syscall.ECONNREFUSED), fault.Network},
		"end of file":                       {get(io.EOF), fault.Network},
		"bare end of file":                  {io.ErrUnexpectedEOF, fault.Network},
		"closed connection":                 {net.ErrClosed, fault.Network},
		"no such host":                      {get(dial(&net.DNSError{Err: "no such host", IsNotFound: true})), fault.Network},
		"DNS timeout":                       {get(dial(&net.DNSError{Err: "i/o timeout", IsTimeout: true})), fault.Timeout},
		"unknown authority":                 {get(&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}), fault.Network},
		"bare unknown authority":            {x509.UnknownAuthorityError{}, fault.Network},
		"wrong host in the certificate":     {x509.HostnameError{Certificate: new(x509.Certificate), Host: "h"}, fault.Network},
		"no TLS on the other side":          {tls.RecordHeaderError{Msg: "first record does not look like TLS"}, fault.Network},
		"TLS alert":                         {tls.AlertError(40), fault.Network},
		"garbage instead of HTTP":           {get(errors.New("malformed HTTP response")), fault.Network},
		"deadline":                          {context.DeadlineExceeded, fault.Timeout},
		"deadline in a request":             {get(context.DeadlineExceeded), fault.Timeout},
		"deadline of a connection":          {dial(os.ErrDeadlineExceeded), fault.Timeout},
		"timeout of the kernel":             {syscall.ETIMEDOUT, fault.Timeout},
		"canceled":                          {context.Canceled, fault.Canceled},
		"canceled request":                  {fmt.Errorf("observing: %w", get(context.Canceled)), fault.Canceled},
		"a file that isn't there":           {&os.PathError{Op: "open", Path: "/x", Err: syscall.ENOENT}, fault.Unknown},
		"a custom cause that is a deadline": {fmt.Errorf("%w", get(fmt.Errorf("x: %w", context.DeadlineExceeded))), fault.Timeout},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, row.want, fault.Of(row.err).Class, row.err.Error()) })
	}
}

// try keeps only the error of a call.
func try(rsp *http.Response, err error) error {
	if err != nil {
		return err
	}
	return rsp.Body.Close()
}

func TestRealConnectionsHaveAClass(t *testing.T) {
	t.Run("a closed port is the network", func(t *testing.T) {
		server := httptest.NewServer(http.NotFoundHandler())
		server.Close()
		err := try(http.DefaultClient.Get(server.URL))
		assert.Equal(t, fault.Network, fault.Of(err).Class)
	})
	t.Run("an untrusted certificate is the network", func(t *testing.T) {
		server := httptest.NewTLSServer(http.NotFoundHandler())
		defer server.Close()
		err := try(http.DefaultClient.Get(server.URL))
		assert.Equal(t, fault.Network, fault.Of(err).Class)
	})
	t.Run("a connection cut by the server is the network", func(t *testing.T) {
		server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
		defer server.Close()
		err := try(http.DefaultClient.Get(server.URL))
		got := fault.Of(err)
		assert.Equal(t, fault.Network, got.Class)
		assert.Equal(t, "calling "+strings.TrimPrefix(server.URL, "http://")+": EOF", got.Message)
	})
	t.Run("a slow server is a timeout, and a caller that gives up is not", func(t *testing.T) {
		release := make(chan struct{})
		server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
		defer server.Close()
		defer close(release)
		err := try((&http.Client{Timeout: 20 * time.Millisecond}).Get(server.URL))
		assert.Equal(t, fault.Timeout, fault.Of(err).Class)

		ctx, cancel := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
		require.NoError(t, err)
		time.AfterFunc(20*time.Millisecond, cancel)
		assert.Equal(t, fault.Canceled, fault.Of(try(http.DefaultClient.Do(req))).Class)
	})
}

func TestE01_KubernetesAnswersHaveAClass(t *testing.T) {
	secrets := schema.GroupResource{Resource: "secrets"}
	for name, row := range map[string]struct {
		err  error
		want fault.Class
	}{
		"not found":         {apierrors.NewNotFound(secrets, "x"), fault.NotFound},
		"already exists":    {apierrors.NewAlreadyExists(secrets, "x"), fault.Exists},
		"conflict":          {apierrors.NewConflict(secrets, "x", errors.New("modified")), fault.Conflict},
		"invalid":           {apierrors.NewInvalid(schema.GroupKind{Kind: "Secret"}, "x", nil), fault.Rejected},
		"bad request":       {apierrors.NewBadRequest("bad"), fault.Rejected},
		"timeout":           {apierrors.NewTimeoutError("slow", 1), fault.Timeout},
		"server timeout":    {apierrors.NewServerTimeout(secrets, "get", 1), fault.Timeout},
		"internal":          {apierrors.NewInternalError(errors.New("x")), fault.Server},
		"unavailable":       {apierrors.NewServiceUnavailable("x"), fault.Server},
		"own permissions":   {apierrors.NewForbidden(secrets, "x", errors.New("rbac")), fault.Unknown},
		"own login":         {apierrors.NewUnauthorized("x"), fault.Unknown},
		"quota":             {apierrors.NewForbidden(secrets, "x", errors.New("exceeded quota: q")), fault.Exhausted},
		"too many requests": {apierrors.NewTooManyRequests("x", 7), fault.RateLimited},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, row.want, fault.Of(fmt.Errorf("reading: %w", row.err)).Class, row.err.Error())
		})
	}
	assert.Equal(t, 7*time.Second, fault.Of(apierrors.NewTooManyRequests("x", 7)).RetryAfter)
	assert.Equal(t, fault.NotFound, fault.Of(&apierrors.StatusError{ErrStatus: metav1.Status{Code: 404}}).Class)
}

func TestH02_TheMostSpecificOfJoinedErrorsWins(t *testing.T) {
	inOrder := []error{
		fault.InvalidSpec("spec.plan", "is empty"), aiven(401, ""), aiven(402, ""), aiven(400, ""), aiven(403, ""), aiven(429, ""),
		aiven(409, ""), aiven(409, "already exists"), aiven(404, ""), aiven(500, ""), context.Canceled,
		context.DeadlineExceeded, io.EOF, errors.New("odd"),
	}
	for i, more := range inOrder {
		for _, less := range inOrder[i:] {
			want := fault.Of(more).Class
			assert.Equal(t, want, fault.Of(errors.Join(more, less)).Class)
			assert.Equal(t, want, fault.Of(errors.Join(less, more)).Class)
			assert.Equal(t, want, fault.Of(fmt.Errorf("undoing: %w (after: %w)", less, more)).Class)
		}
	}
	both := errors.Join(fault.NoTurn("A", time.Second), fault.NoTurn("B", time.Minute))
	assert.Equal(t, time.Minute, fault.Of(both).RetryAfter, "the longer of two waits counts")
}

func TestNoErrorIsNone(t *testing.T) {
	assert.Equal(t, fault.Fault{Class: fault.None}, fault.Of(nil))
	assert.True(t, fault.Is(nil, fault.None))
	assert.False(t, fault.Is(nil, fault.NotFound))
	assert.True(t, fault.Is(aiven(404, ""), fault.Exists, fault.NotFound))
	assert.False(t, fault.Is(aiven(404, ""), fault.Exists))
}

func TestMessagesAreOneCleanLine(t *testing.T) {
	withDetails := aiven(400, "Invalid input")
	withDetails.Errors = []map[string]any{{"message": "plan: unknown", "status": 400}}
	read := &net.OpError{
		Op: "read", Net: "tcp", Err: syscall.ECONNRESET,
		Source: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 51234}, Addr: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 2), Port: 443},
	}
	for name, row := range map[string]struct {
		err  error
		want string
	}{
		"the API's words stay, with operation and status": {
			fmt.Errorf("creating service: %w", aiven(400, "Invalid plan")), "Aiven rejected the request: Invalid plan (400 ServiceCreate)",
		},
		"details are kept": {withDetails, "Aiven rejected the request: Invalid input: plan: unknown (400 ServiceCreate)"},
		"an empty answer gets the name of its status": {aiven(502, ""), "Aiven failed: Bad Gateway (502 ServiceCreate)"},
		"a page of a proxy is not quoted": {
			aiven(502, "\n<!DOCTYPE html>\n<html><body>nginx</body></html>"), "Aiven failed: (a web page instead of an answer) (502 ServiceCreate)",
		},
		"the host is enough of a URL":            {get(io.EOF), "calling api.example.org: EOF"},
		"the port of the near end is left out":   {get(read), "calling api.example.org: read tcp 10.0.0.2:443: connection reset by peer"},
		"several lines become one":               {errors.Join(errors.New("one"), errors.New(" two\t\x1b[31m")), "one; two [31m"},
		"an error without text has a message":    {errors.New(""), "unknown error"},
		"a turn names the operation, not a time": {fault.NoTurn("ServiceGet", time.Second), "Waiting for a turn within Aiven's rate limit (ServiceGet)"},
		"a field stands before its problem":      {fault.InvalidSpec("spec.plan", "is empty"), "spec.plan: is empty"},
		"the time that is left is no part of it": {aiven(429, "Rate limit 120 exceeded - try again in 28s"), "Aiven limits the rate of calls: Rate limit 120 exceeded - try again later (429 ServiceCreate)"},
		"several answers are all in it":          {errors.Join(aiven(404, "no user"), aiven(500, "oops")), "Aiven found nothing: no user (404 ServiceCreate); Aiven failed: oops (500 ServiceCreate)"},
		"a problem may have no field":            {fault.InvalidSpec("", "nothing fits"), "nothing fits"},
		"secrets are redacted":                   {errors.New("postgres://u:hunter2@h/db is down"), "postgres://u:***@h/db is down"},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, row.want, fault.Of(row.err).Message) })
	}

	t.Run("a long text is cut between characters", func(t *testing.T) {
		for shift := range 4 {
			got := fault.Of(errors.New(strings.Repeat("x", shift) + strings.Repeat("€", 800))).Message
			assert.LessOrEqual(t, len(got), 1024)
			assert.Greater(t, len(got), 1000)
			assert.True(t, utf8.ValidString(got))
		}
	})
}

func TestThrottled(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	body := []byte(`{"message": "Slow down", "errors": [{"message": "Slow down", "status": 429}]}`)
	for name, row := range map[string]struct {
		status int
		header string
		want   time.Duration
		none   bool
	}{
		"seconds":                            {429, "30", 30 * time.Second, false},
		"a date":                             {429, now.Add(90 * time.Second).Format(http.TimeFormat), 90 * time.Second, false},
		"a date that is over":                {429, now.Add(-time.Minute).Format(http.TimeFormat), 0, false},
		"a 429 without a time":               {429, "", 0, false},
		"nonsense":                           {429, "soon", 0, false},
		"a negative number":                  {429, "-5", 0, false},
		"a year is five minutes":             {429, "31536000", 5 * time.Minute, false},
		"a 503 with a time":                  {503, " 7 ", 7 * time.Second, false},
		"a 503 without a time isn't meant":   {503, "", 0, true},
		"another answer with a time neither": {500, "7", 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			rsp := &http.Response{StatusCode: row.status, Header: http.Header{"Retry-After": {row.header}}}
			err := fault.Throttled("ServiceGet", rsp, body, now)
			if row.none {
				require.NoError(t, err)
				return
			}
			got := fault.Of(fmt.Errorf("observing: %w", err))
			assert.Equal(t, row.want, got.RetryAfter)
			if row.status == http.StatusTooManyRequests {
				assert.Equal(t, fault.RateLimited, got.Class)
				assert.Equal(t, "Aiven limits the rate of calls: Slow down (429 ServiceGet)", got.Message)
			} else {
				assert.Equal(t, fault.Server, got.Class, "an outage that names its end")
				assert.Equal(t, "Aiven failed: Slow down (503 ServiceGet)", got.Message)
			}

			var answer avngen.Error
			require.ErrorAs(t, err, &answer, "the client's own type is still inside")
			assert.Equal(t, row.status, answer.Status)
		})
	}
	for text, want := range map[string]time.Duration{
		"Rate limit 120 exceeded - try again in 28s":               28 * time.Second,
		"Rate limit 120 exceeded - Try again in 2 minutes":         2 * time.Minute,
		"Rate limit exceeded, retry after 40 seconds":              40 * time.Second,
		"Rate limit exceeded - try again in 900ms":                 900 * time.Millisecond,
		"Rate limit exceeded - try again in 99999999999s":          5 * time.Minute,
		"Rate limit exceeded - try again in 9223372036.854775808s": 5 * time.Minute, // the first that overflows
		"Rate limit 120 exceeded":                                  0,
	} {
		t.Run(text, func(t *testing.T) {
			rsp := &http.Response{StatusCode: http.StatusTooManyRequests, Header: http.Header{}}
			body := fmt.Sprintf(`{"message": %q, "errors": [{"message": %q, "status": 429}]}`, text, text)
			err := fault.Throttled("ServiceGet", rsp, []byte(body), now)
			assert.Equal(t, want, fault.Of(err).RetryAfter)
			assert.NotRegexp(t, `\d+ ?(ms|s|m)`, fault.Of(err).Message, "the same refusal has the same text")
			rsp.Header.Set("Retry-After", "60")
			assert.Equal(t, max(want, time.Minute), fault.Of(fault.Throttled("ServiceGet", rsp, []byte(body), now)).RetryAfter, "the longer one counts")
		})
	}
	t.Run("a body that isn't JSON is the message", func(t *testing.T) {
		rsp := &http.Response{StatusCode: http.StatusTooManyRequests, Header: http.Header{}}
		assert.EqualError(t, fault.Throttled("ServiceGet", rsp, []byte("busy"), now), "[429 ServiceGet]: busy")
	})
}
