package reference

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Resolver follows references.
type Resolver struct {
	// Reader reads Secrets as typed objects, which MUST be live, and all other kinds as unstructured ones.
	Reader client.Reader
}

// Resolve follows every reference that an object holds. Trouble with one doesn't keep it from following the others;
// an error of the API is in the outcome, as what it means is for the caller to judge.
func (r Resolver) Resolve(ctx context.Context, obj client.Object, decls []Declaration) Resolved {
	var outcomes []Outcome
	var secrets []map[string][]byte
	for _, d := range decls {
		for _, target := range d.targets(obj) {
			outcome := Outcome{Name: d.Name, Field: d.Field, Kind: d.Kind, CreateOnly: d.CreateOnly, Target: target}
			var data map[string][]byte
			if d.Kind == SecretKind {
				data = r.followSecret(ctx, &outcome)
			} else {
				r.followObject(ctx, d, &outcome)
			}
			outcomes = append(outcomes, outcome)
			secrets = append(secrets, data)
		}
	}
	return Resolved{outcomes: outcomes, data: func(outcome int) map[string][]byte { return secrets[outcome] }}
}

// followSecret completes the outcome and returns the data of the Secret.
func (r Resolver) followSecret(ctx context.Context, o *Outcome) map[string][]byte {
	secret := &corev1.Secret{}
	if err := r.Reader.Get(ctx, o.NamespacedName, secret); err != nil {
		o.readFailed(err)
		return nil
	}
	o.UID = secret.UID
	if _, ok := secret.Data[o.Key]; !ok && o.Key != "" {
		o.conclude(KeyMissing, string(KeyMissing), fmt.Sprintf("%s, named by %s, has no key %q", o.what(), o.Field, o.Key))
		return nil
	}
	o.conclude(Ready, string(Ready), o.what()+" is there")
	return secret.Data
}

// followObject completes the outcome for a target that isn't a Secret.
func (r Resolver) followObject(ctx context.Context, d Declaration, o *Outcome) {
	target := &unstructured.Unstructured{}
	target.SetGroupVersionKind(d.Kind)
	if err := r.Reader.Get(ctx, o.NamespacedName, target); err != nil {
		o.readFailed(err)
		return
	}
	o.UID = target.GetUID()
	seen := d.evaluate(target)
	if seen.reason != "" {
		o.conclude(NotReady, seen.reason, seen.message)
		return
	}
	o.ID = seen.id
	o.conclude(Ready, string(Ready), o.what()+" is ready")
}

// readFailed sorts the errors of a read: a target that isn't there, also because its kind isn't, and real trouble.
func (o *Outcome) readFailed(err error) {
	switch {
	case apierrors.IsNotFound(err):
		o.conclude(NotFound, string(NotFound), fmt.Sprintf("%s, named by %s, doesn't exist", o.what(), o.Field))
	case meta.IsNoMatchError(err):
		o.conclude(NotFound, string(NotFound), fmt.Sprintf("%s, named by %s, can't exist: the kind %s isn't installed in this cluster",
			o.what(), o.Field, o.Kind.GroupKind()))
	default:
		o.Err = fmt.Errorf("reading %s: %w", o.what(), err)
		o.conclude(Failed, ReasonUnknown, fmt.Sprintf("%s, named by %s, couldn't be read", o.what(), o.Field))
	}
}

func (o *Outcome) conclude(state State, reason, message string) {
	o.State, o.Reason, o.Message = state, reason, message
}

// what names the target: ProjectVPC default/main.
func (o *Outcome) what() string {
	return o.Kind.Kind + " " + o.NamespacedName.String()
}
