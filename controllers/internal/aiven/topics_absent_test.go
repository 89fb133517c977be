package aiven_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// withTopics is a service that lists its topics.
func withTopics(names ...string) map[string]any {
	list := []any{}
	for _, name := range names {
		list = append(list, map[string]any{"topic_name": name})
	}
	s := aService("s", "RUNNING")
	s["topics"] = list
	return s
}

func TestTheAbsenceOfATopicIsKept(t *testing.T) {
	reread := func(v *view) {
		_, err := v.GetLive(v.t.Context(), "p", "s")
		require.NoError(v.t, err)
	}
	written := func(v *view) { v.RecordWrite("p", "s", aiven.TopicEntry("t"), aiven.WriteResult{MayHaveApplied: true}) }
	const asked = "service/s/topic/t"
	for name, tc := range map[string]struct {
		service map[string]any
		first   func(*view) // before the absence is read
		then    func(*view) // after it
		asks    bool
	}{
		"as long as it is young": {service: aService("s", "RUNNING"), then: func(*view) { pause(watchInterval) }},
		"not when it is older":   {service: aService("s", "RUNNING"), then: func(*view) { pause(2 * watchInterval) }, asks: true},
		"as long as a young list lacks the topic": {service: withTopics("u"), then: func(v *view) {
			pause(2 * watchInterval)
			reread(v)
		}},
		"not when that list is old, too": {service: withTopics("u"), then: func(*view) { pause(2 * watchInterval) }, asks: true},
		"not after a list has the topic": {service: withTopics("u"), asks: true, then: func(v *view) {
			v.put(withTopics("t", "u"))
			reread(v)
			v.put(withTopics("u"))
			reread(v)
		}},
		"not after our write":                        {service: withTopics("u"), then: written, asks: true},
		"after our write to another":                 {service: withTopics("u"), then: func(v *view) { v.RecordWrite("p", "s", aiven.TopicEntry("u"), aiven.WriteResult{}) }},
		"not after a requested reconcile":            {service: withTopics("u"), then: func(v *view) { v.Invalidate("p", "s") }, asks: true},
		"not within the lag of our write":            {service: withTopics("u"), first: written, then: func(*view) {}, asks: true},
		"after the lag of our write":                 {service: withTopics("u"), first: func(v *view) { written(v); pause(lag) }, then: func(*view) {}},
		"not across the end of the lag of our write": {service: withTopics("u"), first: written, then: func(*view) { pause(lag) }, asks: true},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, newCloud(tc.service), func(v *view) {
				absent := func() {
					_, err := v.Topic(v.t.Context(), "p", "s", "t")
					assert.True(t, fault.Is(err, fault.NotFound), "%v", err)
				}
				v.users()
				if tc.first != nil {
					tc.first(v)
				}
				absent()
				tc.then(v)
				v.made()
				absent()
				if made := v.made(); tc.asks {
					assert.Equal(t, []string{asked}, made)
				} else {
					assert.Empty(t, made)
				}
			})
		})
	}
}

func TestAnAbsentTopicIsNotAskedForWithOthers(t *testing.T) {
	c := newCloud(aService("s", "RUNNING"))
	c.topics = []string{"t"}
	inBubble(t, c, func(v *view) {
		v.readTopics("t")
		for range 2 {
			_, err := v.Topic(v.t.Context(), "p", "s", "gone")
			require.True(t, fault.Is(err, fault.NotFound))
		}
		pause(2 * watchInterval)
		v.made()
		v.readTopics("t")
		assert.Equal(t, []string{"service/s/topic"}, v.made())
		_, err := v.Topic(v.t.Context(), "p", "s", "gone")
		require.True(t, fault.Is(err, fault.NotFound))
		assert.Equal(t, []string{"service/s/topic/gone"}, v.made(), "alone")
		c.topics = []string{"t", "gone"}
		pause(2*watchInterval + time.Second)
		v.readTopics("gone")
		assert.Equal(t, []string{"service/s/topic/gone"}, v.made(), "it has come meanwhile")
	})
}
