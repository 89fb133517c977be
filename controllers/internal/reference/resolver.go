package reference

import (
	"cmp"
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// Resolver follows references.
type Resolver struct {
	// Reader reads Secrets as typed objects, which MUST be live, and all other kinds as unstructured ones.
	Reader client.Reader
	// Discarder deletes the Secrets that are no longer needed.
	Discarder
	// Guards are those of the kind of the objects: references within that kind must not go in a circle.
	Guards Guards
	// NoCrossNamespace keeps references from leading to other namespaces.
	NoCrossNamespace bool
}

// Resolve follows every reference that an object holds. The failure of one doesn't keep it from following the others. An
// error of the API is in the outcome: its meaning is decided by the caller.
//
// For an object that is being deleted, a target counts as ready as soon as it exists, also while it is being deleted. The
// caller goes on with what was found: a missing target must not hold up a deletion.
func (r Resolver) Resolve(ctx context.Context, obj client.Object, decls []Declaration) Resolved {
	var outcomes []Outcome
	var data []map[string][]byte
	var spent []v1alpha1.ResolvedReference
	targets := make([][]Target, len(decls))
	for i, d := range decls {
		targets[i] = d.targets(obj)
	}
	secrets, circles := newSecretReader(r.Reader, decls, targets), r.circles(obj)
	for i, d := range decls {
		if secret := d.spent(obj); secret != nil {
			spent = append(spent, secret.reference(obj))
		}
		for _, target := range targets[i] {
			o := Outcome{
				Name: d.Name, Field: cmp.Or(target.Field, d.Field), Kind: d.Kind, CreateOnly: d.CreateOnly, WriteOnly: d.WriteOnly,
				BlocksDeletion: d.BlocksDeletion, Target: target,
			}
			var values map[string][]byte
			if d.Kind == SecretKind {
				values = d.followSecret(ctx, secrets, &o)
			} else {
				r.followObject(ctx, d, obj, circles, &o)
			}
			outcomes, data = append(outcomes, o), append(data, values)
		}
	}
	return Resolved{
		outcomes: outcomes, spent: spent, versions: secrets.versions(),
		data: func(outcome int) map[string][]byte { return data[outcome] },
	}
}

// followObject completes the outcome for a target that isn't a Secret.
func (r Resolver) followObject(ctx context.Context, d Declaration, referrer client.Object, c circles, o *Outcome) {
	if r.NoCrossNamespace && o.Namespace != referrer.GetNamespace() {
		o.refuseNamespace(referrer)
		return
	}
	target := &unstructured.Unstructured{}
	target.SetGroupVersionKind(d.Kind)
	if err := r.Reader.Get(ctx, o.NamespacedName, target); err != nil {
		o.readFailed(err)
		return
	}
	o.UID = target.GetUID()
	if !referrer.GetDeletionTimestamp().IsZero() || !c.refuse(ctx, d, o) {
		d.evaluate(referrer, target, o)
	}
}

// refuseNamespace completes the outcome for a target in another namespace, which isn't read. A deletion goes on without it.
func (o *Outcome) refuseNamespace(referrer client.Object) {
	err := fault.InvalidSpec(o.Field, fmt.Sprintf("%s is in another namespace, which --no-cross-namespace-refs of the operator doesn't allow. "+
		"Name an object in namespace %s", o.what(), referrer.GetNamespace()))
	if !referrer.GetDeletionTimestamp().IsZero() {
		o.conclude(NotFound, string(NotFound), err.Error())
		return
	}
	o.refuse(err)
}

// refuse completes the outcome for a target that the object must not refer to, which an invalid spec explains.
func (o *Outcome) refuse(err error) {
	o.Err = err
	o.conclude(Invalid, condition.ReasonInvalidSpec, err.Error())
}

// readFailed distinguishes a target that doesn't exist, also because its kind isn't installed, from an error of the API.
func (o *Outcome) readFailed(err error) {
	switch {
	case apierrors.IsNotFound(err):
		o.conclude(NotFound, string(NotFound), fmt.Sprintf("%s, named by %s, doesn't exist. Create it, or correct %s", o.what(), o.Field, o.Field))
	case meta.IsNoMatchError(err):
		o.conclude(NotFound, string(NotFound), fmt.Sprintf("%s, named by %s, can't exist: the kind %s isn't installed in this cluster",
			o.what(), o.Field, o.Kind.GroupKind()))
	default:
		o.Err = fmt.Errorf("reading %s: %w", o.what(), err)
		o.conclude(Failed, condition.ReasonUnknown, fmt.Sprintf("%s, named by %s, couldn't be read", o.what(), o.Field))
	}
}

func (o *Outcome) conclude(state State, reason, message string) {
	o.State, o.Reason, o.Message = state, reason, message
}

// what names the target: ProjectVPC default/main.
func (o *Outcome) what() string {
	return o.Kind.Kind + " " + o.NamespacedName.String()
}
