package aiven

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/tracing"
)

var (
	callsTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "aero_aiven_calls_total",
		Help: "Calls to the Aiven API by operation and by the status of the answer, or by what prevented one.",
	}, []string{"operation", "code"})

	callDuration = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "aero_aiven_call_duration_seconds",
		Help:    "Time until the Aiven API began to answer, or the call failed, by operation.",
		Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 20},
	}, []string{"operation"})

	readsTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "aero_aiven_reads_total",
		Help: "Reads of services, topics and lists by what answered them: a snapshot, a call of another reader, or a call.",
	}, []string{"answer"})

	callRate = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "aero_aiven_rate_limit_calls_per_second",
		Help: "Rate of calls that the tokens of a user may make, learned from refusals by Aiven, by the user's number.",
	}, []string{"user"})

	callsAvailable = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "aero_aiven_rate_limit_available_calls",
		Help: "Calls that the tokens of a user may make at once.",
	}, []string{"user"})

	pausedSeconds = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "aero_aiven_rate_limit_paused_seconds_total",
		Help: "Time for which Aiven asked the tokens of a user to make no call.",
	}, []string{"user"})

	projectPollsTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "aero_aiven_project_polls_total",
		Help: "Reads of all services of a project by the watch, by result.",
	}, []string{"result"})

	lastProjectPoll = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "aero_aiven_last_project_poll_timestamp_seconds",
		Help: "Time of the last successful read of all services of a project, 0 if none has succeeded since the start.",
	}, []string{"project"})
)

func init() {
	metrics.Registry.MustRegister(callsTotal, callDuration, readsTotal, callRate, callsAvailable, pausedSeconds, projectPollsTotal, lastProjectPoll)
	// What hasn't happened yet is 0, not unknown: a rate sees the first time, too.
	for _, answer := range []string{readHit, readJoined, readFetched} {
		readsTotal.WithLabelValues(answer)
	}
	for _, result := range []string{pollFailed, pollDone} {
		projectPollsTotal.WithLabelValues(result)
	}
}

// What answers a read.
const (
	readHit     = "snapshot"
	readJoined  = "joined"
	readFetched = "call"
)

// How a read of a project ends.
const (
	pollFailed = "error"
	pollDone   = "success"
)

// countRead notes what answers a read, also on the reader's span.
func countRead(ctx context.Context, answer string) {
	readsTotal.WithLabelValues(answer).Inc()
	if tracing.IsRecording(ctx) {
		tracing.SetAttributes(ctx, attribute.Bool(readBy+answer, true))
	}
}

func countProjectPoll(project string, err error, now time.Time) {
	if err == nil {
		projectPollsTotal.WithLabelValues(pollDone).Inc()
		lastProjectPoll.WithLabelValues(project).Set(float64(now.Unix()))
		return
	}
	projectPollsTotal.WithLabelValues(pollFailed).Inc()
	if fault.Is(err, fault.Unauthorized, fault.Forbidden) || errors.Is(err, ErrUnknownProject) {
		lastProjectPoll.DeleteLabelValues(project) // Aiven can be reached, and the objects show its refusal
		return
	}
	lastProjectPoll.WithLabelValues(project) // 0 if none has succeeded: an outage outlasts a restart
}

// observeCall counts one attempt. code is a status or a class of package fault.
func observeCall(operation, code string, took time.Duration) {
	callsTotal.WithLabelValues(operation, code).Inc()
	callDuration.WithLabelValues(operation).Observe(took.Seconds())
}

// countRateLimited counts a call that our own rate limiter held back.
func countRateLimited(ctx context.Context, operation string, wait time.Duration) {
	callsTotal.WithLabelValues(operation, "rate_limit").Inc()
	if tracing.IsRecording(ctx) {
		tracing.AddEvent(ctx, "rate limited", keyOperation.String(operation), keyWait.Float64(wait.Seconds()))
	}
}

// series are the metrics of one rate limiter. Nil series measure nothing.
type series struct {
	user            string
	rate, available prometheus.Gauge
	paused          prometheus.Counter
}

// newSeries begins series. A number names the user, as metrics hold no ids of accounts.
func newSeries(number int) *series {
	user := strconv.Itoa(number)
	return &series{user, callRate.WithLabelValues(user), callsAvailable.WithLabelValues(user), pausedSeconds.WithLabelValues(user)}
}

func (s *series) set(rate, available float64) {
	if s != nil {
		s.rate.Set(rate)
		s.available.Set(max(0, available))
	}
}

func (s *series) pause(d time.Duration) {
	if s != nil {
		s.paused.Add(max(0, d.Seconds()))
	}
}

func (s *series) remove() {
	if s != nil {
		callRate.DeleteLabelValues(s.user)
		callsAvailable.DeleteLabelValues(s.user)
		pausedSeconds.DeleteLabelValues(s.user)
	}
}
