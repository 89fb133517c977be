package fault

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	avngen "github.com/aiven/go-client-codegen"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ofAiven classifies a response of the Aiven API by its status, and by its words where the status alone misleads.
func ofAiven(e avngen.Error) Class {
	text := apiText(e)
	if class, ok := ofOperation(e.OperationID, e.Status, text); ok {
		return class
	}
	switch e.Status {
	case http.StatusPaymentRequired:
		return Exhausted
	case http.StatusUnauthorized:
		return Unauthorized
	case http.StatusNotFound:
		if blamesInternalUser(text) {
			return Server
		}
		return NotFound
	case http.StatusConflict:
		if saysExists(text) {
			return Exists
		}
	case http.StatusForbidden:
		if blamesToken(text) {
			return Unauthorized
		}
	}
	switch e.Status {
	case http.StatusBadRequest, http.StatusForbidden, http.StatusConflict, http.StatusUnprocessableEntity:
		if saysExhausted(e.OperationID, e.Status, text) {
			return Exhausted
		}
	}
	return ofStatus(e.Status)
}

// IsBadRequest reports whether Aiven refused a call with a 400. Other refusals, such as a 405, may be those of a proxy.
func IsBadRequest(err error) bool {
	answer, answered := answerOf(err)
	return answered && answer.Status == http.StatusBadRequest
}

// IsStranger reports whether Aiven refused a call because the user of the token is no member of the project: there is one.
func IsStranger(err error) bool {
	answer, answered := answerOf(err)
	return answered && answer.Status == http.StatusForbidden && strangerPhrase.MatchString(apiText(answer))
}

// ofStatus classifies a bare HTTP status.
func ofStatus(status int) Class {
	switch status {
	case http.StatusRequestTimeout:
		return Timeout
	case http.StatusTooEarly:
		return Server
	case http.StatusTooManyRequests:
		return RateLimited
	case http.StatusForbidden:
		return Forbidden
	case http.StatusConflict, http.StatusLocked:
		return Conflict
	case http.StatusExpectationFailed:
		// Aiven answers a DELETE with 417 while something that depends on the resource is still going.
		return Conflict
	}
	switch {
	case status >= 500:
		return Server
	case status >= 400:
		return Rejected
	}
	return Unknown
}

// apiText is the message of a response with its details, as those may hold the decisive words.
func apiText(e avngen.Error) string {
	if e.Errors == nil {
		return e.Message
	}
	details, err := json.Marshal(e.Errors)
	if err != nil {
		return e.Message
	}
	return e.Message + " " + string(details)
}

// ofKubernetes classifies a response of the Kubernetes API. Its 401 and 403 speak of the operator's own service account and
// never of an Aiven token, so they are Unknown: waited out like infrastructure.
func ofKubernetes(s metav1.Status) result {
	switch s.Reason {
	case metav1.StatusReasonAlreadyExists:
		return result{class: Exists}
	case metav1.StatusReasonTimeout, metav1.StatusReasonServerTimeout:
		return result{class: Timeout}
	case metav1.StatusReasonForbidden:
		if strings.Contains(s.Message, "exceeded quota") {
			return result{class: Exhausted}
		}
	}
	switch s.Code {
	case http.StatusUnauthorized, http.StatusForbidden:
		return result{class: Unknown}
	case http.StatusNotFound:
		return result{class: NotFound}
	case http.StatusTooManyRequests:
		seconds, _ := apierrors.SuggestsClientDelay(&apierrors.StatusError{ErrStatus: s})
		return result{class: RateLimited, retryAfter: bounded(time.Duration(seconds) * time.Second)}
	case http.StatusGatewayTimeout:
		return result{class: Timeout}
	}
	return result{class: ofStatus(int(s.Code))}
}

// Throttled returns a *RateLimitError if an answer asks to come back later: any 429, and a 503 with a Retry-After.
// Otherwise it returns nil. The wait is in the header, or in the text, or in both: the longer one counts. The generated
// client would drop the header, so its transport asks this first. operation is the API's name of the call, body its
// answer, now the time that a Retry-After date is measured from.
func Throttled(operation string, rsp *http.Response, body []byte, now time.Time) error {
	header := rsp.Header.Get("Retry-After")
	if rsp.StatusCode != http.StatusTooManyRequests && (rsp.StatusCode != http.StatusServiceUnavailable || header == "") {
		return nil
	}
	answer := answerFrom(operation, rsp.StatusCode, body)
	wait := bounded(max(RetryAfter(header, now), waitInText(apiText(answer))))
	if tryAgain.MatchString(answer.Message) {
		answer.Message, answer.Errors = tryAgain.ReplaceAllString(answer.Message, "$1 later"), nil
	}
	return &RateLimitError{Answer: answer, RetryAfter: wait}
}

// RefusesToken reports whether an answer refuses the token, and not what was asked with it. Its parameters are those of
// Throttled.
func RefusesToken(operation string, status int, body []byte) bool {
	return status >= http.StatusBadRequest && ofAiven(answerFrom(operation, status, body)) == Unauthorized
}

// answerFrom is an answer as the generated client has it.
func answerFrom(operation string, status int, body []byte) avngen.Error {
	answer := avngen.Error{OperationID: operation, Status: status}
	if err := json.Unmarshal(body, &answer); err != nil && !json.Valid(body) {
		answer.Message = string(body)
	}
	return answer
}
