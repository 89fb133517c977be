package conformance_test

import (
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

// The marks that tools of aiven-operator read, and the finalizer of both.
const (
	processed = "controllers.aiven.io/generation-was-processed"
	running   = "controllers.aiven.io/instance-is-running"
	finalizer = "finalizers.aiven.io/delete-remote-resource"
	paused    = "controllers.aiven.io/paused"
	requested = "controllers.aiven.io/reconcile-requested-at"
)

var lifecycleRequirements = []requirement{
	{
		says: "an object is created once and says so everywhere", proves: "C-01 C-02 C-12 H10 P11 W15 F01",
		check: (*testCase).isCreatedOnce,
	},
	{says: "the finalizer is there before the first write", proves: "W06", check: (*testCase).isFinalizedFirst},
	{says: "at rest nothing is written and there is no event", proves: "W01 V03 P12 P02", check: (*testCase).restsQuietly},
	{
		says: "a changed spec makes one update", proves: "P11 W15 C-12", applies: canChange,
		check: (*testCase).updatesOnce,
	},
	{
		says: "a changed spec is applied at once", proves: "Q10", applies: canChange, options: atOnce,
		check: (*testCase).updatesAtOnce,
	},
	{
		says: "a change at the console is corrected", proves: "C-11 X05", applies: canDrift,
		check: (*testCase).repairs,
	},
	{says: "what is deleted at the console is created again", proves: "R06 X16", check: (*testCase).recreates},
	{
		says: "without the annotation of aiven-operator it is applied afresh", proves: "W15", applies: canBeSentAgain,
		options: atOnce, check: (*testCase).appliesAfresh,
	},
	{
		says: "where drift is only reported, an object without that annotation is observed at once", proves: "W15", applies: canDrift,
		options: withConfig(withoutPolls), check: (*testCase).reportsAfresh,
	},
	{says: "a reconcile can be requested", proves: "Q07", options: atOnce, check: (*testCase).reconcilesOnDemand},
	{says: "a paused object is left alone until it no longer is", proves: "P19", options: atOnce, check: (*testCase).pauses},
	{
		says: "a paused object doesn't follow its spec", proves: "P19", options: atOnce, applies: canChange,
		check: (*testCase).ignoresSpecWhilePaused,
	},
	{says: "a create whose answer is lost is not repeated", proves: "P11 W06", check: (*testCase).survivesLostAnswer},
	{says: "an operator that restarts during a create makes no second one", proves: "P11 W06", check: (*testCase).survivesRestart},
	{
		says: "reads that lag behind writes cause no other write", proves: "P11 W15", options: lagging,
		check: (*testCase).isntMisled,
	},
	{says: "a status that is wiped comes back", proves: "C-10", check: (*testCase).restoresStatus},
}

// lagging is an Aiven whose reads lag behind, though not for longer than the operator's setting.
var lagging = testenv.Options{
	Aiven:  localaiven.Options{Eventual: 250 * time.Millisecond},
	Config: func(c *config.Config) { c.ReadLag = 400 * time.Millisecond },
}

func (s *testCase) isntMisled() {
	s.begin()
	want := []string{s.kind.create}
	if s.kind.change != nil {
		s.edit()
		s.Wait(s.obj, testenv.Ready())
		want = append(want, s.kind.updates()...)
	}
	s.Rest(2)
	assert.Equal(s.T, want, s.Aiven.Writes(0))
	assert.Equal(s.T, 1, count(s.Env, s.kind))
	s.Delete(s.obj)
	s.WaitGone(s.obj)
	assert.Zero(s.T, count(s.Env, s.kind)) // a service may be deleted twice, which does no harm
}

func (s *testCase) isCreatedOnce() {
	s.begin()
	require.Equal(s.T, strconv.FormatInt(s.obj.GetGeneration(), 10), s.obj.GetAnnotations()[processed])
	require.Equal(s.T, "true", s.obj.GetAnnotations()[running])
	require.Equal(s.T, []string{finalizer}, s.obj.GetFinalizers())
	for kind, reason := range map[string]string{
		"Ready": "ReconciliationSucceeded", "ConfigValid": "ConfigurationValid", "AuthValid": "AuthenticationValid",
		"DependenciesReachable": "Reachable",
	} {
		c := testenv.Find(s.obj, kind)
		require.NotNil(s.T, c, kind)
		assert.Equal(s.T, metav1.ConditionTrue, c.Status, kind)
		assert.Equal(s.T, reason, c.Reason, kind)
		assert.Equal(s.T, s.obj.GetGeneration(), c.ObservedGeneration, kind)
	}
	s.T.Logf("calls until Ready: %d %v", len(s.Aiven.Calls(0)), s.Aiven.Stats().Calls)
	s.Rest(2)
	assert.Equal(s.T, []string{s.kind.create}, s.Aiven.Writes(0))
	assert.True(s.T, s.there())
}

func (s *testCase) isFinalizedFirst() {
	var mu sync.Mutex
	var unprotected []string
	template, key := s.obj.DeepCopyObject().(testenv.Object), client.ObjectKeyFromObject(s.obj)
	s.Aiven.OnWrite(func(r *http.Request) {
		live := template.DeepCopyObject().(testenv.Object)
		err := s.Client.Get(r.Context(), key, live)
		mu.Lock()
		defer mu.Unlock()
		if err != nil || !slices.Contains(live.GetFinalizers(), finalizer) {
			unprotected = append(unprotected, r.Method+" "+r.URL.Path)
		}
	})
	s.begin()
	mu.Lock()
	defer mu.Unlock()
	assert.Empty(s.T, unprotected)
}

func (s *testCase) restsQuietly() {
	s.begin()
	s.Rest(1)
	mark, before, events := s.Aiven.Mark(), s.revisions(), len(s.Events(s.obj))
	s.Rest(3)
	assert.Empty(s.T, s.Aiven.Writes(mark))
	for _, call := range s.Aiven.Calls(mark) {
		assert.Contains(s.T, reads, call.Operation, "an object at rest only reads its state")
	}
	assert.Equal(s.T, before, s.revisions())
	assert.Len(s.T, s.Events(s.obj), events)
}

// reads are the calls of an object at rest.
var reads = []string{
	"ServiceGet", "ServiceList", "ProjectKmsGetCA", "VpcList", "ServiceOpenSearchAclGet", "ProjectList", "OrganizationProjectsList",
	"ServiceIntegrationEndpointList", "ServiceIntegrationEndpointGet",
	"ServiceKafkaTopicListV2", "ServiceKafkaQuotaList", "ServiceKafkaConnectList", "ServiceKafkaConnectGetConnectorStatus",
	"ServiceSchemaRegistrySubjects", "ServiceSchemaRegistrySubjectVersionGet", "UpgradePipelineStepList",
	"ServiceClickHouseDatabaseList", "ServiceClickHouseUserList", "ServiceClickHouseQuery",
}

// revisions change when the object or a Secret is written.
func (s *testCase) revisions() map[string]string {
	s.Get(s.obj)
	out := map[string]string{"object": s.obj.GetResourceVersion()}
	secrets := &corev1.SecretList{}
	require.NoError(s.T, s.Client.List(s.T.Context(), secrets, client.InNamespace(s.Namespace)))
	for _, secret := range secrets.Items {
		out[secret.Name] = secret.ResourceVersion
	}
	return out
}

func (s *testCase) updatesAtOnce() {
	s.begin()
	mark := s.Aiven.Mark()
	s.edit()
	s.Wait(s.obj, testenv.Ready())
	assert.Equal(s.T, s.kind.updates(), s.Aiven.Writes(mark))
}

func (s *testCase) updatesOnce() {
	s.begin()
	mark := s.Aiven.Mark()
	s.edit()
	s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase))
	assert.EqualValues(s.T, 2, s.obj.GetGeneration())
	assert.Equal(s.T, "2", s.obj.GetAnnotations()[processed])
	s.Rest(2)
	assert.Equal(s.T, s.kind.updates(), s.Aiven.Writes(mark))
}

func (s *testCase) repairs() {
	s.begin()
	s.edit()
	s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase))
	mark := s.Aiven.Mark()
	s.kind.drift(s.Env)
	s.Until(func() bool { return s.kind.repaired(s.Env) }, func() string { return "the change at the console stays" })
	s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase))
	s.Rest(2)
	assert.Equal(s.T, s.kind.updates(), s.Aiven.Writes(mark))
	assert.True(s.T, s.kind.repaired(s.Env))
}

func (s *testCase) recreates() {
	s.begin()
	s.agreesToRecreate()
	mark := s.Aiven.Mark()
	s.remove()
	s.Until(s.there, func() string { return "the resource doesn't come back" })
	s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase))
	assert.Equal(s.T, []string{s.kind.create}, s.Aiven.Writes(mark))
	if s.kind.overlaps {
		waitCorrected(s.Env, s.obj)
		return
	}
	s.WaitEvent(s.obj, corev1.EventTypeWarning, "RemoteResourceMissing")
}

func (s *testCase) pauses() {
	s.obj.SetAnnotations(map[string]string{paused: "true"})
	s.Create(s.obj)
	s.Wait(s.obj, testenv.Condition("Ready", metav1.ConditionUnknown, "Paused"),
		testenv.Condition("Paused", metav1.ConditionTrue, "PausedByAnnotation"))
	assert.Empty(s.T, s.Aiven.Calls(0))
	s.Annotate(s.obj, paused, "")
	s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase))
	assert.Nil(s.T, testenv.Find(s.obj, "Paused"))
	s.Annotate(s.obj, paused, "true")
	s.Wait(s.obj, testenv.Ready(), testenv.Condition("Paused", metav1.ConditionTrue, "PausedByAnnotation"))
	s.Delete(s.obj)
	s.WaitGone(s.obj)
	assert.False(s.T, s.there())
}

func (s *testCase) ignoresSpecWhilePaused() {
	s.begin()
	mark := s.Aiven.Mark()
	s.Annotate(s.obj, paused, "true")
	s.Wait(s.obj, testenv.Condition("Paused", metav1.ConditionTrue, "PausedByAnnotation"))
	s.edit()
	s.Wait(s.obj, testenv.Condition("Paused", metav1.ConditionTrue, "PausedByAnnotation"))
	assert.Empty(s.T, s.Aiven.Writes(mark))
	s.Annotate(s.obj, paused, "")
	s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase))
	assert.Equal(s.T, s.kind.updates(), s.Aiven.Writes(mark))
}

func (s *testCase) survivesLostAnswer() {
	s.Aiven.FailWrites(s.kind.create, localaiven.Effect{Drop: localaiven.AfterApply}, 1)
	s.begin()
	assert.Equal(s.T, s.kind.reissued(s.kind.create), s.Aiven.Writes(0))
	assert.Equal(s.T, 1, count(s.Env, s.kind))
}

func (s *testCase) survivesRestart() {
	s.Aiven.FailWrites(s.kind.create, localaiven.Effect{Hold: localaiven.AfterApply}, 1)
	s.Create(s.obj)
	s.Until(func() bool { return s.Aiven.Faults()[0].Held }, func() string { return "no create was held" })
	s.Operator.Stop()
	s.Aiven.RemoveFaults()
	s.Operator.Start()
	s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase))
	assert.Equal(s.T, s.kind.reissued(s.kind.create), s.Aiven.Writes(0))
	assert.Equal(s.T, 1, count(s.Env, s.kind))
}

func (s *testCase) restoresStatus() {
	s.begin()
	mark := s.Aiven.Mark()
	wiped := s.obj.DeepCopyObject().(testenv.Object)
	require.NoError(s.T, s.Client.Status().Patch(s.T.Context(), wiped,
		client.RawPatch(types.JSONPatchType, []byte(`[{"op": "replace", "path": "/status", "value": {"observedGeneration": -1}}]`))))
	s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase))
	assert.Empty(s.T, s.Aiven.Writes(mark))
}
