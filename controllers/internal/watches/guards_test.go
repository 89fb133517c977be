package watches

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	fcache "k8s.io/client-go/tools/cache/testing"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/expectations"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// inKafka lives in the service of newKafka, and is protected.
func inKafka(u *v1alpha1.ServiceUser) {
	u.Spec.Project, u.Spec.ServiceName = newKafka("apps").Spec.Project, newKafka("apps").Name
	u.Labels = map[string]string{"protected": "true"}
	u.Status.Provenance = ownership.Created(u)
}

func TestReviewM2_AServiceWaitsForWhatIsProtectedInIt(t *testing.T) {
	const protected = "Termination protection is on for "
	for name, tc := range map[string]struct {
		inside *v1alpha1.ServiceUser
		want   string
	}{
		"a protected object": {managed(newUser(), inKafka), protected + "ServiceUser apps/joe, whose data is in this service. Turn it off there first"},
		"one in another namespace isn't named": {
			managed(newUser(), inKafka, func(u *v1alpha1.ServiceUser) { u.Namespace = "other" }),
			protected + "an object in another namespace, whose data is in this service. Turn it off there first",
		},
		"one that isn't protected": {managed(newUser(), inKafka, func(u *v1alpha1.ServiceUser) { u.Labels = nil }), ""},
		"one in another service":   {managed(newUser(), inKafka, func(u *v1alpha1.ServiceUser) { u.Spec.ServiceName = "other" }), ""},
		"one that only observes":   {managed(newUser(), inKafka, func(u *v1alpha1.ServiceUser) { policy.Annotate(u, annotation.Management, policy.Observe) }), ""},
		"one that every user can write": {func() *v1alpha1.ServiceUser {
			u := newUser()
			inKafka(u)
			u.Finalizers, u.Status.Provenance = []string{ownership.FinalizerName}, nil
			return u
		}(), ""},
		"one whose creation was only tried": {managed(newUser(), inKafka, func(u *v1alpha1.ServiceUser) { u.Status.Provenance = nil }), ""},
	} {
		t.Run(name, func(t *testing.T) {
			registry := withProject(t, runtime.NewScheme(), tc.inside)
			blocked, err := registry.Guards(registry.kinds[1]).Blocked(t.Context(), newKafka("apps"))
			require.NoError(t, err)
			assert.Equal(t, tc.want, blocked)
		})
	}
	registry := withProject(t, runtime.NewScheme())
	registry.kinds[3].Lister.Scheme = runtime.NewScheme()
	_, err := registry.Guards(registry.kinds[1]).Blocked(t.Context(), newKafka("apps"))
	assert.ErrorContains(t, err, "listing what is protected in the service")
}

func TestTheEndOfTheProtectionEnqueuesTheService(t *testing.T) {
	inside := managed(newUser(), inKafka)
	events := &informers{
		ctx: t.Context(), sources: map[schema.GroupVersionKind]*fcache.FakeControllerSource{},
		shared: map[schema.GroupVersionKind]toolscache.SharedIndexInformer{},
	}
	events.Scheme = runtime.NewScheme()
	registry := withProject(t, events.Scheme, newKafka("apps"))
	events.of(inside).Add(inside)
	reconciled := run(t, events, func(b *builder.Builder) { registry.Watch(b, registry.kinds[1], &expectations.Versions{}) })
	free := inside.DeepCopy()
	free.Labels = nil
	events.of(inside).Modify(free)
	assert.Equal(t, types.NamespacedName{Namespace: "apps", Name: newKafka("apps").Name}, next(t, reconciled))
}

func TestReviewH8_WhatIsDeletedWithItsCRDIsHeld(t *testing.T) {
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.AddSpecific(v1alpha1.GroupVersion.WithKind("Kafka"), v1alpha1.GroupVersion.WithResource("kafkas"), v1alpha1.GroupVersion.WithResource("kafka"), meta.RESTScopeNamespace)
	crd := func(change func(*metav1.PartialObjectMetadata)) client.Reader {
		obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "kafkas.aiven.io"}}
		obj.SetGroupVersionKind(schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"})
		change(obj)
		scheme := runtime.NewScheme()
		require.NoError(t, metav1.AddMetaToScheme(scheme))
		scheme.AddKnownTypeWithName(obj.GroupVersionKind(), &metav1.PartialObjectMetadata{})
		return fake.NewClientBuilder().WithScheme(scheme).WithObjects(obj).Build()
	}
	deleted := func(obj *metav1.PartialObjectMetadata) {
		obj.DeletionTimestamp, obj.Finalizers = &metav1.Time{Time: metav1.Now().Time}, []string{"customresourcecleanup.apiextensions.k8s.io"}
	}
	for name, tc := range map[string]struct {
		crd  client.Reader
		want bool
	}{
		"it stays":            {crd(func(*metav1.PartialObjectMetadata) {}), false},
		"it is being deleted": {crd(deleted), true},
		"its deletion is meant": {crd(func(o *metav1.PartialObjectMetadata) {
			deleted(o)
			o.Annotations = map[string]string{annotation.AllowDeletion: "true"}
		}), false},
		"an annotation with a typo": {crd(func(o *metav1.PartialObjectMetadata) {
			deleted(o)
			o.Annotations = map[string]string{annotation.AllowDeletion: "yes"}
		}), true},
	} {
		t.Run(name, func(t *testing.T) {
			registry := withProject(t, runtime.NewScheme())
			registry.Cluster = Cluster{Live: tc.crd, Mapper: mapper}
			blocked, err := registry.Guards(registry.kinds[1]).Blocked(t.Context(), newKafka("apps"))
			require.NoError(t, err)
			if !tc.want {
				assert.Empty(t, blocked)
				return
			}
			assert.Equal(t, "CRD kafkas.aiven.io is being deleted: to delete at Aiven, annotate it with "+
				"controllers.aiven.io/allow-deletion=true; to keep, this object with controllers.aiven.io/deletion-policy=Orphan", blocked)
		})
	}
	registry := withProject(t, runtime.NewScheme())
	registry.Cluster = Cluster{Live: failing{}, Mapper: mapper}
	_, err := registry.Guards(registry.kinds[1]).Blocked(t.Context(), newKafka("apps"))
	require.ErrorContains(t, err, "reading CRD kafkas.aiven.io: boom")
	registry.Cluster.Mapper = meta.NewDefaultRESTMapper(nil)
	_, err = registry.Guards(registry.kinds[1]).Blocked(t.Context(), newKafka("apps"))
	require.ErrorContains(t, err, "finding the CRD of Kafka")
}

// failing is an API server that doesn't answer.
type failing struct{ client.Reader }

func (failing) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return errors.New("boom")
}
