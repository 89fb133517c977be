package aiven

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/aiven/go-client-codegen/handler/service"
)

// unclearError is an answer from which nothing is concluded. It is of no class that says what exists.
type unclearError struct {
	operation, problem string
	cause              error // what is concluded nevertheless; nil if nothing is
}

func unclear(operation, problem string) error {
	return &unclearError{operation: operation, problem: problem}
}

func (e *unclearError) Error() string {
	what := "unclear answer"
	if e.cause != nil {
		what = e.cause.Error()
	}
	return fmt.Sprintf("%s: %s (%s)", what, e.problem, e.operation)
}

func (e *unclearError) Unwrap() error { return e.cause }

// wrongShape is a success that doesn't hold what was asked for.
func wrongShape(operation, problem string) error {
	return unclear(operation, "a 200 with the wrong shape: "+problem)
}

// checkMissing refuses a 404 without Aiven's error envelope: it comes from a proxy, or from a base URL that isn't the
// API's, and says nothing about what exists.
func checkMissing(operation string, status int, body []byte) error {
	if status != http.StatusNotFound {
		return nil
	}
	var envelope struct {
		Message string                       `json:"message"`
		Errors  []map[string]json.RawMessage `json:"errors"`
	}
	if err := json.Unmarshal(body, &envelope); err != nil || envelope.Message == "" || len(envelope.Errors) == 0 || envelope.Errors[0] == nil {
		return unclear(operation, "a 404 that isn't Aiven's: check the base URL and proxies")
	}
	return nil
}

// checkSuccess refuses a success whose body isn't a JSON object, as all of Aiven's are, one that holds an error, and one of a DELETE that
// doesn't confirm it: a proxy may answer so, and the DELETE would count as done. Of a long answer to a GET only the beginning is read: its reader
// decodes it. For many a write there is no such reader.
func checkSuccess(operation, method string, rsp *http.Response) error {
	if rsp.StatusCode == http.StatusNoContent {
		return nil
	}
	longest := int64(longestAnswer)
	if method == http.MethodGet {
		longest = longestRefusal // no error is longer
	}
	head, err := io.ReadAll(io.LimitReader(rsp.Body, longest+1))
	if err != nil && len(head) == 0 {
		return err
	}
	rest := io.Reader(rsp.Body)
	if err != nil {
		rest = failingReader{err: err}
	}
	rsp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(head), rest), rsp.Body}
	switch body := bytes.TrimLeft(head, " \t\r\n"); {
	case len(body) == 0:
		return wrongShape(operation, "it is empty")
	case body[0] != '{':
		return wrongShape(operation, "it isn't a JSON object")
	case err == nil && int64(len(head)) <= longest: // an error of reading is met by the body's reader
		return cmp.Or(checkNoError(operation, head), checkConfirmed(operation, method, head))
	}
	return nil
}

// unconfirmedError is a success of a deletion that may be another program's.
type unconfirmedError struct{ error }

func (e *unconfirmedError) Unwrap() error { return e.error }

// IsUnconfirmed reports whether a deletion was answered by a success that doesn't confirm it. Only a read shows what was done.
func IsUnconfirmed(err error) bool {
	var unconfirmed *unconfirmedError
	return errors.As(err, &unconfirmed)
}

// checkConfirmed refuses an answer to a DELETE that has neither a message nor what is left or deleted, as some of Aiven's have.
func checkConfirmed(operation, method string, body []byte) error {
	if method != http.MethodDelete || Confirms(body) {
		return nil
	}
	return CheckDeletion(operation, body, "acl", "project_vpc_id")
}

// CheckDeletion returns an error for which IsUnconfirmed is true if the answer to a deletion has none of the fields that Aiven's has. It is
// for deletions by another method than DELETE.
func CheckDeletion(operation string, body []byte, fields ...string) error {
	if slices.ContainsFunc(fields, func(name string) bool { return HasField(body, name) }) {
		return nil
	}
	return &unconfirmedError{wrongShape(operation, "it confirms no deletion")}
}

// checkNoError refuses the whole body of a success that holds an error.
func checkNoError(operation string, body []byte) error {
	// No type of the generated client has one of these fields at the top of an answer.
	var failure struct {
		Error  any `json:"error"`
		Errors any `json:"errors"`
	}
	switch err := json.Unmarshal(body, &failure); {
	case err != nil:
		return wrongShape(operation, err.Error())
	case isSet(failure.Error) || isSet(failure.Errors):
		return wrongShape(operation, "it holds an error")
	}
	return nil
}

// isSet reports whether a value of JSON isn't null and isn't empty.
func isSet(value any) bool {
	switch value := value.(type) {
	case []any:
		return len(value) > 0
	case map[string]any:
		return len(value) > 0
	}
	return value != nil && value != "" && value != false
}

// failingReader is the end of a body that couldn't be read whole.
type failingReader struct{ err error }

// Read implements io.Reader.
func (r failingReader) Read([]byte) (int, error) { return 0, r.err }

// checkService refuses a service that isn't the one that was asked for. Without a name any is.
func checkService(operation, name string, out *service.ServiceGetOut) error {
	switch {
	case out.ServiceName == "" || out.ServiceType == "":
		return wrongShape(operation, "it holds no service")
	case name != "" && out.ServiceName != name:
		return wrongShape(operation, "it holds another service")
	case hasUnnamed(out):
		return wrongShape(operation, "an entry of the service has no name")
	}
	return nil
}

// hasUnnamed reports whether an entry of a service lacks its name: one that seems to be absent could be it.
func hasUnnamed(out *service.ServiceGetOut) bool {
	return slices.ContainsFunc(out.Users, func(u User) bool { return u.Username == "" }) ||
		slices.ContainsFunc(out.ConnectionPools, func(p Pool) bool { return p.PoolName == "" }) ||
		slices.ContainsFunc(out.Topics, func(t Topic) bool { return t.TopicName == "" }) ||
		slices.Contains(out.Databases, "")
}
