package ownership

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/enqueue"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// byLabel is a kind whose identity is a label.
type byLabel struct{}

func (byLabel) Group() string                                { return ServiceGroup }
func (k byLabel) Identify(obj client.Object) (string, error) { return k.Reservation(obj), nil }
func (byLabel) Resource(obj client.Object) string            { return obj.GetLabels()["identity"] }
func (k byLabel) Reservation(obj client.Object) string {
	if policy.ObservesOnly(obj) {
		return ""
	}
	return k.Resource(obj)
}

// A paused object is never asked who owns what it has attempted, so that the owner withdraws the attempt.
func TestReviewH3_AnOwnerWithdrawsWhatOthersHaveAttempted(t *testing.T) {
	labelled := func(meta *metav1.ObjectMeta) { meta.Labels = map[string]string{"identity": "demo/pg"} }
	attempted := func(obj Object, changes ...func(Object)) Object {
		meta := object("other", created, labelled, annotatedToo(paused)).ObjectMeta
		obj.SetNamespace(meta.Namespace)
		obj.SetName(meta.Name)
		obj.SetUID(meta.UID)
		obj.SetLabels(meta.Labels)
		obj.SetAnnotations(meta.Annotations)
		obj.SetFinalizers(meta.Finalizers)
		for _, change := range changes {
			change(obj)
		}
		return obj
	}
	goesOn := func(obj Object) { delete(obj.GetAnnotations(), annotation.Paused) }
	for name, tc := range map[string]struct {
		owner   func(Object)
		other   Object
		refused error
		left    bool
	}{
		"of its kind":            {provenOf(v1alpha1.ProvenanceCreated), attempted(&v1alpha1.Database{}), nil, false},
		"of another kind":        {provenOf(v1alpha1.ProvenanceAdopted), attempted(&v1alpha1.ServiceUser{}), nil, false},
		"that was to observe it": {observing(provenOf(v1alpha1.ProvenanceCreated)), attempted(&v1alpha1.Database{}), nil, false},
		"that goes on":           {provenOf(v1alpha1.ProvenanceCreated), attempted(&v1alpha1.Database{}, goesOn), nil, false},
		// It may have found the resource missing since.
		"that goes on beside an observer": {observing(provenOf(v1alpha1.ProvenanceCreated)), attempted(&v1alpha1.Database{}, goesOn), nil, true},
		// Aiven may have what that asked for, which is no other object's.
		"of an earlier spec":    {provenOf(v1alpha1.ProvenanceCreated), attempted(&v1alpha1.KafkaACL{}, requested("read")), nil, true},
		"of its spec":           {provenOf(v1alpha1.ProvenanceCreated), attempted(&v1alpha1.KafkaACL{}, requested("")), nil, false},
		"by an observer":        {provenOf(v1alpha1.ProvenanceObserved), attempted(&v1alpha1.Database{}), nil, true},
		"by another attempt":    {func(obj Object) { created(&obj.(*v1alpha1.Database).ObjectMeta) }, attempted(&v1alpha1.Database{}), nil, true},
		"that can't be written": {provenOf(v1alpha1.ProvenanceCreated), attempted(&v1alpha1.Database{}), errBoom, true},
		"that owns it, too":     {provenOf(v1alpha1.ProvenanceCreated), attempted(&v1alpha1.Database{}, provenOf(v1alpha1.ProvenanceCreated)), nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			owner := object("owner", labelled)
			tc.owner(owner)
			scheme := runtime.NewScheme()
			require.NoError(t, v1alpha1.AddToScheme(scheme))
			index := func(obj client.Object) []string { return []string{byLabel{}.Reservation(obj)} }
			cluster := fake.NewClientBuilder().WithScheme(scheme).WithObjects(owner, tc.other).
				WithIndex(&v1alpha1.Database{}, Index, index).WithIndex(&v1alpha1.ServiceUser{}, Index, index).
				WithIndex(&v1alpha1.KafkaACL{}, Index, index).Build()
			registry := &Registry{}
			for _, kind := range []string{"Database", "ServiceUser", "KafkaACL"} {
				registry.Add(ServiceGroup, enqueue.Lister{Reader: cluster, Kind: v1alpha1.GroupVersion.WithKind(kind), Scheme: scheme})
			}
			patch := func(ctx context.Context, from, to client.Object) error {
				if tc.refused != nil {
					return tc.refused
				}
				return cluster.Patch(ctx, to, client.MergeFrom(from))
			}
			assert.ErrorIs(t, registry.WithdrawOthers(t.Context(), patch, byLabel{}, owner), tc.refused)
			other := tc.other.DeepCopyObject().(client.Object)
			require.NoError(t, cluster.Get(t.Context(), client.ObjectKeyFromObject(tc.other), other))
			assert.Equal(t, tc.left, HasFinalizer(other))
			assert.Equal(t, tc.left, attemptedByItself(other))
			assert.Equal(t, policy.IsPaused(tc.other), policy.IsPaused(other), "what users have set stays")
		})
	}
}

var errBoom = errors.New("boom")

// provenOf has a status that proves how an object came to its resource.
func provenOf(kind v1alpha1.ProvenanceType) func(Object) {
	return func(obj Object) { recorded(kind, obj.GetName())(obj.GetCommonStatus()) }
}

func observing(change func(Object)) func(Object) {
	return func(obj Object) {
		change(obj)
		policy.Annotate(obj, annotation.Management, policy.Observe)
	}
}

// requested has a status by which Aiven was asked for an ACL with a permission.
func requested(permission string) func(Object) {
	return func(obj Object) {
		obj.(*v1alpha1.KafkaACL).Status.Requested = []v1alpha1.KafkaACLRule{{Permission: permission}}
	}
}
