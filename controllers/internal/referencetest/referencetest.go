// Package referencetest follows references in unit tests.
package referencetest

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/reference"
)

// Secret is a Secret of that name, in the namespace of the tests.
func Secret(name string, values map[string]string) *corev1.Secret {
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: aiventest.Namespace, Name: name}, Data: map[string][]byte{},
	}
	for key, value := range values {
		secret.Data[key] = []byte(value)
	}
	return secret
}

// Resolve follows the references of an object in a cluster that holds certain Secrets.
func Resolve(t testing.TB, obj client.Object, declarations []reference.Declaration, secrets ...*corev1.Secret) reference.Resolved {
	scheme := runtime.NewScheme()
	require.NoError(t, corev1.AddToScheme(scheme))
	cluster := fake.NewClientBuilder().WithScheme(scheme)
	for _, secret := range secrets {
		cluster = cluster.WithObjects(secret)
	}
	return reference.Resolver{Reader: cluster.Build()}.Resolve(t.Context(), obj, declarations)
}
