package conformance_test

import (
	"net/http"
	"reflect"
	"slices"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/controllers/kinds"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

const management = "controllers.aiven.io/management-policy"

var ownershipRequirements = []requirement{
	{
		says: "of two objects with one identity the second has a conflict, and its deletion deletes nothing at Aiven", proves: "W11",
		options: testenv.Options{Second: true}, applies: isAlone, check: (*testCase).refusesTwin,
	},
	{
		says: "when the first of two objects goes and names the second, that one takes over", proves: "P11",
		options: testenv.Options{Second: true}, applies: isAlone, check: (*testCase).handsOver,
	},
	{
		says: "when the first of two objects goes, its resource goes, and the second makes its own (review H3)", proves: "P11",
		options: testenv.Options{Second: true}, applies: isAlone, check: (*testCase).inheritsNothing,
	},
	{
		says: "what exists is left alone without consent (review M1)", proves: "P11", options: atOnce, check: (*testCase).asksForConsent,
	},
	{
		says: "what a dump restores owns nothing, whatever marks are in it, and goes on with consent (review M1)", proves: "P11", options: atOnce,
		check: (*testCase).isRestored,
	},
	{
		says: "a second cluster with the same manifests comes and goes, and the first one never notices (review M1)", proves: "P11",
		applies: needsConsent, check: (*testCase).outlivesTheOtherCluster,
	},
	{
		says: "what two clusters share is created again after one of them has deleted it, unless that one orphans it (review M1)", proves: "P11",
		applies: isRule, check: (*testCase).sharesWithTheOtherCluster,
	},
	{
		says: "an object that the operator can't act for is in no other's way, whatever marks it brings along (review H4)", proves: "P11",
		options: testenv.Options{Second: true}, applies: isAlone, variants: 8, check: (*testCase).isNotSquatted,
	},
	{
		says: "an object that has begun, and stops, is in no other's way, and takes nothing when it goes on (review H4)", proves: "P11",
		options: testenv.Options{Second: true}, applies: isAlone, variants: 8, check: (*testCase).isOvertaken,
	},
	{
		says: "what holds data isn't created again without consent (review H5)", proves: "P11", options: atOnce, applies: holdsData,
		check: (*testCase).isNotRecreated,
	},
	{
		says: "with the flag for aiven-operator's way, what exists is adopted at first sight, corrected, and deleted with its object", proves: "P11 W15",
		options: withConfig(func(c *config.Config) { c.AdoptionPolicy = "AdoptOrCreate" }), check: (*testCase).adoptsByFlag,
	},
	{
		says: "an object that only observes changes nothing, and deletes nothing at Aiven", proves: "P12",
		options: atOnce, check: (*testCase).onlyObserves,
	},
	{says: "the token Secret stays until nothing needs it", proves: "W12", options: atOnce, check: (*testCase).keepsToken},
}

// twin is another object that represents the same, in the other namespace.
func (s *testCase) twin() testenv.Object {
	s.tokenInSecond()
	twin := s.Example(s.kind.example)
	twin.SetNamespace(s.Second)
	s.Create(twin)
	s.Wait(twin, conflict(), testenv.Saying("Ready", "an object in another namespace"))
	return twin
}

func (s *testCase) refusesTwin() {
	s.begin()
	mark := s.Aiven.Mark()
	twin := s.twin()
	s.Delete(twin)
	s.WaitGone(twin)
	assert.True(s.T, s.there())
	assert.Empty(s.T, s.Aiven.Writes(mark))
	s.Wait(s.obj, testenv.Ready())
}

func (s *testCase) handsOver() {
	s.begin()
	mark := s.Aiven.Mark()
	twin := s.twin()
	s.Annotate(s.obj, transferTo, s.Second+"/"+twin.GetName())
	s.Delete(s.obj)
	s.WaitGone(s.obj)
	s.Wait(twin, testenv.Ready())
	assert.True(s.T, s.there())
	assert.ElementsMatch(s.T, s.kind.reissued(), s.Aiven.Writes(mark), "the resource of both is never created again")
	s.Delete(twin)
	s.WaitGone(twin)
	assert.False(s.T, s.there())
}

func (s *testCase) inheritsNothing() {
	s.begin()
	mark := s.Aiven.Mark()
	twin := s.twin()
	s.Delete(s.obj)
	s.WaitGone(s.obj)
	s.Wait(twin, testenv.Ready())
	assert.Contains(s.T, s.Aiven.Writes(mark), s.kind.create)
	s.Delete(twin)
	s.WaitGone(twin)
	assert.False(s.T, s.there())
}

// isRule reports whether the resources of a kind are nothing but their spec, as its Definition says. neighbours says it once more.
func isRule(k kind) bool {
	return slices.ContainsFunc(kinds.All(), func(r controllers.Registration) bool {
		if reflect.TypeOf(r.GetObject()).Elem().Name() != k.name {
			return false
		}
		made := reflect.ValueOf(r).FieldByName("New").Call([]reflect.Value{reflect.ValueOf(controllers.Env{})})[0]
		definition := made.Elem().Elem().FieldByName("definition")
		return definition.IsValid() && definition.FieldByName("IsRule").Bool() // services have no such field
	})
}

func needsConsent(k kind) bool { return !isRule(k) }

func (s *testCase) asksForConsent() {
	s.begin()
	s.Annotate(s.obj, deletionPolicy, "Orphan")
	s.Delete(s.obj)
	s.WaitGone(s.obj)
	mark := s.Aiven.Mark()
	again := s.Example(s.kind.example)
	s.Create(again)
	if isRule(s.kind) {
		s.Wait(again, testenv.Ready())
		return
	}
	s.Wait(again, testenv.Condition("Ready", metav1.ConditionFalse, "AlreadyExists"))
	assert.Empty(s.T, again.GetFinalizers())
	assert.Empty(s.T, s.Aiven.Writes(mark))
	s.Annotate(again, deletionPolicy, "Delete")
	s.Annotate(again, adoptionPolicy, "Adopt")
	s.Wait(again, testenv.Ready())
	if s.kind.name != "KafkaSchema" { // the registry returns its schema in other words: registering it adds no version
		assert.NotContains(s.T, s.Aiven.Writes(mark), s.kind.create, "what Aiven doesn't return may be sent")
	}
	s.Delete(again)
	s.WaitGone(again)
	assert.False(s.T, s.there())
}

// adoptsByFlag has what no object owns, and differs from the spec where the kind can show that. The object has no annotation.
func (s *testCase) adoptsByFlag() {
	s.begin()
	if s.kind.drift != nil {
		s.edit()
		s.Wait(s.obj, testenv.Ready())
	}
	s.Annotate(s.obj, deletionPolicy, "Orphan")
	s.Delete(s.obj)
	s.WaitGone(s.obj)
	s.Operator.Restart() // what it held in memory of the former owner is gone
	found, writes := s.Example(s.kind.example), s.kind.reissued()
	if s.kind.drift != nil {
		s.kind.change(s.Env, found)
		s.kind.drift(s.Env)
		writes = s.kind.updates()
	}
	require.Empty(s.T, found.GetAnnotations())
	mark := s.Aiven.Mark()
	s.Create(found)
	s.Wait(found, testenv.Ready(), testenv.Phase(s.kind.phase))
	assert.ElementsMatch(s.T, writes, s.Aiven.Writes(mark))
	assert.True(s.T, s.kind.repaired == nil || s.kind.repaired(s.Env), "the difference is still there")
	s.Delete(found)
	s.WaitGone(found)
	assert.False(s.T, s.there())
}

// isNotSquatted has an older object in the way, without a token or paused, with the marks of an owner or without any, which goes before the
// other one or after it.
func (s *testCase) isNotSquatted() {
	squatter := s.Example(s.kind.example)
	squatter.SetNamespace(s.Second)
	marks, held := map[string]string{}, testenv.Condition("AuthValid", metav1.ConditionFalse, "TokenMissing")
	if s.is(0) {
		marks = map[string]string{attempted: "true", processed: "1", running: "true", takenOver: "1"}
		squatter.SetFinalizers([]string{finalizer})
	}
	if s.is(1) {
		marks[paused], held = "true", testenv.Condition("Paused", metav1.ConditionTrue, "PausedByAnnotation")
	}
	squatter.SetAnnotations(marks)
	s.Create(squatter)
	s.Wait(squatter, held)
	s.begin()
	goes := func() {
		mark := s.Aiven.Mark()
		s.Delete(squatter)
		s.WaitGone(squatter)
		assert.Empty(s.T, s.Aiven.Writes(mark))
	}
	if s.is(2) {
		goes()
		assert.True(s.T, s.there())
		s.Wait(s.obj, testenv.Ready())
	}
	s.Delete(s.obj)
	s.WaitGone(s.obj)
	assert.False(s.T, s.there())
	if !s.is(2) {
		goes()
	}
}

// isOvertaken has an older object whose creation had no answer, and that is then paused or loses its token. It goes on before it is deleted
// or not, and is deleted before the other one or after it.
func (s *testCase) isOvertaken() {
	s.tokenInSecond()
	first := s.Example(s.kind.example)
	first.SetNamespace(s.Second)
	goesOn := s.stops(first)
	s.Create(s.obj)
	s.Wait(s.obj, testenv.Ready())
	mark := s.Aiven.Mark()
	if s.is(1) {
		goesOn()
		s.Wait(first, conflict())
	}
	if s.is(2) {
		s.Delete(s.obj)
		s.WaitGone(s.obj)
		if s.is(1) { // it makes a resource of its own
			s.Wait(first, testenv.Ready())
		} else {
			assert.False(s.T, s.there())
		}
	}
	s.Delete(first)
	s.WaitGone(first)
	if s.is(2) {
		assert.False(s.T, s.there())
		return
	}
	assert.Empty(s.T, s.Aiven.Writes(mark))
	assert.True(s.T, s.there())
	s.Delete(s.obj)
	s.WaitGone(s.obj)
	assert.False(s.T, s.there())
}

// stops lets an object begin to create its resource, without an answer, and then pauses it or takes its token. It goes on by what is
// returned.
func (s *testCase) stops(obj testenv.Object) (goOn func()) {
	s.Aiven.FailWrites(s.kind.create, localaiven.Effect{Status: http.StatusServiceUnavailable}, 0)
	defer s.Aiven.RemoveFaults()
	s.Create(obj)
	s.Until(func() bool { s.Get(obj); return obj.GetAnnotations()[attempted] != "" }, func() string { return "nothing was begun" })
	if s.kind.name == "KafkaNativeACL" || s.is(0) { // its whole spec is immutable, the name of its token Secret too
		s.Annotate(obj, paused, "true")
		s.Wait(obj, testenv.Condition("Paused", metav1.ConditionTrue, "PausedByAnnotation"))
		return func() { s.Annotate(obj, paused, "") }
	}
	s.Change(obj, func() { obj.GetAuthSecretRef().Name = "no-such" })
	s.Wait(obj, testenv.Condition("AuthValid", metav1.ConditionFalse, "TokenMissing"))
	return func() { s.Change(obj, func() { obj.GetAuthSecretRef().Name = testenv.TokenSecret }) }
}

func holdsData(k kind) bool {
	return slices.ContainsFunc(kinds.All(), func(r controllers.Registration) bool {
		return reflect.TypeOf(r.GetObject()).Elem().Name() == k.name && reflect.ValueOf(r).FieldByName("HoldsData").Bool()
	})
}

func (s *testCase) isNotRecreated() {
	s.begin()
	s.loses(s.obj)
	s.Delete(s.obj)
	s.WaitGone(s.obj)
	mark := s.Aiven.Mark()
	again := s.Example(s.kind.example)
	s.Create(again)
	s.Wait(again, testenv.Ready())
	assert.Equal(s.T, []string{s.kind.create}, s.Aiven.Writes(mark), "who creates the object again agrees")

	s.loses(again)
	mark = s.Aiven.Mark()
	s.Annotate(again, recreatePolicy, "Always")
	s.Wait(again, testenv.Ready())
	assert.Contains(s.T, s.Aiven.Writes(mark), s.kind.create)
}

// loses removes the resource of an object at the console, and wants it to stay removed.
func (s *testCase) loses(obj testenv.Object) {
	s.T.Helper()
	mark := s.Aiven.Mark()
	require.NoError(s.T, s.kind.remove(s.Env))
	s.Annotate(obj, requested, "now")
	s.Wait(obj, testenv.Condition("Ready", metav1.ConditionFalse, "RemoteMissing"))
	assert.Empty(s.T, s.Aiven.Writes(mark))
}

// agreesToRecreate is the consent that kinds with data need.
func (s *testCase) agreesToRecreate() {
	if holdsData(s.kind) {
		s.Annotate(s.obj, recreatePolicy, "Always")
	}
}

func (s *testCase) onlyObserves() {
	s.begin()
	mark := s.Aiven.Mark()
	s.Annotate(s.obj, management, "Observe")
	if s.kind.change != nil {
		s.edit()
		s.Wait(s.obj, testenv.Condition("Drifted", metav1.ConditionTrue, "ReportOnly"))
		assert.NotEmpty(s.T, s.obj.GetCommonStatus().Drift)
	}
	s.Delete(s.obj)
	s.WaitGone(s.obj)
	assert.True(s.T, s.there())
	assert.Empty(s.T, s.Aiven.Writes(mark))
}

func (s *testCase) keepsToken() {
	s.begin()
	token := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: testenv.TokenSecret}}
	s.Delete(token)
	s.Get(token)
	assert.NotNil(s.T, token.DeletionTimestamp, "it goes, but not yet")
	s.Delete(s.obj)
	s.WaitGone(s.obj)
	assert.False(s.T, s.there())
	s.WaitGone(token)
}
