package aiven_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/aero-operator/aero/controllers/internal/aiven"
)

const token = "t0kenThatMustNotLeak1234567890"

// clock stands still until a test moves it.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Move(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(by)
}

// contextFor ends after a while.
func contextFor(t *testing.T, d time.Duration) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithTimeout(t.Context(), d)
}

// serve runs an API that answers every call with handler.
func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func clientFor(t *testing.T, options aiven.Options) *aiven.Client {
	t.Helper()
	a, err := aiven.New(options).ForToken(token)
	require.NoError(t, err)
	return a
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func replyService(w http.ResponseWriter, state string) {
	reply(w, http.StatusOK, map[string]any{"service": map[string]any{
		"service_name": "s", "service_type": "pg", "state": state,
		"create_time": "2030-01-01T00:00:00Z", "update_time": "2030-01-01T00:00:00Z",
	}})
}

func replyError(w http.ResponseWriter, status int, message string) {
	reply(w, status, map[string]any{"message": message, "errors": []any{map[string]any{"message": message, "status": status}}})
}

// assertNoZeroField fails for each exported field of a struct that has its zero value.
func assertNoZeroField(t *testing.T, value any) {
	t.Helper()
	v := reflect.ValueOf(value)
	for i := range v.NumField() {
		if field := v.Type().Field(i); field.IsExported() {
			assert.False(t, v.Field(i).IsZero(), field.Name)
		}
	}
}

// inMemory is an API without a network, for tests in a synctest bubble.
type inMemory http.HandlerFunc

func (f inMemory) RoundTrip(r *http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	f(recorder, r)
	return recorder.Result(), nil
}

// pause lets the time of a bubble pass.
func pause(d time.Duration) { <-time.After(d) }

// measured is the value of a metric with a label of that value, -1 if there is none.
func measured(t *testing.T, name, label string) float64 {
	t.Helper()
	families, err := metrics.Registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			if family.GetName() == name && metric.GetLabel()[0].GetValue() == label {
				return metric.GetCounter().GetValue() + metric.GetGauge().GetValue()
			}
		}
	}
	return -1
}
