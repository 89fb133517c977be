package aiven_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// readTopics reads some one after the other.
func (v *view) readTopics(names ...string) {
	v.t.Helper()
	for _, name := range names {
		found, err := v.Topic(v.t.Context(), "p", "s", name)
		require.NoError(v.t, err)
		require.Equal(v.t, name, found.TopicName)
	}
}

func TestTopicsAreReadTogether(t *testing.T) {
	c := newCloud(aService("s", "RUNNING"))
	for n := range 250 {
		c.topics = append(c.topics, fmt.Sprintf("t%d", n))
	}
	inBubble(t, c, func(v *view) {
		v.readTopics(c.topics...)
		v.made()
		pause(3 * watchInterval * 3 / 2)
		v.readTopics(c.topics...)
		assert.Empty(t, v.made(), "of three calls, two in three intervals")
		pause(time.Millisecond)
		v.readTopics(c.topics...)
		assert.Len(t, v.made(), 3, "in chunks of a hundred")
		v.RecordWrite("p", "s", aiven.TopicEntry("t7"), aiven.WriteResult{})
		v.readTopics(c.topics...)
		assert.Len(t, v.made(), 1, "only what was written is read again")
	})
}

// cloudWithTopics has a service that lists so many topics, which exist, and others, which don't.
func cloudWithTopics(n int, gone ...string) *cloud {
	service, listed := aService("s", "RUNNING"), []any{}
	c := newCloud(service)
	for i := range n {
		c.topics = append(c.topics, fmt.Sprintf("t%d", i))
	}
	for _, name := range slices.Concat(gone, c.topics) {
		listed = append(listed, map[string]any{"topic_name": name})
	}
	service["topics"] = listed
	return c
}

// After a restart each object asks for its own, and waits.
func TestP04_AfterARestartTopicsAreReadTogetherBeforeTheirObjectsAsk(t *testing.T) {
	c := cloudWithTopics(250)
	inBubble(t, c, func(v *view) {
		v.users()
		v.made()
		v.readTopics(c.topics[:200]...)
		assert.LessOrEqual(t, len(v.made()), 3)
		pause(10 * watchInterval)
		v.readTopics(c.topics[:200]...)
		assert.Len(t, v.made(), 2, "the 50 that no object has asked for aren't read again")
		v.readTopics(c.topics[200])
		assert.Len(t, v.made(), 1, "and nothing is known of them any longer")
	})
}

// The list of the service still has a topic that is gone, and that no object asks for.
func TestATopicThatIsReadBeforeItsObjectAsksCostsTheOthersOneCallIfItIsGone(t *testing.T) {
	c := cloudWithTopics(60, "gone")
	inBubble(t, c, func(v *view) {
		v.users()
		v.made()
		release := c.stall()
		for _, name := range c.topics[:30] {
			go v.readTopics(name)
		}
		synctest.Wait()
		release()
		synctest.Wait()
		assert.Equal(t, []string{"service/s/topic", "service/s/topic"}, v.made(), "the second one has those that objects have asked for")
		v.readTopics(c.topics[:30]...)
		assert.Empty(t, v.made())
		v.readTopics(c.topics[30])
		assert.Equal(t, []string{"service/s/topic"}, v.made(), "no others are read with it")
		pause(2 * watchInterval)
		v.readTopics(c.topics...)
		assert.NotContains(t, v.made(), "service/s/topic/t0")
	})
}

func TestACallForTopicsRenewsThoseWhoseTimeComesNext(t *testing.T) {
	c := newCloud(aService("s", "RUNNING"))
	for n := range 99 {
		c.topics = append(c.topics, fmt.Sprintf("t%d", n))
	}
	c.topics = append(c.topics, "another")
	inBubble(t, c, func(v *view) {
		v.readTopics(c.topics[:99]...)
		pause(watchInterval)
		v.made()
		v.readTopics("another")
		assert.Len(t, v.made(), 1)
		pause(watchInterval)
		v.readTopics(c.topics...)
		assert.Empty(t, v.made(), "there was room for all")
	})
}

func TestATopicThatIsGoneIsNotFound(t *testing.T) {
	c := newCloud(aService("s", "RUNNING"))
	c.topics = []string{"t"}
	inBubble(t, c, func(v *view) {
		_, err := v.Topic(v.t.Context(), "p", "s", "gone")
		assert.True(t, fault.Is(err, fault.NotFound))
		pause(2 * watchInterval)
		c.down = http.StatusTooManyRequests
		_, err = v.Topic(v.t.Context(), "p", "s", "t")
		assert.True(t, fault.Is(err, fault.RateLimited))
	})
}

func TestWithoutTheCallForManyTopicsEachIsAskedFor(t *testing.T) {
	for _, status := range []int{http.StatusNotImplemented, http.StatusForbidden, http.StatusBadRequest} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			c := newCloud(aService("s", "RUNNING"))
			c.topics, c.noBatch = []string{"t", "u"}, status
			inBubble(t, c, func(v *view) {
				for range 3 {
					v.readTopics("t", "u")
				}
				assert.Equal(t, []string{"service/s/topic", "service/s/topic/t", "service/s/topic/u"}, v.made())
			})
		})
	}
}

func TestATopicThatWentCostsTheOthersLittle(t *testing.T) {
	c := newCloud(aService("s", "RUNNING"))
	c.topics = []string{"t", "u"}
	inBubble(t, c, func(v *view) {
		v.readTopics("t", "u")
		pause(2 * watchInterval)
		c.topics = []string{"t"}
		v.made()
		v.readTopics("t")
		assert.Equal(t, []string{"service/s/topic", "service/s/topic/t"}, v.made(), "asked for with the one that went")
		_, err := v.Topic(v.t.Context(), "p", "s", "u")
		require.True(t, fault.Is(err, fault.NotFound))
		assert.Equal(t, []string{"service/s/topic/u"}, v.made())
		pause(2 * watchInterval)
		v.readTopics("t")
		assert.Equal(t, []string{"service/s/topic"}, v.made(), "asked for without it")
	})
}

func TestATopicThatTheServiceDoesNotListIsAskedForAlone(t *testing.T) {
	listed := aService("s", "RUNNING")
	listed["topics"] = []any{map[string]any{"topic_name": "t"}, map[string]any{"topic_name": "u"}}
	c := newCloud(listed)
	c.topics = []string{"t", "u", "new"}
	inBubble(t, c, func(v *view) {
		v.users()
		v.made()
		v.readTopics("t", "u", "new")
		assert.Equal(t, []string{"service/s/topic", "service/s/topic/new"}, v.made())
		pause(2 * watchInterval)
		v.readTopics("t", "u")
		assert.Equal(t, []string{"service/s/topic"}, v.made())
	})
}

func TestATopicThatIsBeingConfiguredIsSoonOutOfDate(t *testing.T) {
	c := newCloud(aService("s", "RUNNING"))
	c.topics, c.configuring = []string{"t"}, true
	inBubble(t, c, func(v *view) {
		v.readTopics("t")
		pause(unsettled + time.Millisecond)
		c.configuring = false
		found, err := v.Topic(v.t.Context(), "p", "s", "t")
		require.NoError(t, err)
		assert.EqualValues(t, "ACTIVE", found.State)
		assert.Len(t, v.made(), 2)
	})
}

func TestTheAnswerForOneTopicEndsTheWaitOfOthers(t *testing.T) {
	c := newCloud(aService("s", "RUNNING"))
	c.topics, c.configuring = []string{"asked", "configured", "written", "same"}, true
	inBubble(t, c, func(v *view) {
		v.readTopics(c.topics...)
		pause(unsettled + time.Millisecond)
		v.RecordWrite("p", "s", aiven.TopicEntry("written"), aiven.WriteResult{MayHaveApplied: true})
		v.heard()
		v.readTopics("asked")
		assert.Equal(t, []aiven.Change{{
			Key: aiven.ServiceKey{Project: "p", Service: "s"}, Entries: []aiven.Entry{aiven.TopicEntry("written")},
		}}, v.heard())
		c.configuring = false
		pause(unsettled + time.Millisecond)
		v.readTopics("asked")
		heard := v.heard()
		require.Len(t, heard, 1)
		assert.ElementsMatch(t, []aiven.Entry{
			aiven.TopicEntry("configured"), aiven.TopicEntry("written"), aiven.TopicEntry("same"),
		}, heard[0].Entries)
		pause(2 * watchInterval)
		v.readTopics("asked")
		assert.Empty(t, v.heard(), "all were active before")
	})
}

func TestAnAnswerAboutTopicsDoesNotUndoAWrite(t *testing.T) {
	c := newCloud(aService("s", "RUNNING"))
	c.topics, c.configuring = []string{"t"}, true
	inBubble(t, c, func(v *view) {
		release := c.stall()
		early := make(chan string, 2)
		read := func() {
			found, err := v.Topic(v.t.Context(), "p", "s", "t")
			assert.NoError(t, err)
			early <- string(found.State)
		}
		go read()
		go read()
		synctest.Wait()
		assert.Len(t, v.made(), 1, "who asks at the same time shares the call")
		v.RecordWrite("p", "s", aiven.TopicEntry("t"), aiven.WriteResult{})
		c.configuring = false
		release()
		assert.Equal(t, "ACTIVE", <-early)
		assert.Equal(t, "ACTIVE", <-early)
	})
}

func TestATopicThatChangedIsReadAgain(t *testing.T) {
	s := aService("s", "RUNNING")
	s["topics"] = []any{map[string]any{"topic_name": "t", "partitions": 1}, map[string]any{"topic_name": "u"}}
	c := newCloud(s)
	c.topics = []string{"t", "u"}
	inBubble(t, c, func(v *view) {
		v.users()
		v.readTopics("t", "u")
		changed := aService("s", "RUNNING")
		changed["topics"] = []any{map[string]any{"topic_name": "t", "partitions": 2}, map[string]any{"topic_name": "u"}}
		c.put(changed)
		found, err := v.GetLive(v.t.Context(), "p", "s")
		require.NoError(t, err)
		assert.Equal(t, 2, found.Topics["t"].Partitions)
		v.made()
		v.readTopics("t", "u")
		assert.Equal(t, []string{"service/s/topic"}, v.made())
	})
}

func TestP04_AThousandTopicsPolledAtRandomCostTensOfCalls(t *testing.T) {
	c := newCloud(aService("s", "RUNNING"))
	for n := range 1000 {
		c.topics = append(c.topics, fmt.Sprintf("t%d", n))
	}
	inBubble(t, c, func(v *view) {
		v.readTopics(c.topics...)
		v.made()
		for _, n := range rand.New(rand.NewPCG(1, 2)).Perm(1000) {
			v.readTopics(c.topics[n])
			pause(10 * time.Minute / 1000)
		}
		assert.LessOrEqual(t, len(v.made()), 7, "two in three watch intervals")
		pause(2 * time.Hour)
		v.readTopics("t0")
		assert.Len(t, v.made(), 1, "what is not requested any more costs nothing")
	})
}

func TestErrorsOfTopicsAreNotCached(t *testing.T) {
	c := newCloud(aService("s", "RUNNING"))
	c.topics = []string{"t"}
	inBubble(t, c, func(v *view) {
		release := c.stall()
		ctx, cancel := contextFor(v.t, time.Second)
		defer cancel()
		_, err := v.Topic(ctx, "p", "s", "t")
		assert.True(t, fault.Is(err, fault.Timeout), "who gives up doesn't wait: %v", err)
		release()
		synctest.Wait()
		v.readTopics("t")
		assert.Len(t, v.made(), 1, "the answer is there all the same")
		pause(2 * watchInterval)
		c.down = http.StatusServiceUnavailable
		_, err = v.Topic(v.t.Context(), "p", "s", "t")
		require.True(t, fault.Is(err, fault.Server))
		c.down = 0
		v.readTopics("t")
		assert.Equal(t, []string{"service/s/topic", "service/s/topic"}, v.made())
	})
}

func TestWithoutAWatchATopicIsOneCall(t *testing.T) {
	c := newCloud(aService("s", "RUNNING"))
	c.topics = []string{"t", "u"}
	a := clientFor(t, aiven.Options{Transport: c})
	for _, name := range []string{"t", "u", "t"} {
		_, err := a.Topic(t.Context(), "p", "s", name)
		require.NoError(t, err)
	}
	assert.Equal(t, []string{"service/s/topic/t", "service/s/topic/u", "service/s/topic/t"}, c.made())
}

// Within the lag after a write, Aiven may show the configuration from before.
func TestATopicThatWasReadWithinTheLagIsReadAgainAfterIt(t *testing.T) {
	for name, tc := range map[string]struct {
		noBatch int
		between func(*view)
	}{
		"together with others":       {between: func(*view) {}},
		"alone":                      {noBatch: http.StatusNotImplemented, between: func(*view) {}},
		"and so was its service":     {between: func(v *view) { v.users() }},
		"and its service after that": {between: func(v *view) { pause(lag); v.Invalidate("p", "s"); v.users() }},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCloud(aService("s", "RUNNING"))
			c.topics, c.noBatch = []string{"t"}, tc.noBatch
			inBubble(t, c, func(v *view) {
				v.users()
				v.RecordWrite("p", "s", aiven.TopicEntry("t"), aiven.WriteResult{MayHaveApplied: true})
				v.readTopics("t")
				v.made()
				v.readTopics("t")
				assert.Empty(t, v.made(), "it is known, and may be late")
				tc.between(v)
				pause(lag)
				v.made()
				v.readTopics("t")
				assert.Len(t, v.made(), 1)
				v.readTopics("t")
				assert.Empty(t, v.made(), "now it is known")
			})
		})
	}
}
