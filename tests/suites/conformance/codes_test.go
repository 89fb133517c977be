package conformance_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/tests/harness/sampling"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/localaiven/engine"
)

// callTime is the deadline of a call where some are slow.
const callTime = 500 * time.Millisecond

// badAnswers are those that no caller wants: each code that Aiven or a proxy before it may give, and answers that are none.
func badAnswers() map[string]localaiven.Effect {
	answers := map[string]localaiven.Effect{
		"garbage":                    {Status: http.StatusOK, Body: json.RawMessage(`{"service": "?", "user": 7, "message": []}`)},
		"nothing":                    {Status: http.StatusOK, Body: json.RawMessage(`{}`)},
		"a list":                     {Status: http.StatusOK, Body: json.RawMessage(`[]`)},
		"text":                       {Status: http.StatusOK, Body: json.RawMessage(`"<html>"`)},
		"a closed socket":            {Drop: localaiven.BeforeApply},
		"a lost answer":              {Drop: localaiven.AfterApply},
		"half an answer":             {Cut: true},
		"an answer that is slow":     {Delay: localaiven.Duration(2 * callTime)},
		"an error with the request":  {Status: http.StatusInternalServerError, Echo: true},
		"a refusal with the request": {Status: http.StatusBadRequest, Echo: true},
		"an error without a shape":   {Status: http.StatusInternalServerError, Body: json.RawMessage(`[1]`)},
	}
	for _, code := range []int{400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 412, 413, 415, 422, 423, 429, 451, 500, 501, 502, 503, 504} {
		answers[fmt.Sprint(code)] = localaiven.Effect{Status: code}
	}
	return answers
}

// share is how many commits it takes until each kind has met each answer.
const share = 30

// Whatever Aiven answers, and to whatever: the status stays true, which the recorder watches, nothing is lost, nothing is
// made twice, and all is well once Aiven is.
func TestE01_E09_EveryAnswerToEveryCallIsSurvived(t *testing.T) {
	t.Parallel()
	answers := badAnswers()
	names, first := slices.Sorted(maps.Keys(answers)), sampling.Choice(sampling.Commit, share, "answers")
	for i, k := range allKinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			for j, name := range names {
				if *sampling.Whole || (first+i+j)%share == 0 {
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						newCase(t, k, forAnswer(k, answers[name]), false).survives(answers[name], j%k.lives())
					})
				}
			}
		})
	}
}

// forAnswer shortens the deadline of calls where it is to pass, and adds what a Secret leads to. After a 429 calls are as fast
// as before: the rate that it leads to has tests of its own.
func forAnswer(k kind, effect localaiven.Effect) testenv.Options {
	o := withConfig(func(c *config.Config) {
		if effect.Delay > 0 {
			c.CallTimeout = callTime
			c.ReadLag = 2 * time.Duration(effect.Delay) // a call that takes longer than its deadline is made after it
		}
		if effect.Status == http.StatusTooManyRequests {
			c.QPS = 0
		}
	})
	o.Traced = true
	if k.engine != nil {
		o.Aiven.Engines = []engine.Engine{k.engine}
	}
	return o
}

// survives takes an object through one of its lives, in each part of which the first calls of each operation are answered badly.
func (s *testCase) survives(effect localaiven.Effect, life int) {
	deniable := effect.Status == http.StatusNotFound // after which a resource counts as gone
	s.markSecrets(life)
	s.spoil(effect)
	s.Create(s.obj)
	s.settle("created")
	mark := s.Aiven.Mark()
	s.spoil(effect)
	s.settle("at rest")
	if effect.Status != http.StatusNotFound {
		assert.Empty(s.T, s.Aiven.Writes(mark), "nothing has changed at Aiven")
	}
	if s.kind.change != nil && (!deniable || !s.kind.isReplaced()) { // a former resource counts as gone, too
		s.spoil(effect)
		s.edit()
		s.settle("changed")
	}
	if hasForeignSecret(s.kind) {
		foreignSecrets[s.kind.name].write(s.Env, s.marker())
		s.spoil(effect)
		s.settle("drifted")
	}
	s.spoil(effect)
	s.Delete(s.obj)
	s.WaitGone(s.obj)
	s.Aiven.RemoveFaults()
	if !deniable {
		assert.Zero(s.T, count(s.Env, s.kind), "nothing must be left")
	}
	s.Until(s.isTidy, func() string { return "the object's Secret or the finalizer of the token Secret is still there" })
}

// spoil lets the first two calls of each operation be answered badly: a read whose connection fails is tried twice.
func (s *testCase) spoil(effect localaiven.Effect) {
	for _, operation := range s.Aiven.Operations() {
		s.Aiven.Fail(operation, effect, 2)
	}
}

// settle requests reconciles until one has met no bad answer and the object is ready: what was refused isn't tried again
// by itself. Then there must be one resource, with the password that is published.
func (s *testCase) settle(when string) {
	s.T.Helper()
	asked, before := 0, -1
	s.Until(func() bool {
		s.Get(s.obj)
		if asked > 0 && s.obj.GetCommonStatus().LastHandledReconcileAt != when+strconv.Itoa(asked) {
			return false
		}
		hits := s.hits()
		if hits > 0 && hits == before && s.isWell() {
			return true
		}
		asked, before = asked+1, hits
		s.Annotate(s.obj, requested, when+strconv.Itoa(asked))
		return false
	}, func() string {
		return fmt.Sprintf("%s: not well after %d requests and %d bad answers", when, asked, s.hits())
	})
	s.Aiven.RemoveFaults()
	assert.Equal(s.T, 1, count(s.Env, s.kind), "%s: there must be one resource for the object", when)
	s.secretWorks()
}

// isWell reports whether the object is ready, and not only for the grace.
func (s *testCase) isWell() bool {
	ready, reachable := testenv.Find(s.obj, "Ready"), testenv.Find(s.obj, "DependenciesReachable")
	return ready != nil && ready.Status == metav1.ConditionTrue && ready.ObservedGeneration == s.obj.GetGeneration() &&
		reachable != nil && reachable.Status == metav1.ConditionTrue
}

// hits is how many bad answers were given.
func (s *testCase) hits() int {
	n := 0
	for _, fault := range s.Aiven.Faults() {
		n += fault.Hits
	}
	return n
}
