package conformance_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

// onlyProject is at an Aiven that has no others yet, but for the second one of a step.
const onlyProject = "the-only-one"

var inputRequirements = []requirement{
	{
		says: "a refusal that Aiven takes back passes without an edit, and is one Warning", proves: "E04",
		check: (*testCase).recoversFromRefusal,
	},
	{
		says: "in a project that appears later an object becomes ready without an edit", proves: "E05", bare: true,
		applies: func(k kind) bool { return !isProject(k) },
		options: testenv.Options{Aiven: localaiven.Options{Projects: []string{onlyProject, production}}}, check: (*testCase).waitsForProject,
	},
	{
		says: "a service of another type is named, and an object becomes ready once that is replaced", proves: "E04", bare: true,
		applies: needsType, check: (*testCase).refusesOtherType,
	},
	{
		says: "where its feature is switched off an object waits, and starts once it is on", proves: "P07", bare: true, options: atOnce,
		applies: func(k kind) bool {
			return slices.Contains([]string{"KafkaConnector", "KafkaSchema", "KafkaSchemaRegistryACL"}, k.name)
		},
		check: (*testCase).waitsForFeature,
	},
}

// needsType reports whether a kind needs a service of one type. All types have users, and Aiven knows which ones it connects.
func needsType(k kind) bool {
	return k.name != "ServiceUser" && k.name != "ServiceIntegration" && (k.in != nil || k.resource == "service")
}

// warnedOnce checks that users were warned once at most, however often the object was reconciled.
func warnedOnce(e *testenv.Env, obj testenv.Object) {
	e.T.Helper()
	warnedOnceOf(e, obj, 1)
}

// warnedOnceOf checks that users were warned once at most of each of the failures that an object went through.
func warnedOnceOf(e *testenv.Env, obj testenv.Object, failures int) {
	e.T.Helper()
	var warnings []string
	for _, event := range e.Events(obj) {
		if event.Type == corev1.EventTypeWarning {
			warnings = append(warnings, event.Reason+": "+event.Note)
			assert.Nil(e.T, event.Series, "repeated: %s", event.Note)
		}
	}
	assert.LessOrEqual(e.T, len(warnings), failures, "%q", warnings)
}

// recovers waits until an object is ready that was not edited, and checks what became of it.
func (s *testCase) recovers() {
	s.T.Helper()
	generation := s.obj.GetGeneration()
	s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase))
	assert.Equal(s.T, generation, s.obj.GetGeneration())
	assert.Nil(s.T, testenv.Find(s.obj, "Stalled"))
	assert.Nil(s.T, testenv.Find(s.obj, "Error"))
	assert.Equal(s.T, 1, count(s.Env, s.kind))
	warnedOnce(s.Env, s.obj)
}

func (s *testCase) recoversFromRefusal() {
	s.refuse(http.StatusBadRequest, "The colour isn't available")
	s.Create(s.obj)
	s.Wait(s.obj, isInvalid("The colour isn't available")...)
	s.Rest(2) // one recheck a poll
	writes := s.Aiven.Writes(0)
	assert.LessOrEqual(s.T, len(writes), 1+s.Operator.Reconciles())
	assert.Empty(s.T, slices.DeleteFunc(writes, func(operation string) bool { return operation == s.kind.create }))
	s.Wait(s.obj, isInvalid("The colour isn't available")...)
	s.Aiven.RemoveFaults()
	s.recovers()
}

func (s *testCase) waitsForProject() {
	s.Create(s.obj)
	s.Wait(s.obj, testenv.Saying("Ready", s.Project))
	s.Rest(3)
	assert.NotEqual(s.T, metav1.ConditionTrue, testenv.Find(s.obj, "Ready").Status)
	makeProject(s.Env, s.Project)
	s.prepare()
	s.recovers()
}

// refusesOtherType replaces a namesake of the service. What the object refuses isn't its own: a deletion leaves it.
func (s *testCase) refusesOtherType() {
	name, other := s.obj.GetName(), "valkey"
	if s.kind.in != nil {
		name = s.kind.in.name
	}
	if s.kind.name == "Valkey" {
		other = "mysql"
	}
	namesake := &parent{name: name, serviceType: other, plan: "startup-4"}
	makeService(s.Env, namesake)
	first := s.Example(s.kind.example)
	for _, obj := range []testenv.Object{first, s.obj} {
		s.Create(obj)
		s.Wait(obj, isInvalid(other)...)
		if obj == first {
			s.Delete(obj)
			s.WaitGone(obj)
		}
	}
	s.Rest(3)
	assert.Empty(s.T, s.Aiven.Writes(0))
	assert.True(s.T, s.Aiven.Has("service", s.Project+"/"+name), "a namesake isn't ours to delete")
	warnedOnce(s.Env, s.obj)
	require.NoError(s.T, s.Aiven.Console.ServiceDelete(s.T.Context(), s.Project, name))
	s.prepare()
	s.recovers()
}

func (s *testCase) waitsForFeature() {
	makeService(s.Env, s.kind.in)
	s.Create(s.obj)
	s.Wait(s.obj, testenv.Condition("Ready", metav1.ConditionUnknown, "Progressing"), testenv.Saying("Ready", "set spec.userConfig."),
		testenv.Saying("Ready", " of service "+s.Project+"/"+s.kind.in.name+" to true"))
	assert.Empty(s.T, s.Aiven.Writes(0))
	s.prepareService()
	s.recovers()
	assert.Equal(s.T, []string{s.kind.create}, s.Aiven.Writes(0))
}

// brokenInput is input that is wrong by what it leads to. It is mended there; nothing edits the object.
type brokenInput struct {
	kinds []string
	// object prepares the surroundings, and returns the object, which isn't created yet.
	object func(e *testenv.Env) testenv.Object
	shows  []testenv.Want
	// writes are those of the object until it is mended.
	writes []string
	mend   func(e *testenv.Env)
	// replacement mends in the place of the object of its name and kind, where no edit could.
	replacement func(e *testenv.Env) testenv.Object
}

func TestE14_WhatIsMendedElsewhereNeedsNoEdit(t *testing.T) {
	t.Parallel()
	for says, tc := range brokenInputs {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			e := testenv.New(t, testenv.Options{Kinds: tc.kinds})
			obj := tc.object(e)
			e.Create(obj)
			e.Wait(obj, tc.shows...)
			e.Rest(3)
			e.Wait(obj, tc.shows...)
			assert.Subset(t, append(tc.writes, ""), e.Aiven.Writes(0), "nothing else is written")
			warnedOnce(e, obj)
			generation, failures := obj.GetGeneration(), 1
			if tc.replacement == nil {
				tc.mend(e)
			} else {
				replace(e, tc.replacement(e), obj)
				failures++
			}
			e.Wait(obj, testenv.Ready())
			assert.Equal(t, generation, obj.GetGeneration())
			warnedOnceOf(e, obj, failures)
		})
	}
}

// invalidInput is input that only an edit of the object can mend.
type invalidInput struct {
	example string
	prepare func(e *testenv.Env)
	spoil   func(e *testenv.Env, obj testenv.Object)
	shows   string
	mend    func(obj testenv.Object)
}

func TestE04_E14_WhatOnlyAnEditMendsIsRefusedOnceByName(t *testing.T) {
	t.Parallel()
	for says, tc := range invalidInputs {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			of := slices.IndexFunc(allKinds, func(k kind) bool { return k.example == tc.example })
			e := testenv.New(t, testenv.Options{Kinds: allKinds[of].needs(), Config: testenv.OnlyWatches})
			if tc.prepare != nil {
				tc.prepare(e)
			}
			obj := e.Example(tc.example)
			tc.spoil(e, obj)
			e.Create(obj)
			e.Wait(obj, isInvalid(tc.shows)...)
			assert.Empty(t, e.Aiven.Writes(0))
			warnedOnce(e, obj)
			e.Change(obj, func() { tc.mend(obj) })
			e.Wait(obj, testenv.Ready())
			warnedOnce(e, obj)
		})
	}
}
