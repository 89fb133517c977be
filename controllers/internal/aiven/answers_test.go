package aiven_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// answer is an API that answers every call with one status and body.
func answer(status int, body string) aiven.Options {
	return aiven.Options{BaseURL: "http://aiven.test", Transport: transportOf(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: http.Header{}, Request: r, Body: io.NopCloser(strings.NewReader(body))}, nil
	})}
}

const envelope = `{"message": "Service p/s does not exist", "errors": [{"message": "Service p/s does not exist", "status": 404}]}`

func TestAnAbsenceNeedsAivensOwnAnswer(t *testing.T) {
	for name, tc := range map[string]struct {
		status int
		body   string
		absent bool
		want   string
	}{
		"Aiven's 404":              {404, envelope, true, "does not exist"},
		"a proxy's page":           {404, "<html>Not Found</html>", false, "a 404 that isn't Aiven's"},
		"a 404 of a route":         {404, "404: Not Found", false, "a 404 that isn't Aiven's"},
		"another API's 404":        {404, `{"error": "no such route"}`, false, "a 404 that isn't Aiven's"},
		"an empty 404":             {404, "", false, "a 404 that isn't Aiven's"},
		"a 404 with text as error": {404, `{"message": "Not Found", "errors": ["no route"]}`, false, "a 404 that isn't Aiven's"},
		"a 404 with null as error": {404, `{"message": "Not Found", "errors": [null]}`, false, "a 404 that isn't Aiven's"},
		"a 404 without errors":     {404, `{"message": "Not Found", "errors": []}`, false, "a 404 that isn't Aiven's"},
		"a 200 without a body":     {200, "", false, "wrong shape: it is empty"},
		"a 200 with a page":        {200, " \n<html>", false, "wrong shape: it isn't a JSON object"},
		"a 200 with a list":        {200, `[]`, false, "wrong shape: it isn't a JSON object"},
		"an empty object":          {200, `{}`, false, "wrong shape: it holds no service"},
		"an empty service":         {200, `{"service": {}}`, false, "wrong shape: it holds no service"},
		"a service without a type": {200, `{"service": {"service_name": "s", "service_type": ""}}`, false, "wrong shape: it holds no service"},
		"another service":          {200, `{"service": {"service_name": "x", "service_type": "pg"}}`, false, "wrong shape: it holds another service"},
		"a user without a name":    {200, `{"service": {"service_name": "s", "service_type": "pg", "users": [{"password": "x"}]}}`, false, "an entry of the service has no name"},
		"a pool without a name":    {200, `{"service": {"service_name": "s", "service_type": "pg", "connection_pools": [{}]}}`, false, "an entry of the service has no name"},
		"a topic without a name":   {200, `{"service": {"service_name": "s", "service_type": "pg", "topics": [{}]}}`, false, "an entry of the service has no name"},
		"an unnamed database":      {200, `{"service": {"service_name": "s", "service_type": "pg", "databases": [""]}}`, false, "an entry of the service has no name"},
		"half an answer":           {200, `{"service": {"service_name": "s", `, false, "unexpected end of JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := clientFor(t, answer(tc.status, tc.body)).Service(t.Context(), "p", "s")
			require.ErrorContains(t, err, tc.want)
			assert.Equal(t, tc.absent, fault.Is(err, fault.NotFound))
			if !tc.absent {
				assert.True(t, aiven.MayHaveApplied(err), "nothing is concluded")
			}
		})
	}
}

func TestADeletionByAnotherMethodNeedsAFieldOfItsAnswer(t *testing.T) {
	for body, unconfirmed := range map[string]bool{`{"data": []}`: false, `{"meta": null}`: false, `{}`: true, `{"status": "maintenance"}`: true, ``: true} {
		assert.Equal(t, unconfirmed, aiven.IsUnconfirmed(aiven.CheckDeletion("ServiceClickHouseQuery", []byte(body), "data", "meta")), body)
	}
}

func TestADeletionNeedsAivensOwnAnswer(t *testing.T) {
	for name, tc := range map[string]struct {
		status int
		body   string
		done   bool
	}{
		"a message":       {200, `{"message": "deleted"}`, true},
		"a list of rules": {200, `{"acl": []}`, true},
		"a VPC":           {200, `{"project_vpc_id": "vpc-1", "state": "DELETING"}`, true},
		"an empty object": {200, ` {}`, false},
		"a foreign one":   {200, `{"status": "maintenance"}`, false},
		"no text":         {200, `{"message": null}`, false},
		"no content":      {204, "", true},
		"a page":          {200, "<html>", false},
		"nothing":         {200, "", false},
		"Aiven's errors":  {200, `{"message": "Forbidden", "errors": [{"message": "Forbidden", "status": 403}]}`, false},
		"a proxy's error": {200, `{"error": "upstream unavailable"}`, false},
		"an error object": {202, `{"error": {"code": 502}}`, false},
		"a bare error":    {200, `{"error": true}`, false},
		"errors as text":  {200, ` {"errors": "no"}`, false},
		"half an answer":  {200, `{"message": "deleted"`, false},
		"a long page":     {200, "{" + strings.Repeat("x", 70<<10), false},
		"a late error":    {200, `{"message": "` + strings.Repeat("x", 70<<10) + `", "error": "upstream unavailable"}`, false},
		"a long answer":   {200, `{"acl": ["` + strings.Repeat("x", 70<<10) + `"]}`, true},
		"two answers":     {200, `{"message": "deleted"}{"error": "no"}`, false},
		"no errors":       {200, `{"message": "deleted", "errors": []}`, true},
		"errors are null": {200, `{"message": "deleted", "errors": null, "error": null}`, true},
		"no error":        {200, `{"message": "deleted", "errors": {}, "error": ""}`, true},
		"errors inside":   {200, `{"message": "done", "service": {"error": "once", "errors": ["x"]}}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			err := clientFor(t, answer(tc.status, tc.body)).API().ServiceDelete(t.Context(), "p", "s")
			assert.Equal(t, tc.done, err == nil, "%v", err)
			assert.False(t, fault.Is(err, fault.NotFound))
			assert.Equal(t, !tc.done, err != nil && aiven.MayHaveApplied(err), "nothing is concluded")
		})
	}
}

func TestASuccessWithErrorsIsNoAnswerToARead(t *testing.T) {
	_, err := clientFor(t, answer(200, `{"acl": [], "errors": [{"message": "Forbidden", "status": 403}]}`)).API().ServiceKafkaAclList(t.Context(), "p", "s")
	require.ErrorContains(t, err, "wrong shape: it holds an error")
}

func TestAnAnswerThatBreaksOffIsAnError(t *testing.T) {
	for _, size := range []int{10, 64 << 10, 1 << 20} {
		calls := 0
		a := clientFor(t, aiven.Options{BaseURL: "http://aiven.test", Transport: transportOf(func(r *http.Request) (*http.Response, error) {
			calls++
			body := io.MultiReader(strings.NewReader(`{"message": "`+strings.Repeat("x", size)), iotest.ErrReader(io.ErrUnexpectedEOF))
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Request: r, Body: io.NopCloser(body)}, nil
		})})
		err := a.API().ServiceDelete(t.Context(), "p", "s")
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		assert.True(t, aiven.MayHaveApplied(err), "nothing is concluded")
		calls = 0
		_, err = a.API().ServiceGet(t.Context(), "p", "s")
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		assert.Equal(t, 1, calls, "nothing is tried again after an answer began")
	}
}

func TestALongAnswerArrivesWholeAndOnlyItsBeginningIsChecked(t *testing.T) {
	for _, size := range []int{100, 64<<10 - 40, 64 << 10, 3 << 20} {
		long := strings.Repeat("x", size)
		out, err := clientFor(t, answer(200, `{"service": {"service_name": "`+long+`"}, "error": null}`)).API().ServiceGet(t.Context(), "p", "s")
		require.NoError(t, err)
		assert.Equal(t, size, len(out.ServiceName))
	}
}

func TestOddAnswersAboutTopicsAndTheCAAreErrors(t *testing.T) {
	a := clientFor(t, answer(200, `{}`))
	_, err := a.CA(t.Context(), "p")
	require.ErrorContains(t, err, "it holds no certificate")
	_, err = a.Topic(t.Context(), "p", "s", "t")
	require.ErrorContains(t, err, "it holds another topic or none")
}
