package aiven_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/tracing"
)

// recorded returns a provider of traces, and what it has recorded.
func recorded() (*sdktrace.TracerProvider, *tracetest.SpanRecorder) {
	recorder := tracetest.NewSpanRecorder()
	return sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)), recorder
}

// attributes of the only span of a name that has ended.
func attributes(t *testing.T, recorder *tracetest.SpanRecorder, name string) (sdktrace.ReadOnlySpan, map[attribute.Key]string) {
	t.Helper()
	var found []sdktrace.ReadOnlySpan
	for _, span := range recorder.Ended() {
		if span.Name() == name {
			found = append(found, span)
		}
	}
	require.Len(t, found, 1, name)
	got := map[attribute.Key]string{}
	for _, a := range found[0].Attributes() {
		got[a.Key] = a.Value.String()
	}
	return found[0], got
}

func TestTheAttributesOfAnAttempt(t *testing.T) {
	const database = "/v1/project/{project}/service/{service}/db/{database}"
	for name, tc := range map[string]struct {
		status int
		want   map[attribute.Key]string
		failed bool
	}{
		"an answer":                  {200, map[attribute.Key]string{"http.response.status_code": "200"}, false},
		"nothing there":              {404, map[attribute.Key]string{"http.response.status_code": "404"}, false},
		"a refusal":                  {409, map[attribute.Key]string{"http.response.status_code": "409", "error.type": "409"}, true},
		"an error":                   {502, map[attribute.Key]string{"http.response.status_code": "502", "error.type": "502"}, true},
		"no listener at the address": {0, map[attribute.Key]string{"error.type": "Network"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			provider, recorder := recorded()
			url := "http://127.0.0.1:1"
			if tc.status != 0 {
				url = serve(t, func(w http.ResponseWriter, r *http.Request) {
					assert.Empty(t, r.Header.Get("Traceparent"), "Aiven gets no trace id of ours")
					replyError(w, tc.status, "bad "+r.Header.Get("Authorization"))
				})
			}
			ctx, root := tracing.Root(t.Context(), provider, "test")
			_ = clientFor(t, aiven.Options{BaseURL: url}).API().ServiceDatabaseDelete(ctx, "prj", "user", "db/project")
			root.End(nil)
			span, got := attributes(t, recorder, "ServiceDatabaseDelete")
			tc.want["aero.aiven.operation"], tc.want["http.request.method"] = "ServiceDatabaseDelete", "DELETE"
			tc.want["url.template"], tc.want["server.address"] = database, "127.0.0.1"
			tc.want["server.port"] = url[strings.LastIndex(url, ":")+1:]
			assert.Equal(t, tc.want, got)
			assert.Equal(t, tc.failed, span.Status().Code == codes.Error)
			assert.NotContains(t, fmt.Sprintf("%+v", tracetest.SpanStubsFromReadOnlySpans(recorder.Ended())), token)
		})
	}
}

func TestNoNameIsInARoute(t *testing.T) {
	for path, want := range map[string]string{
		"/v1/project/p/service":                      "/v1/project/{project}/service",
		"/v1/project/service/service/user/user/user": "/v1/project/{project}/service/{service}/user/{user}",
		"/v1/project/p/kms/ca":                       "/v1/project/{project}/kms/ca",
		"/v1/project/p/vpcs/6fe1":                    "/v1/project/{project}/vpcs/{vpc}",
		"/v1/project/p/service/s/acl/a1":             "/v1/project/{project}/service/{service}/acl/{acl}",
		"/v1/project/p/service/s/connection_pool/x":  "/v1/project/{project}/service/{service}/connection_pool/{pool}",
		"/v2/project/p/service/s/topic":              "/v2/project/{project}/service/{service}/topic",
		"/v1/project/p/service/s/topic/t":            "/v1/project/{project}/service/{service}/topic/{topic}",
		"/v1/project/p/service/s/tags":               "/v1/project/{project}/service/{service}/tags",
		"/v1/project/p/service/s/task/t1":            "/v1/project/{project}/service/{service}/task/{task}",
		"/v1/project/p/service/s/novelty/secret":     "/v1/project/{project}/service/{service}/{}/{}",
	} {
		assert.Equal(t, want, aiven.Template(path), path)
	}
}

func TestABodyThatIsReadSlowlyIsPartOfTheSpan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		provider, recorder := recorded()
		slow := inMemoryBody(func() io.ReadCloser { return &slowBody{reader: strings.NewReader(`{"certificate": "pem"}`)} })
		ctx, root := tracing.Root(t.Context(), provider, "test")
		_, err := clientFor(t, aiven.Options{BaseURL: "http://aiven", Transport: slow}).CA(ctx, "p")
		require.NoError(t, err)
		root.End(nil)
		span, _ := attributes(t, recorder, "ProjectKmsGetCA")
		assert.Equal(t, 3*time.Second, span.EndTime().Sub(span.StartTime()))
	})
}

// inMemoryBody is an API that answers every call with a body.
type inMemoryBody func() io.ReadCloser

func (f inMemoryBody) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: f(), Request: r}, nil
}

// slowBody takes three seconds to begin.
type slowBody struct {
	reader *strings.Reader
	begun  bool
}

func (b *slowBody) Read(p []byte) (int, error) {
	if !b.begun {
		b.begun = true
		pause(3 * time.Second)
	}
	return b.reader.Read(p)
}

func (*slowBody) Close() error { return nil }

func TestARefusalByTheRateLimiterIsInTheTrace(t *testing.T) {
	provider, recorder := recorded()
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) { replyService(w, aiven.StateRunning) })
	a := clientFor(t, aiven.Options{BaseURL: url, QPS: 0.5, Burst: 1})
	ctx, root := tracing.Root(t.Context(), provider, "test")
	_, err := a.API().ServiceGet(ctx, "p", "s")
	require.NoError(t, err)
	_, err = a.API().ServiceGet(ctx, "p", "s")
	require.Error(t, err)
	root.End(nil)
	attributes(t, recorder, "ServiceGet") // one: the other was no attempt
	span, _ := attributes(t, recorder, "test")
	require.Len(t, span.Events(), 1)
	assert.Equal(t, "rate limited", span.Events()[0].Name)
	assert.Contains(t, span.Events()[0].Attributes, attribute.String("aero.aiven.operation", "ServiceGet"))
}

func TestTheSourceOfAReadIsInTheReadersSpan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		provider, recorder := recorded()
		c := newCloud(aService("s", aiven.StateRunning, "joe"))
		a := clientFor(t, aiven.Options{BaseURL: "http://aiven", Transport: c, WatchInterval: time.Minute})
		read := func(name string) {
			ctx, span := tracing.Root(t.Context(), provider, name)
			_, err := a.Service(ctx, "p", "s")
			assert.NoError(t, err)
			span.End(nil)
		}
		release := c.stall()
		go read("first")
		synctest.Wait()
		go read("second")
		synctest.Wait()
		pause(time.Second)
		release()
		synctest.Wait()
		read("third")

		first, got := attributes(t, recorder, "first")
		assert.Equal(t, map[attribute.Key]string{"aero.read.call": "true"}, got)
		second, got := attributes(t, recorder, "second")
		assert.Equal(t, map[attribute.Key]string{"aero.read.joined": "true"}, got)
		_, got = attributes(t, recorder, "third")
		assert.Equal(t, map[attribute.Key]string{"aero.read.snapshot": "true"}, got)

		call, _ := attributes(t, recorder, "ServiceGet")
		assert.Equal(t, first.SpanContext().SpanID(), call.Parent().SpanID())
		wait, _ := attributes(t, recorder, "wait for another reader")
		assert.Equal(t, second.SpanContext().SpanID(), wait.Parent().SpanID())
		assert.Equal(t, time.Second, wait.EndTime().Sub(wait.StartTime()))
		require.Len(t, wait.Links(), 1)
		assert.Equal(t, first.SpanContext().SpanID(), wait.Links()[0].SpanContext.SpanID())
		assert.Len(t, recorder.Ended(), 5, "no other span")
	})
}

func TestWhoWaitsForAnotherReaderHasASpan(t *testing.T) {
	for name, read := range map[string]func(ctx context.Context, a *aiven.Client) error{
		"of a topic": func(ctx context.Context, a *aiven.Client) error {
			_, err := a.Topic(ctx, "p", "s", "t")
			return err
		},
		"of a CA": func(ctx context.Context, a *aiven.Client) error {
			_, err := a.CA(ctx, "p")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				provider, recorder := recorded()
				api := inMemory(func(w http.ResponseWriter, r *http.Request) {
					pause(2 * time.Second)
					_ = json.NewEncoder(w).Encode(map[string]any{
						"certificate": "pem", "topics": []any{map[string]any{"topic_name": "t", "state": "ACTIVE"}},
					})
				})
				a := clientFor(t, aiven.Options{BaseURL: "http://aiven", Transport: api, WatchInterval: time.Minute})
				for _, who := range []string{"first", "second"} {
					go func() {
						ctx, span := tracing.Root(t.Context(), provider, who)
						assert.NoError(t, read(ctx, a))
						span.End(nil)
					}()
					synctest.Wait()
				}
				pause(3 * time.Second)
				second, _ := attributes(t, recorder, "second")
				wait, _ := attributes(t, recorder, "wait for another reader")
				assert.Equal(t, second.SpanContext().SpanID(), wait.Parent().SpanID())
				assert.Equal(t, 2*time.Second, wait.EndTime().Sub(wait.StartTime()))
				assert.Len(t, recorder.Ended(), 4)
			})
		})
	}
}

func TestAPollOfAProjectIsATrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		provider, recorder := recorded()
		c := newCloud(aService("s", aiven.StateRunning, "joe"))
		clients := aiven.New(aiven.Options{BaseURL: "http://aiven", Transport: c, WatchInterval: time.Minute, Tracing: provider})
		a, err := clients.ForToken(token)
		require.NoError(t, err)
		_, err = a.Service(t.Context(), "p", "s")
		require.NoError(t, err)
		ctx, cancel := contextFor(t, 70*time.Second)
		defer cancel()
		require.NoError(t, clients.Start(ctx))
		synctest.Wait()
		poll, got := attributes(t, recorder, "pollProject")
		assert.Equal(t, map[attribute.Key]string{"aero.aiven.project": "p"}, got)
		call, _ := attributes(t, recorder, "ServiceList")
		assert.Equal(t, poll.SpanContext().SpanID(), call.Parent().SpanID())
	})
}

func TestTheSpanOfAWaitHasTheClassOfAnErrorAndNotItsMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		provider, recorder := recorded()
		api := inMemory(func(w http.ResponseWriter, _ *http.Request) {
			pause(time.Second)
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, `{"message": "CorrectHorseBattery"}`)
		})
		a := clientFor(t, aiven.Options{BaseURL: "http://aiven", Transport: api, WatchInterval: time.Minute})
		for _, who := range []string{"first", "second"} {
			go func() {
				ctx, span := tracing.Root(t.Context(), provider, who)
				_, err := a.CA(ctx, "p")
				assert.ErrorContains(t, err, "CorrectHorseBattery")
				span.End(nil)
			}()
			synctest.Wait()
		}
		pause(2 * time.Second)
		wait, got := attributes(t, recorder, "wait for another reader")
		assert.Equal(t, map[attribute.Key]string{"error.type": "Server"}, got)
		assert.Equal(t, sdktrace.Status{Code: codes.Error}, wait.Status())
	})
}
