package metrics

import (
	"context"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/enqueue"
)

// collectTimeout is how long one scrape may wait for the cache.
const collectTimeout = 5 * time.Second

// object is a custom resource with the common status.
type object interface {
	client.Object
	GetCommonStatus() *v1alpha1.CommonStatus
}

// ObjectCollector counts the objects of some kinds while it runs. The manager runs it in the leader only, so a sum over all
// replicas counts each object once.
type ObjectCollector struct {
	Kinds []enqueue.Lister // one for each kind; they MUST read from a cache
}

// Start takes part in every scrape until ctx ends.
func (c *ObjectCollector) Start(ctx context.Context) error {
	running.add(c)
	defer running.remove(c)
	<-ctx.Done()
	return nil
}

// collect adds the objects of all kinds. A kind that can't be listed is left out, and logged.
func (c *ObjectCollector) collect(t *totals) {
	ctx, cancel := context.WithTimeout(context.Background(), collectTimeout)
	defer cancel()
	for _, kind := range c.Kinds {
		found, err := kind.List(ctx)
		if err != nil {
			ctrl.Log.WithName("metrics").Error(err, "Cannot count the objects of a kind", "kind", kind.Kind.Kind)
		}
		for _, obj := range found {
			if counted, ok := obj.(object); ok {
				t.add(kind.Kind.Kind, counted)
			}
		}
	}
}

// The labels of the series.
type (
	objectSeries  struct{ kind, phase, ready, reason string }
	unreadySeries struct{ kind, reason string }
	driftSeries   struct{ kind, namespace, name string }
)

// totals are the values of one scrape.
type totals struct {
	objects       map[objectSeries]int
	unreadySince  map[unreadySeries]time.Time // of the longest-unready object
	driftedFields map[driftSeries]int
}

func newTotals() *totals {
	return &totals{
		objects: map[objectSeries]int{}, unreadySince: map[unreadySeries]time.Time{}, driftedFields: map[driftSeries]int{},
	}
}

// none is the label of a phase or a reason that an object doesn't have yet.
const none = "None"

func (t *totals) add(kind string, obj object) {
	status := obj.GetCommonStatus()
	if fields := len(status.Drift); fields > 0 {
		t.driftedFields[driftSeries{kind, obj.GetNamespace(), obj.GetName()}] = fields
	}
	phase := string(status.Phase)
	if phase == "" {
		phase = none
	}
	ready, reason, since := metav1.ConditionUnknown, none, obj.GetCreationTimestamp().Time
	if c := apimeta.FindStatusCondition(status.Conditions, condition.Ready); c != nil {
		ready, reason, since = c.Status, c.Reason, c.LastTransitionTime.Time
	}
	t.objects[objectSeries{kind, phase, string(ready), reason}]++
	// A paused object isn't expected to become ready, so the time that it is unready means nothing.
	if ready != metav1.ConditionTrue && !apimeta.IsStatusConditionTrue(status.Conditions, condition.Paused) {
		t.addUnready(unreadySeries{kind, reason}, since)
	}
}

func (t *totals) addUnready(s unreadySeries, since time.Time) {
	if earliest, known := t.unreadySince[s]; !known || since.Before(earliest) {
		t.unreadySince[s] = since
	}
}
