package status

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	avngen "github.com/aiven/go-client-codegen"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
	"github.com/aero-operator/aero/controllers/reason"
)

var timings = Timings{
	Poll: 10 * time.Minute, RequeueAsync: 10 * time.Second, RequeueDependency: 30 * time.Second, QuietWait: 30 * time.Second,
	FirstStatus: 2 * time.Second, BackoffMax: 5 * time.Minute, Degradation: 10 * time.Second, AuthGrace: time.Minute,
	ProgressDeadline: 30 * time.Minute, RecheckExhausted: 5 * time.Minute,
}

// object is what the cluster remembers of an object between two reconciles.
type object struct {
	generation  int64
	isService   bool
	status      v1alpha1.CommonStatus
	annotations map[string]string
	now         time.Time
}

func newObject(isService bool) *object {
	return &object{
		generation: 1, isService: isService, annotations: map[string]string{},
		status: v1alpha1.CommonStatus{ObservedGeneration: -1},
		now:    time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC),
	}
}

// finding is what a reconcile finds out.
type finding func(*Facts)

// facts are those that the engine gathers about every object, and the findings.
func (o *object) facts(findings ...finding) *Facts {
	_, running := o.annotations[annotation.Running]
	f := &Facts{
		Now: o.now, UID: "uid", Provenance: o.status.Provenance, Generation: o.generation, Timings: timings, IsService: o.isService, TokenPlace: `key "token" of Secret ns/aiven-token`,
		GenerationApplied: o.annotations[annotation.Processed] == fmt.Sprint(o.generation),
		WasReady: running || slices.Contains([]v1alpha1.Phase{
			v1alpha1.PhaseReady, v1alpha1.PhaseRunning, v1alpha1.PhaseDegraded,
		}, o.status.Phase),
	}
	for _, find := range findings {
		find(f)
	}
	return f
}

// reconcile concludes, checks what holds for every conclusion, and remembers it.
func (o *object) reconcile(t *testing.T, findings ...finding) Conclusion {
	t.Helper()
	f := o.facts(findings...)
	before := o.status.DeepCopy()
	c := Conclude(&o.status, f)
	require.Equal(t, before, &o.status, "Conclude must not change the status it was given")
	requireInvariants(t, before, f, &c)
	o.status = *c.Status.DeepCopy()
	for key, value := range c.Annotations {
		if value == nil {
			delete(o.annotations, key)
		} else {
			o.annotations[key] = *value
		}
	}
	return c
}

// allowedMoves are the phases that may follow a phase.
var allowedMoves = map[v1alpha1.Phase][]v1alpha1.Phase{
	"":                         {"Pending", "Starting", "Ready", "Running", "Failed", "NotAvailable", "Degraded"},
	v1alpha1.PhasePending:      {"Starting", "Ready", "Running", "Failed", "NotAvailable", "Degraded"},
	v1alpha1.PhaseStarting:     {"Ready", "Running", "Degraded", "Failed", "NotAvailable"},
	v1alpha1.PhaseReady:        {"Starting", "Degraded", "Failed", "NotAvailable"},
	v1alpha1.PhaseRunning:      {"Starting", "Degraded", "Failed", "NotAvailable"},
	v1alpha1.PhaseDegraded:     {"Starting", "Ready", "Running", "Failed", "NotAvailable"},
	v1alpha1.PhaseFailed:       {"Pending", "Starting", "Ready", "Running", "Degraded", "NotAvailable"},
	v1alpha1.PhaseNotAvailable: {"Pending", "Starting", "Ready", "Running", "Degraded", "Failed"},
}

// requireInvariants checks what holds for every conclusion, whatever the facts.
func requireInvariants(t *testing.T, before *v1alpha1.CommonStatus, f *Facts, c *Conclusion) {
	t.Helper()
	byType := map[string]metav1.Condition{}
	for _, cond := range c.Status.Conditions {
		require.NotContains(t, byType, cond.Type, "a type appears once")
		byType[cond.Type] = cond
		assert.NotEmpty(t, cond.Reason, "%s needs a reason, or the API refuses the status", cond.Type)
		assert.False(t, cond.LastTransitionTime.IsZero(), "%s needs a transition time", cond.Type)
	}
	requireTransitions(t, before, f, byType)
	requireTwoValues(t, byType)
	ready, hasReady := byType[condition.Ready]
	require.True(t, hasReady, "invariant 1: Ready is always there")
	assert.Equal(t, condition.Ready, c.Status.Conditions[0].Type, "Ready comes first")
	for _, kind := range []string{condition.ConfigValid, condition.AuthValid, condition.DependenciesReachable} {
		assert.Contains(t, byType, kind, "C-02: parents are never lazy")
	}
	_, isStalled := byType[condition.Stalled]
	_, isReconciling := byType[condition.Reconciling]
	assert.False(t, isStalled && isReconciling, "Stalled excludes Reconciling")
	assert.Equal(t, isReconciling, c.Status.LastAttemptTime != nil, "W02 X12: the heartbeat beats exactly while work goes on")
	assert.True(t, isReconciling || c.Status.EditObservedTime == nil, "the time of an edit is there while work goes on")
	if ready.Status == metav1.ConditionTrue {
		assert.False(t, isStalled || isReconciling, "invariant 2: Ready is at rest")
		assert.Equal(t, metav1.ConditionTrue, byType[condition.ConfigValid].Status, "invariant 2: the spec is valid")
		assert.Equal(t, metav1.ConditionTrue, byType[condition.AuthValid].Status, "invariant 2: the token is valid")
		allowed := []v1alpha1.Phase{v1alpha1.PhaseReady, v1alpha1.PhaseRunning, v1alpha1.PhaseNotAvailable, before.Phase}
		assert.Contains(t, allowed, c.Status.Phase, "invariant 5")
	}
	if isStalled {
		assert.Equal(t, metav1.ConditionFalse, ready.Status, "invariant 3")
		assert.Equal(t, v1alpha1.PhaseFailed, c.Status.Phase, "invariant 3")
	}
	if !f.Paused {
		assert.Equal(t, f.Generation, c.Status.ObservedGeneration, "every conclusion names its generation")
		assert.Equal(t, f.Generation, ready.ObservedGeneration, "invariant 4")
	}
	if c.Status.Phase != before.Phase {
		assert.Contains(t, allowedMoves[before.Phase], c.Status.Phase, "a phase moved from %q", before.Phase)
	}
	if f.Problem != nil && f.Mutation == Unchanged {
		assert.Equal(t, Accepted(before, f.Generation), Accepted(&c.Status, f.Generation), "what wasn't asked isn't accepted")
	}
	requireMessages(t, c.Status.Conditions)
	requireHandling(t, c)
	requireExplained(t, ready, c.Event)
}

// requireExplained checks that users find a page about what they see: about Ready, and about a warning that goes with it or has its own.
func requireExplained(t *testing.T, ready metav1.Condition, e *Event) {
	t.Helper()
	explained, found := reason.Of(ready.Reason)
	require.True(t, found && explained.Name == ready.Reason, "controllers/reason doesn't explain %s", ready.Reason)
	assert.Equal(t, string(ready.Status), explained.Ready, ready.Reason)
	if e == nil || e.Type != corev1.EventTypeWarning || slices.Contains(explained.Warnings, e.Reason) {
		return
	}
	alone, found := reason.Of(e.Reason)
	assert.True(t, found && alone.Ready == "", "controllers/reason has no warning %s for the reason %s", e.Reason, ready.Reason)
}

// requireTwoValues checks that a component is ready or isn't: no client has to guess.
func requireTwoValues(t *testing.T, byType map[string]metav1.Condition) {
	t.Helper()
	for kind, cond := range byType {
		if strings.HasSuffix(kind, condition.Ready) && kind != condition.Ready {
			assert.NotEqual(t, metav1.ConditionUnknown, cond.Status, "X09: %s", kind)
		}
	}
}

// longestMessage bounds what aero itself writes: what Aiven has answered is short in these tests.
const longestMessage = 200

// requireMessages checks that messages are short, and that none is repeated: a condition has its own, or points to another one.
// Reconciling and Stalled have that of Ready, as kstatus shows theirs; besides these, only the cause of Ready has it.
func requireMessages(t *testing.T, conditions []metav1.Condition) {
	t.Helper()
	first := map[string]string{}
	for _, c := range conditions {
		assert.LessOrEqual(t, len(c.Message), longestMessage, "the message of %s is too long: %s", c.Type, c.Message)
		if slices.Contains([]string{condition.Ready, condition.Reconciling, condition.Stalled}, c.Type) || c.Message == "" || strings.HasPrefix(c.Message, "Not checked") {
			continue
		}
		assert.Empty(t, first[c.Message], "%s repeats a message: %s", c.Type, c.Message)
		first[c.Message] = c.Type
	}
}

func requireTransitions(t *testing.T, before *v1alpha1.CommonStatus, f *Facts, now map[string]metav1.Condition) {
	t.Helper()
	for _, old := range before.Conditions {
		next, still := now[old.Type]
		if !still {
			continue
		}
		if old.Status == next.Status {
			assert.Equal(t, old.LastTransitionTime, next.LastTransitionTime, "invariant 6: %s hasn't moved", old.Type)
			continue
		}
		assert.False(t, next.LastTransitionTime.Before(&old.LastTransitionTime), "invariant 6: %s went back", old.Type)
		assert.Equal(t, metav1.NewTime(f.Now), next.LastTransitionTime, "%s moved now", old.Type)
	}
}

// requireHandling checks what is done with a conclusion.
func requireHandling(t *testing.T, c *Conclusion) {
	t.Helper()
	if c.Err != nil {
		assert.Zero(t, c.Result.RequeueAfter, "an error and a delay exclude each other")
	}
	assert.GreaterOrEqual(t, c.Result.RequeueAfter, time.Duration(0))
	if c.Event != nil {
		assert.NotEmpty(t, c.Event.Reason)
		assert.NotEmpty(t, c.Event.Note)
		assert.LessOrEqual(t, len(c.Event.Note), userconfig.MaxText)
		assert.Contains(t, []string{"Normal", "Warning"}, c.Event.Type)
	}
}

// What a reconcile may find out.

func all(findings ...finding) finding {
	return func(f *Facts) {
		for _, find := range findings {
			find(f)
		}
	}
}

const serviceName = "prj/pg"

func inService(s Service) finding {
	s.Name = serviceName
	return func(f *Facts) { f.Services = []Service{s} }
}

var (
	serviceRuns    = inService(Service{Exists: true, Usable: true, State: "RUNNING"})
	serviceMissing = inService(Service{})
	serviceOff     = inService(Service{Exists: true, Off: true, State: "POWEROFF"})
	serviceBuilds  = inService(Service{Exists: true, State: "REBUILDING"})

	absent  = remote(Remote{})
	active  = remote(Remote{Exists: true, Active: true})
	working = remote(Remote{Exists: true})
	off     = remote(Remote{Exists: true, PoweredOff: true, State: "POWEROFF"})
	leftOff = all(remote(Remote{Exists: true, Off: true, State: "POWEROFF"}), func(f *Facts) {
		f.Drift = Drift{Reason: condition.ReasonTakenOver, Entries: []userconfig.Difference{{Path: "spec.powered", Wanted: "true", Found: "false"}}}
	})

	published      = secret(Secret{Applies: true, Published: true, Name: "conn"})
	disabled       = secret(Secret{Applies: true, Disabled: true, Name: "conn"})
	withoutDetails = secret(Secret{Applies: true, Name: "conn"})
	foreign        = secret(Secret{Applies: true, Name: "conn", Conflict: true, Err: fmt.Errorf("Secret ns/conn belongs to Foo bar")})
	routeless      = secret(Secret{Applies: true, Name: "conn", NoRoute: true, Err: fmt.Errorf("Aiven has no address of pg on the route private")})
	unwritten      = secret(Secret{Applies: true, Name: "conn", Err: fmt.Errorf("applying Secret ns/conn: boom")})

	inSync         = all(serviceRuns, active, published)
	created        = all(serviceRuns, active, published, func(f *Facts) { f.Mutation = Created })
	serviceInSync  = all(remote(Remote{Exists: true, Active: true, State: "RUNNING"}), published)
	serviceCreated = all(remote(Remote{Exists: true, State: "REBUILDING", Reason: "Creating", Message: "Waiting for Aiven to build the service"}),
		withoutDetails, func(f *Facts) { f.Mutation = Created })

	noToken   = func(f *Facts) { f.TokenErr, f.TokenMissing = fmt.Errorf("Secret ns/token doesn't exist"), true }
	refAbsent = refers(Component{Type: "SecretSourceReady", Absent: true, Reason: "NotFound", Message: "Secret ns/pw doesn't exist"})
	refWaits  = refers(Component{Type: "SecretSourceReady", Reason: "Progressing", Message: "it isn't ready"})
	refReady  = refers(Component{Type: "SecretSourceReady", Ready: true, Message: "Secret ns/pw is there"})
	refBroken = refers(Component{Type: "SecretSourceReady", Reason: "Unknown", Err: fmt.Errorf("reading Secret ns/pw: boom")})

	paused    = func(f *Facts) { f.Paused = true }
	badPolicy = func(f *Facts) { f.PolicyErr = fmt.Errorf("unknown policy %q", "Keep") }
)

func remote(r Remote) finding       { return func(f *Facts) { f.Remote = &r } }
func secret(s Secret) finding       { return func(f *Facts) { f.Secret = s } }
func refers(c Component) finding    { return func(f *Facts) { f.References = []Component{c} } }
func deletion(d Deletion) finding   { return func(f *Facts) { f.Deleting, f.Deletion = true, d } }
func observeFails(e error) finding  { return func(f *Facts) { f.ObserveErr = e } }
func problem(e error) finding       { return func(f *Facts) { f.Problem = e } }
func createRefused(e error) finding { return all(serviceRuns, absent, refused(e), withoutDetails) }
func updateRefused(e error) finding { return all(inSync, refused(e)) }
func refused(e error) finding {
	return func(f *Facts) { f.MutateErr, f.Mutation = e, Unchanged }
}
func deletionFails(e error) finding { return deletion(Deletion{Err: e}) }

func updated(paths ...string) finding {
	return func(f *Facts) { f.Mutation, f.Changes = Updated, paths }
}

// aiven is an answer of the API.
func aiven(status int, message string) error {
	return fmt.Errorf("calling: %w", answer(status, message))
}

func answer(status int, message string) avngen.Error {
	return avngen.Error{OperationID: "ServiceGet", Status: status, Message: message}
}

func protection(operation string) error {
	return avngen.Error{OperationID: operation, Status: 403, Message: "Service is protected against termination and shutdown."}
}

var (
	throttled     = &fault.RateLimitError{Answer: avngen.Error{Status: 429, Message: "slow down"}, RetryAfter: 42 * time.Second}
	down          = aiven(503, "down")
	busy          = aiven(409, "service is busy")
	early         = fault.NotYet("version 4 of subject customers isn't registered")
	denied        = aiven(403, "not a member")
	starting      = avngen.Error{OperationID: "ServiceClickHouseDatabaseCreate", Status: 503, Message: "no route"}
	errBadToken   = aiven(401, "invalid token")
	errBadRequest = aiven(400, "no such plan")
	errOverQuota  = aiven(403, "quota exceeded")
	invalid       = fault.InvalidSpec("spec.plan", "no such plan")
)
