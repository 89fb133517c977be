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

// object is an object that can be counted.
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

// collect adds the objects of all kinds to a tally. A kind that can't be read is left out, and told in the log.
func (c *ObjectCollector) collect(t *totals) {
	ctx, cancel := context.WithTimeout(context.Background(), collectTimeout)
	defer cancel()
	for _, kind := range c.Kinds {
		found, err := kind.List(ctx)
		if err != nil {
			ctrl.Log.WithName("census").Error(err, "The objects of a kind can't be counted", "kind", kind.Kind.Kind)
		}
		for _, obj := range found {
			if judged, countable := obj.(object); countable {
				t.add(kind.Kind.Kind, judged)
			}
		}
	}
}

// series is what objects are counted by.
type series struct{ kind, phase, ready, reason string }

// unreadySeries is what the time without readiness is told by.
type unreadySeries struct{ kind, reason string }

// totals is the outcome of a census.
type totals struct {
	objects map[series]int
	unready map[unreadySeries]time.Time // since when the object has been so that has been so for longest
}

func newTotals() *totals {
	return &totals{objects: map[series]int{}, unready: map[unreadySeries]time.Time{}}
}

// none stands for a phase or a reason that an object doesn't have yet.
const none = "None"

// add counts an object. One that is paused isn't waited for, so for how long it isn't ready says nothing.
func (t *totals) add(kind string, obj object) {
	status := obj.GetCommonStatus()
	phase := string(status.Phase)
	if phase == "" {
		phase = none
	}
	ready, reason, since := metav1.ConditionUnknown, none, obj.GetCreationTimestamp().Time
	if c := apimeta.FindStatusCondition(status.Conditions, condition.Ready); c != nil {
		ready, reason, since = c.Status, c.Reason, c.LastTransitionTime.Time
	}
	t.objects[series{kind, phase, string(ready), reason}]++
	if ready == metav1.ConditionTrue || apimeta.IsStatusConditionTrue(status.Conditions, condition.Paused) {
		return
	}
	key := unreadySeries{kind, reason}
	if earliest, known := t.unready[key]; !known || since.Before(earliest) {
		t.unready[key] = since
	}
}
