package schemaregistry

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// A subject may have more versions than there are calls to make at once.
func TestASearchGoesOnWhereItHadNoTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := aiventest.New(t)
		all := []int{}
		for number := range 12 {
			all = append(all, number+1)
			a.On(fmt.Sprintf("%s/%d", versions, number+1), shown(number+1))
		}
		a.On(subjects, listed("orders"))
		a.On(versions, numbers(all...))
		client, err := aiven.New(aiven.Options{Transport: a, QPS: 1, Burst: 5, WatchInterval: time.Hour}).ForToken("a-token")
		require.NoError(t, err)
		var memory sync.Map
		item := Item(aiventest.Project, "my-kafka", "orders")
		subject := orders(client)
		misses := MissesIn(&memory, item, Schema{Text: "{}"})
		known := 3
		find := func() (*Version, error) {
			fit, other, err := subject.Find(t.Context(), known, misses, func(*Version) bool { return false })
			assert.Nil(t, fit)
			return other, err
		}
		for _, step := range []struct{ known, found int }{{3, 3}, {0, 12}} { // the third one is read, too, where it isn't known
			known = step.known
			for attempt := 0; ; attempt++ {
				other, err := find()
				if err == nil {
					assert.Equal(t, step.found, other.Version)
					break
				}
				require.True(t, fault.NotSent(err), "%v", err)
				require.Less(t, attempt, 60, "it never ends")
				<-time.After(fault.Of(err).RetryAfter)
			}
		}
		for name, tc := range map[string]struct {
			of    *Misses
			calls int // besides the numbers of versions
		}{
			"known":          {misses, 1},
			"another schema": {MissesIn(&memory, item, Schema{Text: "[]"}), 12},
			"nothing":        {nil, 12},
		} {
			<-time.After(time.Minute)
			a.Calls()
			client, err := aiven.New(aiven.Options{Transport: a, WatchInterval: time.Hour}).ForToken("a-token")
			require.NoError(t, err)
			subject.Client, misses = client, tc.of
			other, err := find()
			require.NoError(t, err)
			assert.Equal(t, 12, other.Version, name)
			assert.Len(t, a.Calls(), 2+tc.calls, name)
			misses = MissesIn(&memory, item, Schema{Text: "{}"})
			_, err = find() // of which the memory is again
			require.NoError(t, err)
		}
		fit, _, err := subject.Find(t.Context(), 5, misses, func(v *Version) bool { return v.Version == 5 })
		require.NoError(t, err)
		assert.Equal(t, 5, fit.Version, "the known version may count as the schema by now")
		Forget(&memory, item)
		assert.False(t, misses.has(12))
	})
}
