package aiven_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

func TestG07_X24_ACallIsOneAttempt(t *testing.T) {
	for _, status := range []int{http.StatusServiceUnavailable, http.StatusInternalServerError, http.StatusTooManyRequests, http.StatusFound} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			var calls atomic.Int32
			url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				calls.Add(1)
				w.Header().Set("Location", "/elsewhere")
				replyError(w, status, "busy")
			})
			_, err := clientFor(t, aiven.Options{BaseURL: url}).API().ServiceGet(t.Context(), "p", "s")
			require.ErrorContains(t, err, "busy")
			assert.EqualValues(t, 1, calls.Load())
		})
	}
}

func TestACallEndsWithItsDeadline(t *testing.T) {
	for name, begin := range map[string]bool{"before the answer": false, "within the answer": true} {
		t.Run(name, func(t *testing.T) {
			release := make(chan struct{})
			url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				if begin {
					w.Header().Set("Content-Length", "100")
					_, _ = w.Write([]byte("{"))
					_ = http.NewResponseController(w).Flush()
				}
				<-release
			})
			defer close(release)
			_, err := clientFor(t, aiven.Options{BaseURL: url, Timeout: 50 * time.Millisecond}).API().ServiceGet(t.Context(), "p", "s")
			assert.Equal(t, fault.Timeout, fault.Of(err).Class, "%v", err)
		})
	}
}

func TestRetryAfterSurvivesTheClient(t *testing.T) {
	clock := newClock()
	for name, row := range map[string]struct {
		status int
		header string
		want   fault.Fault
	}{
		"429 with seconds": {429, "17", fault.Fault{Class: fault.RateLimited, RetryAfter: 17 * time.Second, Message: "Aiven limits the rate of calls: Slow down (429 ServiceGet)"}},
		"429 with a date": {429, clock.Now().Add(time.Minute).Format(http.TimeFormat),
			fault.Fault{Class: fault.RateLimited, RetryAfter: time.Minute, Message: "Aiven limits the rate of calls: Slow down (429 ServiceGet)"}},
		"429 without a time": {429, "", fault.Fault{Class: fault.RateLimited, Message: "Aiven limits the rate of calls: Slow down (429 ServiceGet)"}},
		"503 with seconds":   {503, "5", fault.Fault{Class: fault.Server, RetryAfter: 5 * time.Second, Message: "Aiven failed: Slow down (503 ServiceGet)"}},
		"503 without a time": {503, "", fault.Fault{Class: fault.Server, Message: "Aiven failed: Slow down (503 ServiceGet)"}},
	} {
		t.Run(name, func(t *testing.T) {
			url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				if row.header != "" {
					w.Header().Set("Retry-After", row.header)
				}
				replyError(w, row.status, "Slow down")
			})
			_, err := clientFor(t, aiven.Options{BaseURL: url, Now: clock.Now}).API().ServiceGet(t.Context(), "p", "s")
			assert.Equal(t, row.want, fault.Of(err))
		})
	}
}

func TestTheRateLimiterRefusesInsteadOfWaiting(t *testing.T) {
	clock := newClock()
	var calls atomic.Int32
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		replyService(w, aiven.StateRunning)
	})
	clients := aiven.New(aiven.Options{BaseURL: url, Now: clock.Now, QPS: 0.5, Burst: 2})
	one, err := clients.ForToken("one")
	require.NoError(t, err)
	read := func(a *aiven.Client) error {
		_, err := a.Service(t.Context(), "p", "s")
		return err
	}

	require.NoError(t, read(one))
	require.NoError(t, read(one))
	latest := time.Duration(0)
	for n := range 5 {
		_, err := one.Service(t.Context(), "p", fmt.Sprint(n))
		got := fault.Of(err)
		assert.Equal(t, fault.RateLimited, got.Class)
		assert.Greater(t, got.RetryAfter, latest, "they don't all come back at once")
		latest = got.RetryAfter
		_, err = one.Service(t.Context(), "p", fmt.Sprint(n))
		assert.Equal(t, latest, fault.Of(err).RetryAfter, "one that asks again keeps its place")
	}
	assert.LessOrEqual(t, latest, 10*time.Second, "at one call in two seconds")
	assert.EqualValues(t, 2, calls.Load(), "a refused call isn't made")
	clock.Move(2 * time.Second)
	require.Error(t, read(one), "it is behind those that asked before")
	_, err = one.Service(t.Context(), "p", "0")
	assert.NotEqual(t, fault.RateLimited, fault.Of(err).Class, "the first of them has its turn")
	require.Error(t, read(one))
}

// leaky is a transport that does what none should.
type leaky struct{}

func (leaky) RoundTrip(r *http.Request) (*http.Response, error) {
	return nil, errors.New("cannot send " + r.Header.Get("Authorization"))
}

func TestNoErrorHoldsTheToken(t *testing.T) {
	for name, options := range map[string]aiven.Options{
		"a transport that quotes headers": {BaseURL: "http://127.0.0.1:1", Transport: leaky{}},
		"no listener":                     {BaseURL: "http://127.0.0.1:1"},
		"an impossible URL":               {BaseURL: "gopher://%zz"},
		"an API that echoes the header": {BaseURL: serve(t, func(w http.ResponseWriter, r *http.Request) {
			replyError(w, http.StatusUnauthorized, "bad "+r.Header.Get("Authorization"))
		})},
		"an API that echoes it in base64": {BaseURL: serve(t, func(w http.ResponseWriter, r *http.Request) {
			replyError(w, http.StatusBadRequest, "bad "+base64.StdEncoding.EncodeToString([]byte(r.Header.Get("Authorization"))))
		})},
		"a rate limit that echoes the header": {BaseURL: serve(t, func(w http.ResponseWriter, r *http.Request) {
			replyError(w, http.StatusTooManyRequests, "bad "+r.Header.Get("Authorization"))
		})},
	} {
		t.Run(name, func(t *testing.T) {
			a := clientFor(t, options)
			_, err := a.Service(t.Context(), "p", "s")
			require.Error(t, err)
			for ; err != nil; err = errors.Unwrap(err) {
				text := fmt.Sprintf("%v %+v %#v", err, err, err)
				assert.NotContains(t, text, token)
				assert.NotContains(t, text, base64.StdEncoding.EncodeToString([]byte("aivenv1 " + token))[12:40])
			}
			assert.Equal(t, "an Aiven client an Aiven client", fmt.Sprintf("%v %+v", a, a))
		})
	}
}

func TestATokenThatIsAPartOfWordsIsNoReasonToChangeAnError(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		replyError(w, http.StatusBadRequest, "Integration endpoint does not exist")
	})
	a, err := aiven.New(aiven.Options{BaseURL: url}).ForToken("x")
	require.NoError(t, err)
	_, err = a.API().ServiceGet(t.Context(), "p", "s")
	assert.ErrorContains(t, err, "Integration endpoint does not exist")
}

func TestCallsAreMetered(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) { replyError(w, http.StatusTeapot, "no") })
	before, observed := metered(t, "ProjectKmsGetCA", "418")
	_, err := clientFor(t, aiven.Options{BaseURL: url}).CA(t.Context(), "p")
	require.Error(t, err)
	after, observedAfter := metered(t, "ProjectKmsGetCA", "418")
	assert.EqualValues(t, 1, after-before)
	assert.EqualValues(t, 1, observedAfter-observed)

	before, _ = metered(t, "ProjectKmsGetCA", "Network")
	_, err = clientFor(t, aiven.Options{BaseURL: "http://127.0.0.1:1"}).CA(t.Context(), "p")
	require.Error(t, err)
	after, _ = metered(t, "ProjectKmsGetCA", "Network")
	assert.EqualValues(t, 2, after-before, "the second attempt is a call of its own")
}

// metered returns the calls counted for an operation and code, and the latencies observed for the operation.
func metered(t *testing.T, operation, code string) (calls float64, observations uint64) {
	t.Helper()
	families, err := metrics.Registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			labels := map[string]string{}
			for _, label := range metric.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			switch {
			case labels["operation"] != operation:
			case family.GetName() == "aero_aiven_calls_total" && labels["code"] == code:
				calls = metric.GetCounter().GetValue()
			case family.GetName() == "aero_aiven_call_duration_seconds":
				observations = metric.GetHistogram().GetSampleCount()
			}
		}
	}
	return calls, observations
}
