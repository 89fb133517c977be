package schemaregistry

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/annotation"
)

// applied is an object of generation 3, of which a generation is applied.
func applied(generation int64) *metav1.ObjectMeta {
	return &metav1.ObjectMeta{
		UID: "a", Generation: 3, Annotations: map[string]string{annotation.Processed: annotation.FormatGeneration(generation)},
	}
}

func TestALevelIsReadOnceAnHour(t *testing.T) {
	at := func(name string) aiventest.Answer { return aiventest.OK(aiventest.Object{"compatibilityLevel": name}) }
	for name, tc := range map[string]struct {
		answer aiventest.Answer
		after  time.Duration
		live   bool
		wanted string // the second time
		level  string
		calls  int
	}{
		"as wanted":                           {at("FULL"), time.Minute, false, "FULL", "FULL", 1},
		"as wanted, after an hour":            {at("FULL"), time.Hour, false, "FULL", "FULL", 2},
		"as wanted, and asked for":            {at("FULL"), time.Minute, true, "FULL", "FULL", 2},
		"as wanted before":                    {at("FULL"), time.Minute, false, "NONE", "FULL", 2},
		"another than wanted is no knowledge": {at("NONE"), time.Minute, false, "FULL", "NONE", 2},
		"none":                                {aiventest.Refused(404, "no subject-level compatibility"), time.Minute, false, "FULL", "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, memory := aiventest.New(t), &sync.Map{}
				a.On(level, tc.answer)
				subject := orders(a.Client())
				_, err := subject.Level(t.Context(), LevelsIn(memory, applied(3)), "FULL", false)
				require.NoError(t, err)
				<-time.After(tc.after)
				got, err := subject.Level(t.Context(), LevelsIn(memory, applied(3)), tc.wanted, tc.live)
				require.NoError(t, err)
				assert.Equal(t, tc.level, got)
				assert.Len(t, a.Calls(), tc.calls)
			})
		})
	}
}

func TestALevelThatTheRegistryAcceptedIsNotRead(t *testing.T) {
	const set = "PUT service/my-kafka/kafka/schema/config/orders"
	at := func(name string) aiventest.Answer {
		return aiventest.OK(aiventest.Object{"compatibility": name})
	}
	for name, tc := range map[string]struct {
		answer aiventest.Answer
		calls  int // that read it
	}{
		"accepted":                     {at("FULL"), 0},
		"accepted in other words":      {at("NONE"), 1},
		"accepted, and not shown":      {aiventest.OK(nil), 1},
		"refused":                      {aiventest.Refused(403, "no"), 1},
		"set, perhaps: no answer came": {aiventest.Refused(503, "later"), 1},
	} {
		t.Run(name, func(t *testing.T) {
			a, memory := aiventest.New(t), &sync.Map{}
			a.On(level, aiventest.OK(aiventest.Object{"compatibilityLevel": "FULL"}))
			a.On(set, tc.answer)
			subject := orders(a.Client())
			_, err := subject.Level(t.Context(), LevelsIn(memory, applied(3)), "FULL", false)
			require.NoError(t, err)
			a.Calls()
			_ = subject.Configure(t.Context(), LevelsIn(memory, applied(3)), "FULL")
			a.Calls()
			got, err := subject.Level(t.Context(), LevelsIn(memory, applied(3)), "FULL", false)
			require.NoError(t, err)
			assert.Equal(t, "FULL", got)
			assert.Len(t, a.Calls(), tc.calls)
		})
	}
}

func TestTheLevelOfASubjectThatWasDeletedIsForgotten(t *testing.T) {
	a, memory := aiventest.New(t), &sync.Map{}
	a.On(level, aiventest.OK(aiventest.Object{"compatibilityLevel": "FULL"}))
	for range 2 {
		_, err := orders(a.Client()).Level(t.Context(), LevelsIn(memory, applied(3)), "FULL", false)
		require.NoError(t, err)
		Forget(memory, Item(aiventest.Project, "my-kafka", "orders"))
	}
	assert.Len(t, a.Calls(), 2)
}

// What was known before a live read is no knowledge after it.
func TestALevelThatALiveReadDoesNotFindIsNotRemembered(t *testing.T) {
	for name, gone := range map[string]aiventest.Answer{
		"another": aiventest.OK(aiventest.Object{"compatibilityLevel": "NONE"}),
		"none":    aiventest.Refused(404, "no subject-level compatibility"),
	} {
		t.Run(name, func(t *testing.T) {
			a, memory := aiventest.New(t), &sync.Map{}
			a.On(level, aiventest.OK(aiventest.Object{"compatibilityLevel": "FULL"}), gone)
			subject := orders(a.Client())
			for _, live := range []bool{false, true, false} {
				_, err := subject.Level(t.Context(), LevelsIn(memory, applied(3)), "FULL", live)
				require.NoError(t, err)
			}
			assert.Len(t, a.Calls(), 3)
		})
	}
}

// A generation counts as applied once nothing differs, so its level has to be that of the registry, and not one of an hour ago.
func TestALevelThatIsKnownForAnotherSpecIsRead(t *testing.T) {
	present := applied(3)
	edited, recreated, restored := applied(2), applied(0), applied(3)
	recreated.UID, restored.UID = "b", "b"
	for name, tc := range map[string]struct {
		first, second *metav1.ObjectMeta
		set           bool // the first one sets the level
		calls         int  // of the second one
	}{
		"of the same spec":                                      {first: present, second: present},
		"found before the spec is applied":                      {first: edited, second: edited, calls: 1},
		"found right before the spec is applied":                {first: edited, second: present},
		"set before the spec is applied":                        {first: edited, second: edited, set: true},
		"set by an object that was created again":               {first: present, second: recreated, set: true, calls: 1},
		"found by an object that was created again":             {first: present, second: recreated, calls: 1},
		"of an object that was restored with its annotations":   {first: present, second: restored, calls: 1},
		"set by an object that was restored, in its other life": {first: present, second: restored, set: true, calls: 1},
		"of an earlier spec":                                    {first: &metav1.ObjectMeta{UID: "a", Generation: 2}, second: edited, set: true, calls: 1},
	} {
		t.Run(name, func(t *testing.T) {
			a, memory := aiventest.New(t), &sync.Map{}
			a.On(level, aiventest.OK(aiventest.Object{"compatibilityLevel": "FULL"}))
			a.On("PUT service/my-kafka/kafka/schema/config/orders", aiventest.OK(aiventest.Object{"compatibility": "FULL"}))
			subject := orders(a.Client())
			if tc.set {
				require.NoError(t, subject.Configure(t.Context(), LevelsIn(memory, tc.first), "FULL"))
			} else {
				_, err := subject.Level(t.Context(), LevelsIn(memory, tc.first), "FULL", false)
				require.NoError(t, err)
			}
			a.Calls()
			_, err := subject.Level(t.Context(), LevelsIn(memory, tc.second), "FULL", false)
			require.NoError(t, err)
			assert.Len(t, a.Calls(), tc.calls)
		})
	}
}
