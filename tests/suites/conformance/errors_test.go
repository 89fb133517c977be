package conformance_test

import (
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

// grace is longer than the second to which times in a status are cut.
const grace = 4 * time.Second

// graceful keeps everything fast but the grace.
var graceful = withConfig(func(c *config.Config) {
	c.Poll, c.Degradation = time.Second, grace
	c.BackoffMin, c.BackoffMax = 200*time.Millisecond, time.Second
})

var errorRequirements = []requirement{
	{says: "a short outage of Aiven is not seen", proves: "E02 G01 G04 X03", options: graceful, check: (*testCase).ignoresShortOutage},
	{
		says: "a long outage is admitted after the grace, changes nothing, and passes", proves: "E02 G02 G06 E16 C-04",
		options: graceful, check: (*testCase).admitsLongOutage,
	},
	{says: "an outage from birth leaves an object Pending", proves: "E02 G03 C-01 C-02", check: (*testCase).waitsFromBirth},
	{says: "a refused connection counts as an outage", proves: "E02 E09", check: (*testCase).survivesDrops},
	{
		says: "a spec that Aiven refuses is not sent again and again", proves: "E04 E14 F02 X25",
		options: atOnce, check: (*testCase).stallsOnRefusal,
	},
	{says: "a refusal for quota is not the spec's fault", proves: "E07 X19", check: (*testCase).waitsForQuota},
	{says: "an error is logged once, and what is in the log is an event", proves: "V01 V02 V05", check: (*testCase).logsErrorsOnce},
	{
		says: "Aiven says when to come back", proves: "E02 Q08", check: (*testCase).obeysRetryAfter,
		// The watch may have a call under way while the refusal is. In a window of a minute, a kind with many calls waits for minutes.
		options: withConfig(func(c *config.Config) { c.WatchInterval, c.RateWindow = time.Hour, 5*time.Second }),
	},
}

// unavailable is the answer to every read.
func (s *testCase) unavailable(times int) {
	s.Aiven.AddFault(localaiven.Fault{
		Match:  localaiven.Match{Method: http.MethodGet},
		Effect: localaiven.Effect{Status: http.StatusServiceUnavailable}, Times: times,
	})
}

// sinceReady are the states since the object was ready first.
func (s *testCase) sinceReady() []testenv.Object {
	var states []testenv.Object
	for _, state := range s.History(s.obj) {
		c := testenv.Find(state, "Ready")
		if len(states) > 0 || c != nil && c.Status == metav1.ConditionTrue {
			states = append(states, state)
		}
	}
	return states
}

func (s *testCase) ignoresShortOutage() {
	s.begin()
	mark := s.Aiven.Mark()
	s.unavailable(0)
	s.Wait(s.obj, testenv.Ready(), testenv.Condition("DependenciesReachable", metav1.ConditionFalse, "ServerError"))
	s.Aiven.RemoveFaults()
	s.Wait(s.obj, testenv.Ready(), testenv.Condition("DependenciesReachable", metav1.ConditionTrue, "Reachable"))
	for _, state := range s.sinceReady() {
		assert.Equal(s.T, metav1.ConditionTrue, testenv.Find(state, "Ready").Status)
		assert.Equal(s.T, s.kind.phase, state.GetCommonStatus().Phase)
	}
	assert.Empty(s.T, s.Aiven.Writes(mark))
	s.hasNoEvent("UnableToWaitForPreconditions")
}

func (s *testCase) admitsLongOutage() {
	s.begin()
	mark := s.Aiven.Mark()
	s.unavailable(0)
	s.Wait(s.obj, testenv.Condition("Ready", metav1.ConditionUnknown, "ProgressingWithRetry"), testenv.Phase(v1alpha1.PhaseDegraded),
		testenv.Condition("DependenciesReachable", metav1.ConditionFalse, "ServerError"),
		testenv.Condition("RemoteReady", metav1.ConditionFalse, "Unknown"))
	began := testenv.Find(s.obj, "DependenciesReachable").LastTransitionTime
	admitted := testenv.Find(s.obj, "Ready").LastTransitionTime
	assert.GreaterOrEqual(s.T, admitted.Sub(began.Time), grace-time.Second, "the grace must be kept")
	assert.Nil(s.T, testenv.Find(s.obj, "Error"), "an outage is no error to tools of aiven-operator")
	s.WaitEvent(s.obj, corev1.EventTypeWarning, "UnableToWaitForPreconditions")
	s.Aiven.RemoveFaults()
	s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase), testenv.Condition("DependenciesReachable", metav1.ConditionTrue, "Reachable"))
	s.WaitEvent(s.obj, corev1.EventTypeNormal, "ReconciliationSucceeded")
	for _, state := range s.sinceReady() {
		assert.NotEqual(s.T, metav1.ConditionFalse, testenv.Find(state, "Ready").Status, "an error of Aiven is no error in the spec")
		assert.NotEqual(s.T, v1alpha1.PhaseFailed, state.GetCommonStatus().Phase)
		assert.Equal(s.T, "true", state.GetAnnotations()[running])
	}
	assert.Empty(s.T, s.Aiven.Writes(mark))
}

func (s *testCase) waitsFromBirth() {
	s.unavailable(0)
	s.Create(s.obj)
	s.Wait(s.obj, testenv.Condition("Ready", metav1.ConditionUnknown, "ProgressingWithRetry"), testenv.Phase(v1alpha1.PhasePending),
		testenv.Condition("DependenciesReachable", metav1.ConditionFalse, "ServerError"))
	s.Rest(3)
	s.Wait(s.obj, testenv.Phase(v1alpha1.PhasePending))
	assert.Empty(s.T, s.Aiven.Writes(0))
	s.Aiven.RemoveFaults()
	s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase))
}

func (s *testCase) survivesDrops() {
	s.Aiven.AddFault(localaiven.Fault{
		Match: localaiven.Match{Method: http.MethodGet}, Effect: localaiven.Effect{Drop: localaiven.BeforeApply},
	})
	s.Create(s.obj)
	s.Wait(s.obj, testenv.Condition("Ready", metav1.ConditionUnknown, "ProgressingWithRetry"),
		testenv.Condition("DependenciesReachable", metav1.ConditionFalse, "InfrastructureError"))
	s.Aiven.RemoveFaults()
	s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase))
	assert.Equal(s.T, []string{s.kind.create}, s.Aiven.Writes(0))
}

// refuse lets creates fail with a message.
func (s *testCase) refuse(status int, message string) {
	body := []byte(`{"message":"` + message + `","errors":[{"message":"` + message + `"}]}`)
	s.Aiven.FailWrites(s.kind.create, localaiven.Effect{Status: status, Body: body}, 0)
}

func (s *testCase) stallsOnRefusal() {
	s.refuse(http.StatusBadRequest, "Invalid colour 'mauve'")
	s.Create(s.obj)
	s.Wait(s.obj, testenv.Condition("Ready", metav1.ConditionFalse, "InvalidSpec"), testenv.Saying("Ready", "mauve"),
		testenv.Condition("ConfigValid", metav1.ConditionFalse, "InvalidSpec"),
		testenv.Condition("Stalled", metav1.ConditionTrue, "InvalidSpec"), testenv.Phase(v1alpha1.PhaseFailed))
	s.WaitEvent(s.obj, corev1.EventTypeWarning, "UnableToCreateOrUpdateAtAiven")
	require.NotNil(s.T, testenv.Find(s.obj, "Error"))
	assert.Equal(s.T, metav1.ConditionUnknown, testenv.Find(s.obj, "Error").Status)
	assert.Equal(s.T, []string{s.kind.create}, s.Aiven.Writes(0))
	s.Aiven.RemoveFaults()
	s.Annotate(s.obj, requested, "again")
	s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase))
	assert.Nil(s.T, testenv.Find(s.obj, "Error"))
	assert.Equal(s.T, []string{s.kind.create, s.kind.create}, s.Aiven.Writes(0))
}

func (s *testCase) waitsForQuota() {
	s.refuse(http.StatusForbidden, "Project quota exceeded")
	s.Create(s.obj)
	s.Wait(s.obj, testenv.Condition("Ready", metav1.ConditionFalse, "ResourceExhausted"), testenv.Saying("Ready", "quota"),
		testenv.Condition("ConfigValid", metav1.ConditionTrue, "ConfigurationValid"), testenv.Phase(v1alpha1.PhaseFailed))
	assert.Nil(s.T, testenv.Find(s.obj, "Stalled"))
	s.Aiven.RemoveFaults()
	s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase))
}

func (s *testCase) obeysRetryAfter() {
	s.Aiven.AddFault(localaiven.Fault{
		Match:  localaiven.Match{Method: http.MethodGet},
		Effect: localaiven.Effect{Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": "2"}}, Times: 1,
	})
	mark := s.Aiven.Mark()
	s.Create(s.obj)
	s.Wait(s.obj, testenv.Condition("Ready", metav1.ConditionUnknown, "Progressing"),
		testenv.Condition("DependenciesReachable", metav1.ConditionUnknown, "Unverified"), testenv.Phase(v1alpha1.PhasePending))
	s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase))
	calls := s.Aiven.Calls(mark)
	assert.GreaterOrEqual(s.T, calls[1].Time.Sub(calls[0].Time), 2*time.Second, "the operator must stay away as long as asked")
}

func forbidden() localaiven.Fault {
	return localaiven.Fault{
		Match: localaiven.Match{Method: http.MethodGet},
		Effect: localaiven.Effect{
			Status: http.StatusForbidden, Body: []byte(`{"message":"Not allowed","errors":[{"message":"Not allowed"}]}`),
		},
	}
}

func (s *testCase) logsErrorsOnce() {
	s.begin()
	s.unavailable(0)
	s.WaitEvent(s.obj, corev1.EventTypeWarning, "UnableToWaitForPreconditions")
	s.Aiven.RemoveFaults()
	s.Wait(s.obj, testenv.Ready())
	returned := 0
	for _, line := range s.Operator.Log() {
		if strings.Contains(line, `"error"=`) {
			returned++
			assert.Contains(s.T, line, `"msg"="Reconciler error"`, "V01: controller-runtime logs an error that is returned")
		}
		if strings.Contains(line, `"event"=true`) {
			parts := eventInLog.FindStringSubmatch(line)
			require.Len(s.T, parts, 3)
			s.WaitEvent(s.obj, parts[1], parts[2])
		}
		if strings.Contains(line, `"msg"="Concluded"`) {
			assert.Contains(s.T, line, `"row"=`, "V02: what was decided is in the debug log")
		}
	}
	assert.Positive(s.T, returned)
}

// eventInLog finds the type and the reason of an event's twin.
var eventInLog = regexp.MustCompile(`"type"="(\w+)" "reason"="(\w+)"`)
