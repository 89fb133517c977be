package aiven_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	avnclickhouse "github.com/aiven/go-client-codegen/handler/clickhouse"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// wire is a network on which every call gets the same bytes. It keeps what HTTP made of them.
type wire struct {
	*http.Transport
	mu  sync.Mutex
	got []*delivery
}

// delivery is what the client has read of an answer.
type delivery struct {
	io.ReadCloser
	status int
	body   bytes.Buffer
	whole  bool
}

func newWire(answer []byte) *wire {
	return &wire{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		go func() {
			defer func() { _ = far.Close() }()
			_, _ = far.Read(make([]byte, 64<<10)) // the request, which has no more
			_, _ = far.Write(answer)
		}()
		return near, nil
	}}}
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	rsp, err := w.Transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	d := &delivery{ReadCloser: rsp.Body, status: rsp.StatusCode}
	rsp.Body = d
	w.mu.Lock()
	defer w.mu.Unlock()
	w.got = append(w.got, d)
	return rsp, nil
}

func (d *delivery) Read(p []byte) (int, error) {
	n, err := d.ReadCloser.Read(p)
	d.body.Write(p[:n])
	d.whole = d.whole || err == io.EOF
	return n, err
}

// has reports whether an answer was a success, and one that a condition holds for.
func has[T any](w *wire, holds func(T) bool) bool {
	return slices.ContainsFunc(w.got, func(d *delivery) bool {
		var answer T
		return d.status/100 == 2 && d.whole && json.Unmarshal(d.body.Bytes(), &answer) == nil && holds(answer)
	})
}

// missing reports whether an answer was Aiven's 404.
func (w *wire) missing() bool {
	for _, d := range w.got {
		var a struct {
			Message string           `json:"message"`
			Errors  []map[string]any `json:"errors"`
		}
		if d.status == http.StatusNotFound && json.Unmarshal(d.body.Bytes(), &a) == nil && a.Message != "" && len(a.Errors) > 0 && a.Errors[0] != nil {
			return true
		}
	}
	return false
}

type namedService struct {
	Name string `json:"service_name"`
	Type string `json:"service_type"`
}

// isUnset reports whether a field says that nothing went wrong.
func isUnset(field any) bool {
	return slices.Contains([]string{"<nil>", "false", "", "[]", "map[]"}, fmt.Sprint(field))
}

func compressed(t testing.TB, body string) string {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	_, err := io.WriteString(zip, body)
	require.NoError(t, err)
	require.NoError(t, zip.Close())
	return out.String()
}

// calls are the calls whose answers decide what exists. Each returns its error, and whether the answer says what it concluded.
var calls = map[string]func(ctx context.Context, w *wire, c *aiven.Client) (bool, error){
	"a service": func(ctx context.Context, w *wire, c *aiven.Client) (bool, error) {
		_, err := c.Service(ctx, "p", "s")
		return has(w, func(a struct {
			Service struct {
				namedService
				Users []struct{ Username string }
			}
		}) bool {
			unnamed := slices.ContainsFunc(a.Service.Users, func(u struct{ Username string }) bool { return u.Username == "" })
			return a.Service.Name == "s" && a.Service.Type != "" && !unnamed
		}), err
	},
	"the services": func(ctx context.Context, w *wire, c *aiven.Client) (bool, error) {
		absent, err := c.ServiceAbsent(ctx, "p", "s")
		return has(w, func(a struct{ Services *[]namedService }) bool {
			return a.Services != nil && !slices.ContainsFunc(*a.Services, func(s namedService) bool { return s.Name == "" || s.Type == "" }) &&
				absent != slices.ContainsFunc(*a.Services, func(s namedService) bool { return s.Name == "s" })
		}), err
	},
	"users": func(ctx context.Context, w *wire, c *aiven.Client) (bool, error) {
		_, err := aiven.List(ctx, c, chUsers, aiven.ListSource[[]avnclickhouse.UserOut]{
			Read: func(ctx context.Context) ([]avnclickhouse.UserOut, error) {
				return c.API().ServiceClickHouseUserList(ctx, "p", "s")
			},
			Items: aiven.IndexBy(func(u avnclickhouse.UserOut) string { return u.Name }),
		})
		return has(w, func(a struct{ Users *[]struct{ Name string } }) bool {
			return a.Users != nil && !slices.ContainsFunc(*a.Users, func(u struct{ Name string }) bool { return u.Name == "" })
		}), err
	},
	"a topic": func(ctx context.Context, w *wire, c *aiven.Client) (bool, error) {
		type topic struct {
			Name string `json:"topic_name"`
		}
		_, err := c.Topic(ctx, "p", "s", "t")
		return has(w, func(a struct{ Topic topic }) bool { return a.Topic.Name == "t" }) ||
			has(w, func(a struct{ Topics []topic }) bool { return slices.Contains(a.Topics, topic{"t"}) }), err
	},
	"a deletion": func(ctx context.Context, w *wire, c *aiven.Client) (bool, error) {
		err := c.API().ServiceDelete(ctx, "p", "s")
		nothing := slices.ContainsFunc(w.got, func(d *delivery) bool { return d.status == http.StatusNoContent })
		return nothing || has(w, func(a struct{ Error, Errors any }) bool {
			return isUnset(a.Error) && isUnset(a.Errors)
		}), err
	},
}

// FuzzAnswers answers calls with anything. Nothing panics, and an answer that isn't Aiven's says nothing about what exists.
func FuzzAnswers(f *testing.F) {
	const (
		services = `{"services": [{"service_name": "s", "service_type": "pg"}]}`
		one      = `{"service": {"service_name": "s", "service_type": "pg", "state": "RUNNING", "users": [{"username": "u"}]}}`
		topic    = `{"topic": {"topic_name": "t", "partitions": []}, "topics": [{"topic_name": "t"}]}`
	)
	for _, seed := range []struct {
		status uint16
		header string
		zipped bool
		body   string
	}{
		{200, "", false, one},
		{200, "", true, one},
		{200, "", false, services},
		{200, "", false, topic},
		{200, "", false, `{"users": [{"name": "u", "uuid": "1"}]}`},
		{200, "", false, `{"message": "deleted"}`},
		{200, "Content-Length: 20", false, one},
		{200, "Content-Length: 2000", false, one},
		{200, "Content-Length: 0", false, one},
		{200, "Transfer-Encoding: chunked", false, one},
		{200, "Transfer-Encoding: chunked", false, "2\r\n{}\r\n0\r\n\r\n"},
		{200, "Content-Encoding: gzip", false, one},
		{200, "", true, one[:40]},
		{200, "Content-Type: text/html", false, "<!doctype html><html>200 OK</html>"},
		{200, "", false, ""},
		{200, "", false, `{}`},
		{200, "", false, `null`},
		{200, "", false, `{"service": null, "services": null, "users": null, "topic": null, "topics": null}`},
		{200, "", false, `{"service": {}, "services": [{}], "users": [{}], "topic": {}, "topics": [{}]}`},
		{200, "", false, `{"service": {"users": [{}]}, "services": [null], "users": [null], "topics": [null]}`},
		{200, "", false, `{"service": {"service_name": "s", "service_type": "pg", "users": [{"username": ""}]}}`},
		{200, "", false, `{"service": [], "services": {}, "users": "", "topic": 1, "topics": true}`},
		{200, "", false, `{"service": {"service_name": 1, "service_type": ["pg"], "disk_space_mb": "many"}}`},
		{200, "", false, `{"service": {"service_name": "s", "service_type": "pg", "connection_info": 1, "plan": 1e999}}`},
		{200, "", false, `{"service": {"service_name": "s", "service_type": "pg", "disk_space_mb": 1e300, "node_count": 99999999999999999999}}`},
		{200, "", false, `{"services": [{"service_name": "s", "service_type": "pg", "connection_info": {"pg": 1}}]}`},
		{200, "", false, `{"service": {"service_name": "s"}, "service": {"service_type": "pg"}}`},
		{200, "", false, `{"service": {"service_name": "x", "service_type": "pg", "service_name": "s"}}`},
		{200, "", false, `{"services": [], "services": [{"service_name": "s", "service_type": "pg"}]}`},
		{200, "", false, one[:60]},
		{200, "", false, one + one},
		{200, "", false, `{"service": ` + strings.Repeat(`{"a": `, 2000)},
		{200, "", false, `{"service": {"service_name": "s", "service_type": "pg", "user_config": ` + strings.Repeat("[", 999) + strings.Repeat("]", 999) + `}}`},
		{200, "", false, `{"message": "Forbidden", "errors": [{"message": "Forbidden", "status": 403}], "services": [], "users": []}`},
		{200, "", false, "\xef\xbb\xbf" + one},
		{201, "", false, one},
		{204, "", false, ""},
		{206, "Content-Range: bytes 0-9/99", false, `{"services": []}`},
		{301, "Location: /v1/project/p/service/s", false, one},
		{400, "", false, `{"message": "no", "errors": [{"message": "no", "status": 400}]}`},
		{401, "", false, envelope},
		{403, "", false, `{"message": "` + token + `", "errors": ["` + token + `"]}`},
		{404, "", false, envelope},
		{404, "", true, envelope},
		{404, "", false, `{"message": "Not Found", "errors": []}`},
		{404, "", false, `{"message": "Not Found", "errors": ["no route"]}`},
		{404, "", false, `{"message": "Not Found", "errors": [null]}`},
		{404, "", false, `{"message": "Not Found", "errors": {"status": 404}}`},
		{404, "", false, `{"message": ["Not Found"], "errors": [1e999]}`},
		{404, "", false, `{"error": {"code": 404}}`},
		{404, "", false, "404 page not found"},
		{404, "", false, envelope[:30]},
		{404, "", false, `{"message": "x", "errors": [` + strings.Repeat("[", 999) + strings.Repeat("]", 999) + `]}`},
		{409, "", false, `{"message": "Service already exists", "errors": [{"message": "Service already exists"}]}`},
		{410, "", false, envelope},
		{429, "Retry-After: 7", false, `{"message": "Rate limit 120 exceeded - try again in 28s"}`},
		{429, "Retry-After: 99999999999999999999", false, `{"message": "try again in 1e9 days"}`},
		{429, "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT", false, ""},
		{503, "Retry-After: -1", false, "<html>"},
		{500, "", false, strings.Repeat("secret", 2000)},
		{500, "", false, `{"message": "` + strings.Repeat("x", 64<<10-33) + token + `", "errors": []}`}, // what is read of an error ends within the token
		{404, "", true, `{"message": "` + strings.Repeat("x", 64<<10) + `", "errors": [{"message": "Not Found", "status": 404}]}`},
		{599, "", false, envelope},
		{999, "", false, one},
		{0, "", false, one},
		{101, "Upgrade: x", false, one},
	} {
		f.Add(seed.status, seed.header, seed.zipped, []byte(seed.body))
	}
	f.Fuzz(func(t *testing.T, status uint16, header string, zipped bool, body []byte) {
		answer := fmt.Sprintf("HTTP/1.1 %03d x\r\n", status%1000)
		if header != "" {
			answer += header + "\r\n"
		}
		if zipped {
			answer, body = answer+"Content-Encoding: gzip\r\n", []byte(compressed(t, string(body)))
		}
		for name, call := range calls {
			w := newWire(append([]byte(answer+"\r\n"), body...))
			clients := aiven.New(aiven.Options{BaseURL: "http://aiven.test", Transport: w, WatchInterval: time.Minute})
			clients.Close()
			client, err := clients.ForToken(token)
			require.NoError(t, err)
			said, err := call(t.Context(), w, client)
			if err == nil {
				assert.True(t, said, "%s: concluded from %q", name, answer)
				continue
			}
			assert.True(t, !fault.Is(err, fault.NotFound) || name != "users" && w.missing(), "%s is missing: %v", name, err)
			got := fault.Of(err)
			assert.NotContains(t, err.Error()+got.Message, token, name)
			assert.NotContains(t, err.Error(), "a panic while reading", name)
			assert.LessOrEqual(t, len(got.Message), 1024, name)
			assert.LessOrEqual(t, got.RetryAfter, 5*time.Minute, name)
			assert.GreaterOrEqual(t, got.RetryAfter, time.Duration(0), name)
		}
	})
}
