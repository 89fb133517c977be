package aiven

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/aero-operator/aero/controllers/internal/tracing"
)

var (
	callsTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "aero_aiven_calls_total",
		Help: "Calls to the Aiven API by operation and by the status of the answer, or else by what prevented one.",
	}, []string{"operation", "code"})

	callDuration = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "aero_aiven_call_duration_seconds",
		Help:    "Time until the Aiven API began to answer, or the call failed, by operation.",
		Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 20},
	}, []string{"operation"})

	readsTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "aero_aiven_reads_total",
		Help: "Reads of services and topics by what answered them: a snapshot, a call of another reader, or a call.",
	}, []string{"answer"})

	budgetLeft = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "aero_aiven_budget_calls",
		Help: "Calls that an account may make at once, by the account's number.",
	}, []string{"account"})

	throttledSeconds = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "aero_aiven_throttled_seconds_total",
		Help: "Time for which Aiven asked an account to make no call.",
	}, []string{"account"})

	projectPollsTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "aero_aiven_project_polls_total",
		Help: "Looks at all services of a project, by how they ended.",
	}, []string{"result"})

	lastProjectPoll = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "aero_aiven_last_project_poll_timestamp_seconds",
		Help: "When all services of a project were last looked at with success.",
	}, []string{"project"})
)

func init() {
	metrics.Registry.MustRegister(callsTotal, callDuration, readsTotal, budgetLeft, throttledSeconds, projectPollsTotal, lastProjectPoll)
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

// How a look at a project ends.
const (
	pollFailed = "error"
	pollDone   = "success"
)

// countRead notes what answers a read, also on the span of whoever reads.
func countRead(ctx context.Context, answer string) {
	readsTotal.WithLabelValues(answer).Inc()
	if tracing.IsRecording(ctx) {
		tracing.SetAttributes(ctx, attribute.Bool(readBy+answer, true))
	}
}

func countProjectPoll(project string, ok bool, now time.Time) {
	if !ok {
		projectPollsTotal.WithLabelValues(pollFailed).Inc()
		return
	}
	projectPollsTotal.WithLabelValues(pollDone).Inc()
	lastProjectPoll.WithLabelValues(project).Set(float64(now.Unix()))
}

// observeCall counts one attempt. code is a status or a class of package fault.
func observeCall(operation, code string, took time.Duration) {
	callsTotal.WithLabelValues(operation, code).Inc()
	callDuration.WithLabelValues(operation).Observe(took.Seconds())
}

// countRateLimited counts a call that the own budget forbade.
func countRateLimited(ctx context.Context, operation string, wait time.Duration) {
	callsTotal.WithLabelValues(operation, "budget").Inc()
	if tracing.IsRecording(ctx) {
		tracing.AddEvent(ctx, "budget spent", keyOperation.String(operation), keyWait.Float64(wait.Seconds()))
	}
}
