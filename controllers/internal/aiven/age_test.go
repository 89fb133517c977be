package aiven_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/controllers/internal/aiven"
)

func TestAListIsServedFromMemoryUntilItIsTooOld(t *testing.T) {
	for name, tc := range map[string]struct {
		key   aiven.ListKey
		bound time.Duration
	}{
		"of a service, which objects share, for two intervals":     {chUsers, 2 * watchInterval},
		"of a project, which the watch renews, for one and a half": {vpcs, watchInterval * 3 / 2},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, newCloud(), func(v *view) {
				i := &inventory{names: []string{"a"}}
				v.list(tc.key, i)
				pause(tc.bound)
				v.list(tc.key, i)
				assert.Equal(t, 1, i.calls)
				pause(time.Millisecond)
				v.list(tc.key, i)
				assert.Equal(t, 2, i.calls)
			})
		})
	}
}

func TestAServiceThatIsBeingBuiltIsServedFromMemoryForAMoment(t *testing.T) {
	inBubble(t, newCloud(aService("s", "REBUILDING")), func(v *view) {
		v.users()
		pause(unsettled)
		v.users()
		assert.Len(t, v.made(), 1)
	})
}
