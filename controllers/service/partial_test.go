package service

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

func TestE04_TagsThatAivenRefusesAreNamedAndRepeatNoOtherCall(t *testing.T) {
	a, now := aiventest.New(t), time.Now()
	a.On(lookup, aiventest.Service(aiventest.Object{"plan": "startup-8"}), aiventest.Service(nil))
	a.On(put, aiventest.OK(aiventest.Object{"service": aiventest.ServiceFields(nil)}))
	a.On("PUT service/my-pg/tags", aiventest.Refused(400, "Too many tags"))
	client, err := aiven.New(aiven.Options{Transport: a, ReadLag: time.Second, Now: func() time.Time { return now }}).ForToken("a-token")
	require.NoError(t, err)
	obj := edited(func(obj pg) { obj.Spec.Tags = map[string]string{"a": "b"} })
	var writes []string
	for range 3 {
		c := definition().Controller(controllers.Env{Client: client})
		seen, err := c.Observe(t.Context(), obj)
		require.NoError(t, err)
		_, err = c.Update(t.Context(), obj, seen)
		assert.Equal(t, `Aiven rejected spec.tags {a: "b"}: Too many tags (400 ProjectServiceTagsReplace)`,
			new(fault.Secrets).Refusal(err, "Aiven rejected the change", ""))
		for _, call := range a.Calls() {
			if route, _, _ := strings.Cut(call, " {"); strings.HasPrefix(route, "PUT") {
				writes = append(writes, route)
			}
		}
		now = now.Add(10 * time.Minute)
	}
	const tags = "PUT service/my-pg/tags"
	assert.Equal(t, []string{put, tags, tags, tags}, writes)
}

func TestAServiceThatWasUpdatedInPartIsPending(t *testing.T) {
	for name, tc := range map[string]struct {
		update, tags aiventest.Answer
		pending      bool
	}{
		"its tags are refused":  {aiventest.OK(aiventest.Object{"service": aiventest.ServiceFields(nil)}), aiventest.Refused(400, "no"), true},
		"its tags fail":         {aiventest.OK(aiventest.Object{"service": aiventest.ServiceFields(nil)}), aiventest.Refused(500, "oops"), true},
		"its tags time out":     {aiventest.OK(aiventest.Object{"service": aiventest.ServiceFields(nil)}), aiventest.Refused(408, "too late"), true},
		"the update is refused": {aiventest.Refused(400, "no"), aiventest.Answer{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, aiventest.Service(aiventest.Object{"plan": "startup-8"}))
			a.On(put, tc.update)
			a.On("PUT service/my-pg/tags", tc.tags)
			obj := edited(func(obj pg) { obj.Spec.Tags = map[string]string{"a": "b"} })
			env := controllers.Env{Client: a.Client()}
			first := definition().Controller(env)
			seen, err := first.Observe(t.Context(), obj)
			require.NoError(t, err)
			_, err = first.Update(t.Context(), obj, seen)
			require.Error(t, err)
			o, err := definition().Controller(env).Observe(t.Context(), obj)
			require.NoError(t, err)
			assert.Equal(t, tc.pending, len(o.Diff) == 0, "what was sent isn't sent again while Aiven may not show it yet")
			assert.Equal(t, tc.pending, o.WaitFor != "", "and doesn't count as applied")
		})
	}
}

func TestAnAnswerToACreationThatHoldsAnotherServiceIsNotTakenForIt(t *testing.T) {
	for name, tc := range map[string]struct {
		made  aiventest.Object
		calls []string
	}{
		"the service": {aiventest.ServiceFields(nil), nil},
		"another one": {aiventest.ServiceFields(aiventest.Object{"service_name": "other-pg", "service_type": "kafka"}), []string{lookup}},
		"none":        {aiventest.Object{}, []string{lookup}},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := aiventest.New(t), object()
			a.On(lookup, aiventest.Service(nil))
			a.On("POST service", aiventest.OK(aiventest.Object{"service": tc.made}))
			client, err := aiven.New(aiven.Options{Transport: a, WatchInterval: time.Minute}).ForToken("a-token")
			require.NoError(t, err)
			_, err = definition().Controller(controllers.Env{Client: client}).Create(t.Context(), obj)
			require.NoError(t, err)
			a.Calls()
			found, err := client.Service(t.Context(), aiventest.Project, "my-pg")
			require.NoError(t, err)
			assert.Equal(t, "my-pg", found.Name)
			assert.Equal(t, tc.calls, a.Calls())
		})
	}
}

// Consent to a loss of data is used up once its generation is accepted: it must not count for what comes after a change that was refused.
func TestAServiceIsPoweredOffAfterEverythingElseOfItsSpec(t *testing.T) {
	for name, tc := range map[string]struct {
		tags   aiventest.Answer
		writes []string
	}{
		"its tags are refused":  {aiventest.Refused(400, "Too many tags"), []string{"PUT service/my-pg/tags"}},
		"its tags are accepted": {aiventest.OK(nil), []string{"PUT service/my-pg/tags", put}},
	} {
		t.Run(name, func(t *testing.T) {
			a, d, obj := aiventest.New(t), definition(), unpowered(tagged)
			a.On(lookup, aiventest.Service(nil))
			a.On(put, aiventest.OK(aiventest.Object{"service": aiventest.ServiceFields(nil)}))
			a.On("PUT service/my-pg/tags", tc.tags)
			d.OffLosesData = "all is lost"
			c := d.Controller(controllers.Env{Client: a.Client(), MayLoseData: true})
			seen, err := c.Observe(t.Context(), obj)
			require.NoError(t, err)
			_, err = c.Update(t.Context(), obj, seen)
			assert.Equal(t, fault.Is(err, fault.Rejected), len(tc.writes) == 1, "%v", err)
			var writes []string
			for _, call := range a.Calls() {
				if route, _, _ := strings.Cut(call, " {"); strings.HasPrefix(route, "PUT") {
					writes = append(writes, route)
				}
			}
			assert.Equal(t, tc.writes, writes)
		})
	}
}
