package event_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/aero-operator/aero/controllers/internal/event"
)

var eventsResource = schema.GroupResource{Group: "events.k8s.io", Resource: "events"}

func terminating() error {
	err := apierrors.NewForbidden(eventsResource, "x", errors.New("namespace shop is being terminated"))
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	return err
}

func TestEventsThatCannotBeWrittenAreGivenUp(t *testing.T) {
	const objects = 100
	for name, tc := range map[string]struct {
		err      error
		attempts int // for each event
		logged   int // lines for each event
	}{
		"at once if the namespace is gone":             {apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "shop"), 1, 0},
		"at once if the namespace is being terminated": {terminating(), 1, 0},
		"at once if the event is invalid":              {apierrors.NewInvalid(schema.GroupKind{Kind: "Event"}, "x", nil), 1, 1},
		"when the series is over, if writes are forbidden": {
			apierrors.NewForbidden(eventsResource, "x", errors.New("no permission")), 7, 1,
		},
		"when the series is over, if the API server is away": {errors.New("the API server is away"), 7, 1},
	} {
		t.Run(name, func(t *testing.T) {
			inCluster(t, func(c *cluster) {
				c.before.Store(func() error { return tc.err })
				for n := range objects {
					c.report(fmt.Sprint("orders", n), "Deleted", "at Aiven")
				}
				pass(10 * time.Minute)
				attempts := int(c.writes.Load())
				assert.LessOrEqual(t, attempts, tc.attempts*objects)
				assert.GreaterOrEqual(t, attempts, objects)
				pass(24 * time.Hour)
				assert.Equal(t, attempts, int(c.writes.Load()))
				assert.Equal(t, tc.logged*objects, int(c.logged.Load()))
			})
		})
	}
}

func TestRetriesDoNotHoldUpNewEvents(t *testing.T) {
	inCluster(t, func(c *cluster) {
		c.before.Store(func() error { return errors.New("the API server is busy") })
		for n := range 3000 {
			c.report(fmt.Sprint("orders", n), "Waiting", "for the service")
		}
		pass(delay)
		c.before.Store(func() error {
			<-time.After(50 * time.Millisecond)
			return errors.New("the API server is busy")
		})
		before := c.writes.Load()
		pass(3 * time.Minute)
		writes := int(c.writes.Load() - before)
		assert.Positive(t, writes)
		assert.Less(t, writes, 200, "a pass over all series takes 150 s")
	})
}

func TestNameThatIsCutStaysValid(t *testing.T) {
	for _, cut := range []string{"-", ".", "-.-"} {
		t.Run(cut, func(t *testing.T) {
			inCluster(t, func(c *cluster) {
				c.report(strings.Repeat("a", 236-len(cut))+cut+strings.Repeat("b", 10), "Waiting", "for the service")
				pass(delay)
				var list eventsv1.EventList
				require.NoError(t, c.client.List(t.Context(), &list))
				require.Len(t, list.Items, 1)
				assert.Empty(t, validation.IsDNS1123Subdomain(list.Items[0].Name))
			})
		})
	}
}

func TestWarningsComeFirst(t *testing.T) {
	t.Run("at the end", func(t *testing.T) {
		inCluster(t, func(c *cluster) {
			for n := range 1000 {
				c.report(fmt.Sprint("orders", n), "Created", "at Aiven")
			}
			c.report("sales", "Waiting", "for the service")
			const inFlight = 8
			c.before.Store(func() error {
				if c.writes.Load() > inFlight {
					return errors.New("the API server is away")
				}
				return nil
			})
			c.stop()
			assert.Contains(t, c.events(), "Waiting for the service x1")
		})
	})
	t.Run("in a full queue", func(t *testing.T) {
		inCluster(t, func(c *cluster) {
			for n := range 16384 {
				c.recorder.Report(t.Context(), thing(fmt.Sprint("orders", n)), kindOfThing, event.Event{Type: corev1.EventTypeNormal})
			}
			c.report("sales", "Created", "at Aiven")
			c.report("sales", "Waiting", "for the service")
			c.stop()
			written := c.events()
			assert.True(t, slices.Contains(written, "Waiting for the service x1"))
			assert.False(t, slices.Contains(written, "Created at Aiven x1"))
			assert.Len(t, written, 16384)
		})
	})
}
