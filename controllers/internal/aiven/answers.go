package aiven

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/aiven/go-client-codegen/handler/service"
)

// unclearError is an answer from which nothing is concluded. It is of no class that says what exists.
type unclearError struct{ operation, problem string }

func unclear(operation, problem string) error { return &unclearError{operation, problem} }

func (e *unclearError) Error() string {
	return fmt.Sprintf("unclear answer: %s (%s)", e.problem, e.operation)
}

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
		Message string            `json:"message"`
		Errors  []json.RawMessage `json:"errors"`
	}
	if err := json.Unmarshal(body, &envelope); err != nil || envelope.Message == "" || len(envelope.Errors) == 0 {
		return unclear(operation, "a 404 that isn't Aiven's: check the base URL and proxies")
	}
	return nil
}

// checkSuccess refuses a success whose body isn't a JSON object: all of Aiven's are. Only its beginning is read.
func checkSuccess(operation string, rsp *http.Response) error {
	if rsp.StatusCode == http.StatusNoContent {
		return nil
	}
	body := bufio.NewReader(rsp.Body)
	rsp.Body = struct {
		io.Reader
		io.Closer
	}{body, rsp.Body}
	for {
		first, err := body.ReadByte()
		switch {
		case err == io.EOF:
			return wrongShape(operation, "it is empty")
		case err != nil:
			return err
		case first == ' ' || first == '\t' || first == '\r' || first == '\n':
		case first == '{':
			return body.UnreadByte()
		default:
			return wrongShape(operation, "it isn't a JSON object")
		}
	}
}

// checkService refuses a service that isn't the one that was asked for. Without a name any is.
func checkService(operation, name string, out *service.ServiceGetOut) error {
	switch {
	case out.ServiceName == "" || out.ServiceType == "":
		return wrongShape(operation, "it holds no service")
	case name != "" && out.ServiceName != name:
		return wrongShape(operation, "it holds another service")
	}
	return nil
}
