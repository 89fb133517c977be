package localaiven

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxBody is the largest request body, in bytes.
const maxBody = 1 << 20

// call is one request on its way through the server.
type call struct {
	*http.Request
	operation string
	arrived   time.Time
	body      []byte
	tooLarge  bool
}

// answer is what goes back. A nil value is {}; raw is JSON that needs no encoding; dropped is no answer at all, and cut half of
// one.
type answer struct {
	status  int
	value   any
	header  map[string]string
	dropped bool
	cut     bool
	faultID string
}

// raw is an answer already in JSON.
type raw []byte

func (c *call) param(name string) string { return c.PathValue(name) }

// secrets reports whether the client asked to see them.
func (c *call) secrets() bool { return c.URL.Query().Get("include_secrets") == "true" }

// serve takes a call through its stations.
func (s *Server) serve(operation string, handle handler, w http.ResponseWriter, r *http.Request) {
	c := &call{Request: r, operation: operation, arrived: s.clock.Now()}
	s.stats.arrived(operation)
	pause(s.options.Latency + jitter(s.options.Jitter))
	c.read(w)
	a := s.answer(c, handle)
	s.stats.answered(a.status)
	s.journal.add(Entry{
		Time: c.arrived, Method: r.Method, Path: r.URL.EscapedPath(), Operation: operation, Status: a.status,
		Token: tokenHash(token(r)), Fault: a.faultID, Body: redact(c.body),
	})
	if a.dropped {
		panic(http.ErrAbortHandler) // how a net/http handler closes the connection without an answer
	}
	s.write(w, a)
}

func pause(d time.Duration) {
	if d > 0 {
		time.Sleep(d) //nolint:forbidigo // latency that was configured
	}
}

// jitter is anything up to d.
func jitter(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return rand.N(d) // no secret
}

func (c *call) read(w http.ResponseWriter) {
	body, err := io.ReadAll(http.MaxBytesReader(w, c.Body, maxBody))
	var tooLarge *http.MaxBytesError
	c.tooLarge = errors.As(err, &tooLarge)
	if !c.tooLarge {
		c.body = body
	}
}

// answer applies the call, or what a fault makes of it.
func (s *Server) answer(c *call, handle handler) answer {
	f := s.faults.match(c)
	if f == nil {
		return s.apply(c, handle)
	}
	pause(time.Duration(f.Effect.Delay))
	if f.Effect.Hold == BeforeApply {
		s.faults.hold(f)
	}
	if f.Effect.Drop == BeforeApply {
		return answer{dropped: true, faultID: f.ID}
	}
	var a answer
	if applies := f.Effect.Status == 0 || f.Effect.Drop == AfterApply || f.Effect.Hold == AfterApply; applies {
		a = s.apply(c, handle)
	}
	if f.Effect.Hold == AfterApply {
		s.faults.hold(f)
	}
	if f.Effect.Drop == AfterApply {
		return answer{dropped: true, faultID: f.ID}
	}
	return f.Effect.on(c, a, f.ID)
}

// on is the answer that the fault makes of the handler's.
func (e Effect) on(c *call, a answer, id string) answer {
	a.faultID, a.cut = id, e.Cut
	if len(e.Header) > 0 {
		a.header = e.Header
	}
	if e.Status == 0 {
		return a
	}
	message := "Injected fault"
	if e.Echo {
		message += " for " + c.Header.Get("Authorization") + " " + string(c.body)
	}
	a.status, a.value = e.Status, any((&apiError{e.Status, message}).body())
	if len(e.Body) > 0 {
		a.value = raw(e.Body)
	}
	return a
}

func (s *Server) apply(c *call, handle handler) answer {
	fail := s.authorize(c)
	var value any
	var wait time.Duration
	if fail == nil && s.limits.Calls > 0 {
		wait = s.limits.take(s.caller(c))
	}
	switch {
	case fail != nil:
	case wait > 0:
		return s.limits.refusal(wait)
	case c.tooLarge:
		fail = &apiError{http.StatusRequestEntityTooLarge, "Request body is too large"}
	default:
		value, fail = handle(c)
	}
	if fail != nil {
		return answer{status: fail.status, value: fail.body()}
	}
	if value == nil && c.Method == http.MethodDelete {
		value = map[string]string{"message": "deleted"}
	}
	return answer{status: http.StatusOK, value: value}
}

func token(r *http.Request) string {
	scheme, value, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "aivenv1") && !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(value)
}

func (s *Server) write(w http.ResponseWriter, a answer) {
	body, ok := a.value.(raw)
	switch {
	case ok:
	case a.value == nil:
		body = raw("{}")
	default:
		encoded, err := json.Marshal(a.value)
		if err != nil {
			s.log.Error("encoding an answer", "error", err)
		}
		body = encoded
	}
	w.Header().Set("Content-Type", "application/json")
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	whole := len(body)
	if a.cut {
		w.Header().Set("Content-Length", strconv.Itoa(whole))
		body = body[:whole/2]
	}
	w.WriteHeader(a.status)
	if _, err := w.Write(body); err != nil {
		s.log.Debug("client went away", "error", err)
	}
	if a.cut {
		panic(http.ErrAbortHandler)
	}
}

// decode reads the body into the request type of the public client. What that type doesn't know is an error, as with the
// original, whose schemas allow no additional properties.
func (c *call) decode(into any) *apiError {
	if len(bytes.TrimSpace(c.body)) == 0 {
		c.body = []byte("{}") // the client sends nothing at all for an empty request
	}
	decoder := json.NewDecoder(bytes.NewReader(c.body))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil && !decoder.More():
		return nil
	case errors.As(err, &wrong):
		return badRequest("Invalid input for %s: must not be of type %s", wrong.Field, wrong.Value)
	case err == nil, errors.As(err, &syntax), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return badRequest("Request body is not valid JSON")
	}
	return badRequest("Invalid input: %s", strings.TrimPrefix(err.Error(), "json: "))
}

// names reports whether the request names the key. The client always names project_vpc_id: null moves out of the VPC.
func (c *call) names(key string) bool {
	var keys map[string]json.RawMessage
	err := json.Unmarshal(c.body, &keys)
	_, named := keys[key]
	return err == nil && named
}

// internal hides what went wrong inside from the client, and logs it.
func (s *Server) internal(c *call, doing string, err error) *apiError {
	s.log.Error(doing, "operation", c.operation, "path", c.URL.Path, "error", err)
	return &apiError{http.StatusInternalServerError, "An error occurred while " + doing}
}
