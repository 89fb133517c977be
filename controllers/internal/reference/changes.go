package reference

import (
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/aero-operator/aero/api/v1alpha1"
)

// Changes passes the changes of a target that its referrers see. A target is written several times until it is ready: most of
// these writes concern no referrer, which may make a call when it is reconciled.
func (d Declaration) Changes() predicate.Predicate {
	if d.Kind == SecretKind {
		return predicate.ResourceVersionChangedPredicate{}
	}
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		return !reflect.DeepEqual(shownBy(e.ObjectOld), shownBy(e.ObjectNew))
	}}
}

// shown is what a referrer sees of a target.
type shown struct {
	uid             types.UID
	generation      int64          // of the spec
	reason, problem string         // why it isn't ready
	stays           bool           // for the time being, though it is being deleted
	status          map[string]any // without what all kinds have: whether it is ready follows from that
	err             error
}

func shownBy(target client.Object) shown {
	s := shown{uid: target.GetUID(), generation: target.GetGeneration()}
	var content, common map[string]any
	if content, s.err = runtime.DefaultUnstructuredConverter.ToUnstructured(target); s.err != nil {
		return s
	}
	object := &unstructured.Unstructured{Object: content}
	s.reason, s.problem = unready(object)
	s.stays = stays(object)
	s.status, _ = content["status"].(map[string]any)
	if ours, is := target.(interface {
		GetCommonStatus() *v1alpha1.CommonStatus
	}); is {
		common, s.err = runtime.DefaultUnstructuredConverter.ToUnstructured(ours.GetCommonStatus())
	}
	for field := range common {
		delete(s.status, field)
	}
	return s
}
