package startup_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/internal/startup"
)

func TestOurKindsAreCachedWithoutManagedFields(t *testing.T) {
	db := &v1alpha1.Database{}
	cached, err := startup.CachedObjects([]runtime.Object{db}, "aero")[db].Transform(&v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{
		Name: "db", ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kubectl"}},
	}})
	require.NoError(t, err)
	assert.Equal(t, &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Name: "db"}}, cached)
}

// The last applied configuration of a Secret has all of its data.
func TestReviewM3_NoDataOfASecretIsCached(t *testing.T) {
	annotations := func(more ...string) map[string]string {
		all := map[string]string{corev1.LastAppliedConfigAnnotation: `{"data":{"password":"bWFya2Vy"}}`}
		for _, name := range more {
			all[name] = "x"
		}
		return all
	}
	managed := func(manager string) []metav1.ManagedFieldsEntry {
		return []metav1.ManagedFieldsEntry{{Manager: manager}}
	}
	for name, tc := range map[string]struct{ secret, cached metav1.ObjectMeta }{
		"of another tool": {
			metav1.ObjectMeta{Annotations: annotations("backup"), ManagedFields: managed("kubectl"), Labels: annotations(), Finalizers: []string{"f"}},
			metav1.ObjectMeta{Labels: annotations(), Finalizers: []string{"f"}},
		},
		"of another tool that owns it": {
			metav1.ObjectMeta{Annotations: annotations(), OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod"}}},
			metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod"}}},
		},
		"that we have written": {
			metav1.ObjectMeta{Annotations: annotations("own"), ManagedFields: managed("aero")},
			metav1.ObjectMeta{Annotations: map[string]string{"own": "x"}, ManagedFields: managed("aero")},
		},
		"of an object of ours": {
			metav1.ObjectMeta{
				Annotations: annotations("own"), ManagedFields: managed("kubectl"),
				OwnerReferences: []metav1.OwnerReference{{APIVersion: "aiven.io/v1alpha1", Kind: "PostgreSQL"}},
			},
			metav1.ObjectMeta{
				Annotations: map[string]string{"own": "x"}, ManagedFields: managed("kubectl"),
				OwnerReferences: []metav1.OwnerReference{{APIVersion: "aiven.io/v1alpha1", Kind: "PostgreSQL"}},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			cached, err := secrets(t).Transform(&metav1.PartialObjectMetadata{ObjectMeta: tc.secret})
			require.NoError(t, err)
			assert.Equal(t, &metav1.PartialObjectMetadata{ObjectMeta: tc.cached}, cached)
		})
	}
}

// secrets is how Secrets are cached.
func secrets(t *testing.T) cache.ByObject {
	for obj, by := range startup.CachedObjects(nil, "aero") {
		if _, is := obj.(*corev1.Secret); is {
			return by
		}
	}
	t.Fatal("they are cached as they are")
	return cache.ByObject{}
}
