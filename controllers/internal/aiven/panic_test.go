package aiven_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
)

func TestAPanicEndsOnePollAndNotTheWatch(t *testing.T) {
	for name, breaks := range map[string]func(*aiven.Options, func()){
		"in a list of services": func(o *aiven.Options, panics func()) {
			next := o.Transport
			o.Transport = transportOf(func(r *http.Request) (*http.Response, error) {
				if strings.HasSuffix(r.URL.Path, "/service") {
					panics()
				}
				return next.RoundTrip(r)
			})
		},
		"between two polls": func(o *aiven.Options, panics func()) {
			o.Random = func() float64 { panics(); return 0 }
		},
	} {
		t.Run(name, func(t *testing.T) {
			var panicked atomic.Bool
			inBubbleWith(t, newCloud(aService("s", "RUNNING", "a")), func(o *aiven.Options) {
				breaks(o, func() {
					if panicked.CompareAndSwap(false, true) {
						panic("odd")
					}
				})
			}, func(v *view) {
				v.users()
				v.made()
				v.watch(3*watchInterval + time.Second)
				assert.True(t, panicked.Load())
				assert.GreaterOrEqual(t, len(v.made()), 2, "the next polls are at their time")
			})
		})
	}
}

func TestAPanicOfAReconcileHoldsUpNoOtherReader(t *testing.T) {
	inBubble(t, newCloud(), func(v *view) {
		odd := (&inventory{names: []string{"a"}}).source()
		odd.With = func([]string, map[string]any) ([]string, bool) { panic("odd") }
		_, err := aiven.List(v.t.Context(), v.Client, chUsers, odd)
		require.NoError(v.t, err)
		assert.Panics(v.t, func() { v.RecordListResult(chUsers, "b", "b") }, "controller-runtime recovers it")
		assert.Equal(v.t, []string{"a"}, v.list(vpcs, &inventory{names: []string{"a"}}))
	})
}
