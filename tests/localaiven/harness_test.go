package localaiven_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	aiven "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

const (
	proj        = "my-project"
	svcName     = "my-pg"
	provision   = time.Minute
	servicePath = "/v1/project/" + proj + "/service/" + svcName

	kafkaName = "my-kafka"
	kafkaPath = "/v1/project/" + proj + "/service/" + kafkaName
)

var withSecrets = service.ServiceGetIncludeSecrets(true)

// harness is a local Aiven behind HTTP, its clock, and the public client.
type harness struct {
	*localaiven.Server
	client aiven.Client
	clock  *localaiven.ManualClock
	url    string
}

func start(t testing.TB, options localaiven.Options) *harness {
	t.Helper()
	clock := localaiven.NewManualClock(time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC))
	if options.Clock == nil {
		options.Clock = clock
	}
	if options.Log == nil {
		// An engine starts in the background: here is why one didn't.
		options.Log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError}))
	}
	server, err := localaiven.New(options)
	require.NoError(t, err)
	web := httptest.NewServer(server)
	t.Cleanup(func() {
		server.RemoveFaults()
		web.Close()
		require.NoError(t, server.Close())
	})
	h := &harness{Server: server, clock: clock, url: web.URL}
	h.client = h.as(t, "token-1")
	return h
}

// as returns a client with a token of its own, which makes one attempt per call.
func (h *harness) as(t testing.TB, token string) aiven.Client {
	t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(transport.CloseIdleConnections)
	client, err := aiven.NewClient(aiven.HostOpt(h.url), aiven.TokenOpt(token), aiven.DebugOpt(false),
		aiven.EnableSingleFlightOpt(false), aiven.DoerOpt(&http.Client{Transport: recorder{h.Server, transport}}))
	require.NoError(t, err)
	return client
}

// running starts a server with a service that runs.
func running(t testing.TB, options localaiven.Options) *harness {
	t.Helper()
	options.ProvisionTime = provision
	h := start(t, options)
	h.create(t, service.ServiceCreateIn{})
	h.clock.Advance(provision)
	return h
}

// create creates svcName, with defaults for what the test doesn't care about.
func (h *harness) create(t testing.TB, in service.ServiceCreateIn) *service.ServiceCreateOut {
	t.Helper()
	in.ServiceName, in.ServiceType = svcName, "pg"
	if in.Plan == "" {
		in.Plan = "startup-4"
	}
	out, err := h.client.ServiceCreate(t.Context(), proj, &in)
	require.NoError(t, err)
	return out
}

// runningKafka starts a server with a service that runs, of three nodes.
func runningKafka(t testing.TB, options localaiven.Options) *harness {
	t.Helper()
	options.ProvisionTime = provision
	h := start(t, options)
	_, err := h.client.ServiceCreate(t.Context(), proj, &service.ServiceCreateIn{
		ServiceName: kafkaName, ServiceType: "kafka", Plan: "business-4",
	})
	require.NoError(t, err)
	h.clock.Advance(provision)
	return h
}

func (h *harness) read(t testing.TB, name string, query ...[2]string) *service.ServiceGetOut {
	t.Helper()
	got, err := h.client.ServiceGet(t.Context(), proj, name, query...)
	require.NoError(t, err)
	return got
}

func (h *harness) getKafka(t testing.TB) *service.ServiceGetOut {
	t.Helper()
	return h.read(t, kafkaName, withSecrets)
}

func (h *harness) get(t testing.TB) *service.ServiceGetOut {
	t.Helper()
	return h.read(t, svcName, withSecrets)
}

func (h *harness) state(t testing.TB) string {
	t.Helper()
	return string(h.get(t).State)
}

func (h *harness) update(t testing.TB, in service.ServiceUpdateIn) {
	t.Helper()
	_, err := h.client.ServiceUpdate(t.Context(), proj, svcName, &in)
	require.NoError(t, err)
}

// send makes a call without the client, for what the client never sends.
func (h *harness) send(t testing.TB, method, path, token, body string) (int, map[string]any) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, h.url+path, bytes.NewBufferString(body))
	require.NoError(t, err)
	if token != "" {
		request.Header.Set("Authorization", "aivenv1 "+token)
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	answer, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	var out map[string]any
	require.NoError(t, json.Unmarshal(answer, &out), string(answer))
	return response.StatusCode, out
}

func ptr[T any](v T) *T { return &v }
