package aiven_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/controllers/internal/aiven"
)

func TestTheWatchRenewsAListForLessThanAnHourAfterItsLastUse(t *testing.T) {
	inBubble(t, newCloud(), func(v *view) {
		i := &inventory{names: []string{"a"}}
		v.list(vpcs, i)
		v.watch(time.Hour) // a minute between two reads
		assert.Equal(t, 60, i.calls, "the first one, and not at the end of the hour")
	})
}

func TestAReadThatFailsDelaysTheNextOneAsAnyOtherDoes(t *testing.T) {
	c := newCloud(aService("s", "REBUILDING", "a"))
	inBubble(t, c, func(v *view) {
		v.users()
		c.down = http.StatusServiceUnavailable
		v.made()
		v.watch(5 * unsettled)
		assert.Len(t, v.made(), 5)
	})
}

func TestAServiceThatWasCreatedAndNotReadYetIsPolled(t *testing.T) {
	inBubble(t, newCloud(aService("s", "REBUILDING", "a")), func(v *view) {
		v.RecordWrite("p", "s", "", aiven.WriteResult{MayHaveApplied: true, Service: &aiven.Service{Project: "p", Name: "s", State: "REBUILDING"}})
		assert.Empty(t, v.users())
		assert.Empty(t, v.made(), "the answer to its creation is young")
		v.watch(5 * unsettled)
		assert.Len(t, v.made(), 5)
	})
}
