package fakekubelet

import (
	"context"
	"fmt"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// probe is a question that is asked again and again.
type probe struct {
	spec   *corev1.Probe
	url    string
	client *http.Client

	next     time.Time
	ok       bool
	failures int32
}

// newProbe prepares a probe. One without a spec is never asked.
func newProbe(p *pod, spec *corev1.Probe) *probe {
	q := &probe{spec: spec, next: time.Now()}
	if q.none() {
		return q
	}
	q.next = q.next.Add(time.Duration(spec.InitialDelaySeconds) * time.Second)
	port := spec.HTTPGet.Port.IntVal
	for _, named := range p.object.Spec.Containers[0].Ports {
		if named.Name == spec.HTTPGet.Port.StrVal {
			port = named.ContainerPort
		}
	}
	q.url = fmt.Sprintf("http://%s:%d%s", p.address, port, spec.HTTPGet.Path)
	q.client = &http.Client{Timeout: time.Duration(spec.TimeoutSeconds) * time.Second}
	return q
}

func (q *probe) none() bool { return q.spec == nil || q.spec.HTTPGet == nil }

// holds asks when it is time, and reports whether the answer is good: it is from one good answer on, until as many are bad
// as the threshold says. Before the first good one, it is asked at each tick, so that a start is noticed at once.
func (q *probe) holds(ctx context.Context) bool {
	if q.none() {
		return true
	}
	if time.Now().Before(q.next) {
		return q.ok
	}
	if q.ask(ctx) {
		q.ok, q.failures = true, 0
	} else if q.failures++; q.failures >= q.spec.FailureThreshold {
		q.ok = false
	}
	if q.ok {
		q.next = time.Now().Add(time.Duration(q.spec.PeriodSeconds) * time.Second)
	}
	return q.ok
}

// failed asks when it is time, and reports whether as many answers in a row were bad as the threshold says.
func (q *probe) failed(ctx context.Context) bool {
	if q.none() || time.Now().Before(q.next) {
		return false
	}
	q.next = time.Now().Add(time.Duration(q.spec.PeriodSeconds) * time.Second)
	if q.ask(ctx) {
		q.failures = 0
		return false
	}
	q.failures++
	return q.failures >= q.spec.FailureThreshold
}

func (q *probe) ask(ctx context.Context) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, q.url, nil)
	if err != nil {
		return false
	}
	answer, err := q.client.Do(request)
	if err != nil {
		return false
	}
	_ = answer.Body.Close()
	return answer.StatusCode >= http.StatusOK && answer.StatusCode < http.StatusBadRequest
}
