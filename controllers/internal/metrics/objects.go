package metrics

import (
	"cmp"
	"context"
	"strconv"
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
	GetAuthSecretRef() *v1alpha1.AuthSecretReference
	GetCommonStatus() *v1alpha1.CommonStatus
}

// withoutAiven is an object that makes no calls to Aiven, and so has neither a token nor a phase.
type withoutAiven interface {
	client.Object
	GetConditions() []metav1.Condition
}

// ObjectCollector counts the objects of some kinds while it runs. The manager runs it in the leader only, so a sum over all
// replicas counts each object once.
type ObjectCollector struct {
	Kinds []enqueue.Lister // one for each kind; they MUST read from a cache
	// TokenOf returns whose token the objects in a Namespace use that name none: of a Secret, of the operator, or of none of the two.
	TokenOf func(ctx context.Context, namespace string) (secret, byDefault bool)
	// ByNamespace counts by the namespaces of the objects. Their label is empty without it, which Prometheus takes for none. It isn't
	// called namespace: that is the operator's, by which alerts distinguish releases.
	ByNamespace bool
}

// Start takes part in every scrape until ctx ends.
func (c *ObjectCollector) Start(ctx context.Context) error {
	for _, kind := range c.Kinds {
		recreatedTotal.WithLabelValues(kind.Kind.Kind) // 0, so that a rate sees the first one, too
	}
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
			ctrl.Log.WithName("metrics").Error(err, "Could not count the objects of a kind", "kind", kind.Kind.Kind)
		}
		tokens := map[string]string{} // by namespace
		for _, obj := range found {
			series := objectSeries{kind: kind.Kind.Kind, namespace: c.namespaceOf(obj), phase: none, token: noToken}
			switch counted := obj.(type) {
			case object:
				series.token = c.tokenOf(ctx, counted, tokens)
				t.add(series, counted)
			case withoutAiven:
				t.count(series, counted.GetConditions(), counted.GetCreationTimestamp().Time)
			}
		}
	}
}

// namespaceOf is the label of the namespace of an object.
func (c *ObjectCollector) namespaceOf(obj client.Object) string {
	if !c.ByNamespace {
		return ""
	}
	return obj.GetNamespace()
}

// Whose token an object uses.
const (
	tokenOfSecret  = "secret"  // that of spec.authSecretRef, or of the Namespace
	tokenOfDefault = "default" // the operator's
	noToken        = "none"    // it names none, and the operator has none for it
)

// tokenOf remembers in known what objects without a token use in a namespace.
func (c *ObjectCollector) tokenOf(ctx context.Context, obj object, known map[string]string) string {
	if obj.GetAuthSecretRef() != nil {
		return tokenOfSecret
	}
	token, seen := known[obj.GetNamespace()]
	if !seen {
		secret, byDefault := c.TokenOf(ctx, obj.GetNamespace())
		switch {
		case secret:
			token = tokenOfSecret
		case byDefault:
			token = tokenOfDefault
		default:
			token = noToken
		}
		known[obj.GetNamespace()] = token
	}
	return token
}

// The labels of the series.
type (
	objectSeries  struct{ kind, namespace, paused, phase, ready, reason, token string }
	unreadySeries struct{ kind, namespace, reason string }
	driftSeries   struct{ kind, namespace, name string }
)

// totals are the values of one scrape.
type totals struct {
	objects       map[objectSeries]int
	unreadySince  map[unreadySeries]time.Time // of the longest-unready object
	driftedFields map[driftSeries]int
	notices       map[noticeSeries]time.Time
}

func newTotals() *totals {
	return &totals{
		objects: map[objectSeries]int{}, unreadySince: map[unreadySeries]time.Time{}, driftedFields: map[driftSeries]int{},
		notices: map[noticeSeries]time.Time{},
	}
}

// none is the label of a phase or a reason that an object doesn't have yet.
const none = "None"

// add counts an object in a series that its status completes.
func (t *totals) add(s objectSeries, obj object) {
	status := obj.GetCommonStatus()
	paused := apimeta.IsStatusConditionTrue(status.Conditions, condition.Paused)
	t.addNotices(s.kind, obj, paused)
	// What is known about a paused object is out of date, and nothing is expected to change it.
	if fields := len(status.Drift); fields > 0 && !paused {
		t.driftedFields[driftSeries{s.kind, obj.GetNamespace(), obj.GetName()}] = fields
	}
	s.phase = cmp.Or(string(status.Phase), none)
	t.count(s, status.Conditions, obj.GetCreationTimestamp().Time)
}

// count counts an object in a series that its conditions complete.
func (t *totals) count(s objectSeries, conditions []metav1.Condition, created time.Time) {
	paused := apimeta.IsStatusConditionTrue(conditions, condition.Paused)
	ready, reason, since := metav1.ConditionUnknown, none, created
	if c := apimeta.FindStatusCondition(conditions, condition.Ready); c != nil {
		ready, reason, since = c.Status, c.Reason, c.LastTransitionTime.Time
	}
	s.paused, s.ready, s.reason = strconv.FormatBool(paused), string(ready), reason
	t.objects[s]++
	if ready != metav1.ConditionTrue && !paused {
		t.addUnready(unreadySeries{s.kind, s.namespace, reason}, since)
	}
}

func (t *totals) addUnready(s unreadySeries, since time.Time) {
	if earliest, known := t.unreadySince[s]; !known || since.Before(earliest) {
		t.unreadySince[s] = since
	}
}
