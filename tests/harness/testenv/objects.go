package testenv

import (
	"os"
	"path/filepath"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
)

// Example reads an object of docs/examples, by the name of its file without the ending, and moves it to the namespace
// and the project of the test.
func (e *Env) Example(name string) Object {
	e.T.Helper()
	return e.Load(filepath.Join(shared.root, "docs", "examples", name+".yaml"))
}

// Load reads an object from a YAML file, and moves it to the namespace and the project of the test.
func (e *Env) Load(path string) Object {
	e.T.Helper()
	content, err := os.ReadFile(path)
	require.NoError(e.T, err)
	decoded, _, err := serializer.NewCodecFactory(e.Client.Scheme(), serializer.EnableStrict).
		UniversalDeserializer().Decode(content, nil, nil)
	require.NoError(e.T, err, path)
	obj, ours := decoded.(Object)
	require.True(e.T, ours, "%s must hold an object of the group aiven.io", path)
	obj.SetNamespace(e.Namespace)
	switch placed := obj.(type) {
	case interface {
		GetServiceDependant() *v1alpha1.ServiceDependant
	}:
		placed.GetServiceDependant().Project = e.Project
	case interface {
		GetProjectDependant() *v1alpha1.ProjectDependant
	}:
		placed.GetProjectDependant().Project = e.Project
	}
	return obj
}

// Create creates an object.
func (e *Env) Create(obj client.Object) {
	e.T.Helper()
	if _, ours := obj.(Object); ours {
		require.True(e.T, e.serves(obj), "no controller for %s runs in this test: add it to Options.Kinds", kindName(obj))
	}
	require.NoError(e.T, e.Client.Create(e.T.Context(), obj))
}

// Get reads the object again.
func (e *Env) Get(obj client.Object) {
	e.T.Helper()
	require.NoError(e.T, e.Client.Get(e.T.Context(), client.ObjectKeyFromObject(obj), obj))
}

// Change reads an object, edits it and patches what differs. It takes no lock: the operator writes at the same time, and
// a person with kubectl takes none either.
func (e *Env) Change(obj client.Object, edit func()) {
	e.T.Helper()
	e.Get(obj)
	before := obj.DeepCopyObject().(client.Object)
	edit()
	require.NoError(e.T, e.Client.Patch(e.T.Context(), obj, client.MergeFrom(before)))
}

// Annotate sets an annotation of an object; an empty value removes it.
func (e *Env) Annotate(obj client.Object, key, value string) {
	e.T.Helper()
	e.Change(obj, func() {
		annotations := obj.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[key] = value
		if value == "" {
			delete(annotations, key)
		}
		obj.SetAnnotations(annotations)
	})
}

// Delete asks for the deletion of an object, and doesn't wait for it.
func (e *Env) Delete(obj client.Object) {
	e.T.Helper()
	require.NoError(e.T, e.Client.Delete(e.T.Context(), obj))
}

// SetSecret creates a Secret or replaces its data. The values count as planted.
func (e *Env) SetSecret(name string, data map[string]string) {
	e.T.Helper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: e.Namespace, Name: name}, StringData: data}
	for _, value := range data {
		e.Plant(value)
	}
	err := e.Client.Create(e.T.Context(), secret)
	if apierrors.IsAlreadyExists(err) {
		e.Change(secret, func() { secret.Data, secret.StringData = nil, data })
		return
	}
	require.NoError(e.T, err)
}

// Secret reads a Secret; nil if there is none.
func (e *Env) Secret(name string) *corev1.Secret {
	e.T.Helper()
	secret := &corev1.Secret{}
	err := e.Client.Get(e.T.Context(), client.ObjectKey{Namespace: e.Namespace, Name: name}, secret)
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(e.T, err)
	return secret
}
