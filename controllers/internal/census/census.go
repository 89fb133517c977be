// Package census counts the objects that the operator works on, as they are in its cache, each time somebody asks for
// metrics.
package census

import (
	"context"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/wake"
)

// patience is how long one scrape may wait for the cache.
const patience = 5 * time.Second

// counted is an object that can be counted.
type counted interface {
	client.Object
	GetCommonStatus() *v1alpha1.CommonStatus
}

// Census counts the objects of some kinds while it runs. The manager runs it in the leader only, so a sum over all
// replicas counts each object once.
type Census struct {
	Kinds []wake.Finder // one for each kind; they MUST read from a cache
}

// Start takes part in every scrape until ctx ends.
func (c *Census) Start(ctx context.Context) error {
	running.add(c)
	defer running.remove(c)
	<-ctx.Done()
	return nil
}

// count adds the objects of all kinds to a tally. A kind that can't be read is left out, and told in the log.
func (c *Census) count(t *tally) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, kind := range c.Kinds {
		found, err := kind.Find(ctx)
		if err != nil {
			ctrl.Log.WithName("census").Error(err, "The objects of a kind can't be counted", "kind", kind.Kind.Kind)
		}
		for _, obj := range found {
			if judged, countable := obj.(counted); countable {
				t.add(kind.Kind.Kind, judged)
			}
		}
	}
}

// cell is what objects are counted by.
type cell struct{ kind, phase, ready, reason string }

// spell is what the time without readiness is told by.
type spell struct{ kind, reason string }

// tally is the outcome of a census.
type tally struct {
	objects map[cell]int
	unready map[spell]time.Time // since when the object has been so that has been so for longest
}

func newTally() *tally { return &tally{objects: map[cell]int{}, unready: map[spell]time.Time{}} }

// none stands for a phase or a reason that an object doesn't have yet.
const none = "None"

// add counts an object. One that is paused isn't waited for, so for how long it isn't ready says nothing.
func (t *tally) add(kind string, obj counted) {
	status := obj.GetCommonStatus()
	phase := string(status.Phase)
	if phase == "" {
		phase = none
	}
	ready, reason, since := metav1.ConditionUnknown, none, obj.GetCreationTimestamp().Time
	if c := apimeta.FindStatusCondition(status.Conditions, condition.Ready); c != nil {
		ready, reason, since = c.Status, c.Reason, c.LastTransitionTime.Time
	}
	t.objects[cell{kind, phase, string(ready), reason}]++
	if ready == metav1.ConditionTrue || apimeta.IsStatusConditionTrue(status.Conditions, condition.Paused) {
		return
	}
	key := spell{kind, reason}
	if earliest, known := t.unready[key]; !known || since.Before(earliest) {
		t.unready[key] = since
	}
}
