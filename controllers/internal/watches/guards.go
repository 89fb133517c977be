package watches

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/policy"
	"github.com/aero-operator/aero/controllers/internal/reference"
)

// Guards are what may hold back the deletion of the objects of one kind.
type Guards struct {
	References reference.Guards // those of other objects
	inside     func(ctx context.Context, target client.Object) ([]string, error)
	others     []func(ctx context.Context, target client.Object) (string, error)
}

// Blocked returns why a target isn't deleted at Aiven yet; empty if nothing holds it back.
func (g Guards) Blocked(ctx context.Context, target client.Object) (string, error) {
	for _, guard := range append(slices.Clone(g.others), g.referrers) {
		if reason, err := guard(ctx, target); reason != "" || err != nil {
			return reason, err
		}
	}
	return "", nil
}

// referrers waits for the objects that refer to a target and need it.
func (g Guards) referrers(ctx context.Context, target client.Object) (string, error) {
	names, err := g.References.Referrers(ctx, target)
	if err == nil && g.inside != nil {
		var inside []string
		inside, err = g.inside(ctx, target)
		names = append(names, inside...)
	}
	if err != nil || len(names) == 0 {
		return "", err
	}
	return "Referred to by " + fault.Few(names, fault.ListLimit) + ". Delete what refers to it first", nil
}

// Guards returns those of a kind.
func (r *Registry) Guards(kind Kind) Guards {
	var guards Guards
	r.eachGuard(kind, func(referrer Kind, declaration reference.Declaration) {
		guards.References = append(guards.References, reference.Guard{Declaration: declaration, Lister: referrer.Lister})
	})
	if kind.Group() == ownership.ProjectGroup {
		guards.inside = func(ctx context.Context, target client.Object) ([]string, error) {
			return r.managedIn(ctx, kind.IdentityOf(target), target.GetNamespace())
		}
	}
	if kind.IsService {
		guards.others = append(guards.others, r.protectedIn(kind))
	}
	if r.Cluster.Live != nil {
		guards.others = append(guards.others, r.withCRD(kind))
	}
	return guards
}

// protectedIndex is the field index over the identities of services in which protected objects manage something.
const protectedIndex = "aero.protected"

// protects is the identity of the service that an object with termination protection lives in; empty for others. An object
// whose status doesn't prove that it owns something protects nothing: every user can write such a one.
func (k Kind) protects(obj client.Object) string {
	if containers := k.Containers(obj); len(containers) > 0 && k.Protected(obj) && ownership.IsRecorded(obj) && !policy.ObservesOnly(obj) {
		return containers[0]
	}
	return ""
}

func (k Kind) protectedIndex(obj client.Object) []string { return nonempty(k.protects(obj)) }

// protectedIn keeps a service while an object that lives in it is protected.
func (r *Registry) protectedIn(service Kind) func(context.Context, client.Object) (string, error) {
	return func(ctx context.Context, target client.Object) (string, error) {
		for _, kind := range r.kinds {
			found, err := kind.Lister.List(ctx, client.MatchingFields{protectedIndex: service.IdentityOf(target)}, client.Limit(1))
			if err != nil {
				return "", fmt.Errorf("listing what is protected in the service: %w", err)
			}
			for _, obj := range found {
				name := ownership.Duplicate{Object: obj, Kind: kind.Lister.Kind.Kind}.Within(target.GetNamespace())
				return "Termination protection is on for " + name + ", whose data is in this service. Turn it off there first", nil
			}
		}
		return "", nil
	}
}

// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,verbs=get

// withCRD keeps everything whose object is deleted together with its CRD: who deletes a CRD seldom means the resources at Aiven.
func (r *Registry) withCRD(kind Kind) func(context.Context, client.Object) (string, error) {
	return func(ctx context.Context, _ client.Object) (string, error) {
		mapping, err := r.Cluster.Mapper.RESTMapping(kind.Lister.Kind.GroupKind(), kind.Lister.Kind.Version)
		if err != nil {
			return "", fmt.Errorf("finding the CRD of %s: %w", kind.Lister.Kind.Kind, err)
		}
		crd := &metav1.PartialObjectMetadata{}
		crd.SetGroupVersionKind(schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"})
		name := mapping.Resource.GroupResource().String()
		if err := r.Cluster.Live.Get(ctx, client.ObjectKey{Name: name}, crd); err != nil && !apierrors.IsNotFound(err) {
			return "", fmt.Errorf("reading CRD %s: %w", name, err)
		}
		if crd.GetDeletionTimestamp().IsZero() || crd.GetAnnotations()[annotation.AllowDeletion] == "true" {
			return "", nil
		}
		return fmt.Sprintf("CRD %s is being deleted: to delete at Aiven, annotate it with %s=true; to keep, this object with %s=%s",
			name, annotation.AllowDeletion, annotation.Deletion, policy.Orphan), nil
	}
}
