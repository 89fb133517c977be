package conformance_test

import (
	"strings"
	"testing"
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

var serviceRequirements = []requirement{
	{
		says: "without its service an object waits, and starts as soon as the service does", proves: "P07 P13 R07 I06 H11",
		applies: livesInAService, options: atOnce, bare: true, check: (*testCase).waitsForService,
	},
	{
		says: "in a service that is rebuilt an object waits", proves: "P07 P13 H04 H11",
		applies: livesInAService, check: (*testCase).waitsForRebuild,
	},
	{
		says: "in a service that is powered off an object is NotAvailable", proves: "E10 F06 H04",
		applies: livesInAService, check: (*testCase).waitsForPower,
	},
	{
		says: "a service that moves to other nodes is usable", proves: "P07 H04",
		applies: livesInAService, check: (*testCase).worksWhileRebalancing,
	},
	{
		says: "a service that goes away leaves a ready object Degraded", proves: "E11 H11",
		applies: livesInAService, check: (*testCase).degradesWithoutService,
	},
}

func (s *testCase) state(state string) {
	s.T.Helper()
	require.NoError(s.T, s.Aiven.Patch(s.Project, s.kind.in.name, map[string]any{"state": state}))
}

func (s *testCase) waitsForService() {
	s.Create(s.obj)
	s.Wait(s.obj, testenv.Condition("Ready", metav1.ConditionUnknown, "Progressing"), testenv.Saying("Ready", s.kind.in.name),
		testenv.Condition(s.kind.serviceReady(), metav1.ConditionFalse, "NotFound"), testenv.Phase(v1alpha1.PhasePending))
	s.hasNoEvent("WaitingForPreconditions") // before it has waited for 30 s
	assert.Empty(s.T, s.Aiven.Writes(0))
	parent := s.Example(s.kind.in.example)
	s.Create(parent)
	s.Wait(parent, testenv.Ready())
	s.prepareService()
	s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase), testenv.Condition(s.kind.serviceReady(), metav1.ConditionTrue, "Running"))
	warnedOnce(s.Env, s.obj)
}

func (s *testCase) waitsForRebuild() {
	s.state("REBUILDING")
	s.Create(s.obj)
	s.Wait(s.obj, testenv.Condition("Ready", metav1.ConditionUnknown, "Progressing"), testenv.Saying("Ready", "REBUILDING"),
		testenv.Condition(s.kind.serviceReady(), metav1.ConditionFalse, "Rebuilding"), testenv.Phase(v1alpha1.PhasePending))
	s.Rest(2)
	assert.Empty(s.T, s.Aiven.Writes(0))
	s.state("RUNNING")
	s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase))
}

func (s *testCase) waitsForPower() {
	s.state("POWEROFF")
	s.Create(s.obj)
	s.Wait(s.obj, testenv.Condition("Ready", metav1.ConditionUnknown, "ServicePoweredOff"),
		testenv.Condition(s.kind.serviceReady(), metav1.ConditionFalse, "ServicePoweredOff"), testenv.Phase(v1alpha1.PhaseNotAvailable))
	s.WaitEvent(s.obj, corev1.EventTypeWarning, "UnableToWaitForPreconditions")
	s.Rest(1)
	assert.Empty(s.T, s.Aiven.Writes(0))
	s.state("RUNNING")
	s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase))
	assert.Nil(s.T, testenv.Find(s.obj, "Error"))
	warnedOnce(s.Env, s.obj)
}

// worksWhileRebalancing leaves the old nodes running: they serve until the new ones do.
func (s *testCase) worksWhileRebalancing() {
	s.state("REBALANCING")
	var nodes []any
	for _, node := range serviceAt(s.Env, s.kind.in.name).NodeStates {
		nodes = append(nodes, map[string]any{"name": node.Name, "state": "running"})
	}
	require.NoError(s.T, s.Aiven.Patch(s.Project, s.kind.in.name, map[string]any{"node_states": nodes}))
	s.begin()
	assert.Equal(s.T, []string{s.kind.create}, s.Aiven.Writes(0))
}

func (s *testCase) degradesWithoutService() {
	s.begin()
	require.NoError(s.T, s.Aiven.Console.ServiceDelete(s.T.Context(), s.Project, s.kind.in.name))
	s.Wait(s.obj, testenv.Condition("Ready", metav1.ConditionUnknown, "Progressing"),
		testenv.Condition(s.kind.serviceReady(), metav1.ConditionFalse, "NotFound"), testenv.Phase(v1alpha1.PhaseDegraded))
	s.Delete(s.obj)
	s.WaitGone(s.obj)
	s.hasNoEvent("UnableToDelete")
}

// A pool waits for its database and its user. Neither a timer nor a poll of the project comes to its help: our own writes of
// the two enqueue it.
func TestI06_OurOwnWritesEnqueueTheObjectsThatWaitForThem(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"ConnectionPool", "Database", "ServiceUser"}, Config: func(c *config.Config) {
		testenv.OnlyWatches(c)
		c.WatchInterval, c.RequeueAsync, c.BackoffMin, c.BackoffMax = time.Hour, time.Hour, time.Hour, time.Hour
	}})
	makeService(e, inPostgres)
	pool := e.Example("connectionpool")
	e.Create(pool)
	e.Wait(pool, testenv.Saying("Ready", "no database"))
	e.Create(e.Example("database"))
	e.Wait(pool, testenv.Saying("Ready", "no user"))
	e.Create(e.Example("serviceuser"))
	e.Wait(pool, testenv.Ready())
}

// The applications' first day: everything is applied at once, in any order, whatever Aiven is like.
func TestE02_P11_AWholeFamilyAppliedAtOnceBecomesReady(t *testing.T) {
	t.Parallel()
	calm := func(c *config.Config) { c.Poll *= 30 }
	for name, options := range map[string]testenv.Options{
		"at an Aiven as it should be": {Config: calm},
		"at an Aiven that shows late what was written": {
			Aiven: localaiven.Options{Eventual: lagging.Aiven.Eventual}, Config: func(c *config.Config) { calm(c); lagging.Config(c) },
		},
		"with a token that may make few calls": {
			// In a shorter window a busy machine would shift calls into the next one: more are refused then than are allowed.
			Aiven:  localaiven.Options{RateLimit: localaiven.RateLimit{Calls: 40, Window: 5 * time.Second}},
			Config: func(c *config.Config) { calm(c); c.RateWindow = 5 * time.Second },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options.Kinds = testenv.KindNames()
			appliesFamily(t, testenv.New(t, options))
		})
	}
}

func appliesFamily(t *testing.T, e *testenv.Env) {
	t.Helper()
	makeStepEnd(e, production)
	var all []testenv.Object
	for _, k := range allKinds {
		all = append(all, e.Example(k.example))
	}
	for _, obj := range shuffled(t, all, "applied") {
		e.Create(obj)
	}
	for _, obj := range all {
		e.Wait(obj, testenv.Ready())
	}
	for _, k := range allKinds {
		assert.Equal(t, 1, count(e, k), k.name)
	}
	t.Logf("calls until all were ready: %v", e.Aiven.Stats())
	for _, obj := range shuffled(t, all, "deleted") {
		e.Delete(obj)
	}
	for _, obj := range all {
		e.WaitGone(obj)
	}
	require.NoError(t, e.Aiven.Console.ServiceDelete(t.Context(), production, serviceName))
	assert.Empty(t, e.Aiven.Resources())
}

// C-01, H10: what a person at a terminal does and sees.
func TestKubectlWaitsAndShows(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: testenv.KindNames()})
	makeStepEnd(e, production)
	for _, k := range allKinds {
		e.Create(e.Example(k.example))
	}
	for _, k := range allKinds {
		object := strings.ToLower(k.name) + "/" + e.Example(k.example).GetName()
		e.Kubectl("wait", "--for=condition=Ready", "--timeout=60s", object)
		line := e.Kubectl("get", object, "--no-headers", "--output=wide")
		for _, column := range []string{string(k.phase), "True", "ReconciliationSucceeded"} {
			assert.Contains(t, strings.Fields(line), column, line)
		}
	}
}
