package conformance_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

// K07: manifests as the users of aiven-operator have them, with the keys that their applications read.
func TestManifestsForAivenOperatorWork(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "*.yaml"))
	require.NoError(t, err)
	known := manifestRows()
	require.Len(t, files, len(known), "each file has a row, and each row a file")
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		require.Contains(t, known, name)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			known[name].comesAndGoes(t, text)
		})
	}
}

// comesAndGoes applies the documents of a file at once, waits until all are Ready, and deletes them at once.
func (m manifest) comesAndGoes(t *testing.T, text []byte) {
	t.Helper()
	e := testenv.New(t, testenv.Options{Kinds: kindsIn(t, text)})
	e.Plant(givenPassword)
	names := map[string]string{ourProject: e.Project}
	if m.parents != nil {
		maps.Copy(names, m.parents(e))
	}
	for name, is := range names {
		text = bytes.ReplaceAll(text, []byte(name), []byte(is))
	}
	before, secrets := e.Aiven.Resources(), secretsOf(e)
	documents := documentsOf(t, text)
	for _, document := range documents {
		document.SetNamespace(e.Namespace)
		applied := document.DeepCopy()
		require.NoError(t, client.WithFieldValidation(e.Client, metav1.FieldValidationStrict).Create(t.Context(), applied))
	}
	objects := m.becomeReady(e, documents)
	assert.ElementsMatch(t, m.makes, newAt(e, before))
	if m.then != nil {
		m.then(e)
	}

	calm := e.Aiven.Mark()
	e.Rest(2 * len(objects))
	assert.Empty(t, e.Aiven.Writes(calm), "what a spec leaves out or spells otherwise is no difference")

	for _, document := range documents {
		e.Delete(document)
	}
	for _, document := range documents {
		e.WaitGone(document)
	}
	assert.ElementsMatch(t, before, e.Aiven.Resources())
	var left map[string][]string
	e.Until(func() bool { left = secretsOf(e); return assert.ObjectsAreEqual(secrets, left) }, func() string {
		return fmt.Sprintf("Secrets with their finalizers before: %v, and afterwards: %v", secrets, left)
	})
}

// becomeReady waits for all objects, and then checks their Secrets.
func (m manifest) becomeReady(e *testenv.Env, documents []*unstructured.Unstructured) []testenv.Object {
	var objects []testenv.Object
	for _, document := range documents {
		made, err := e.Client.Scheme().New(document.GroupVersionKind())
		require.NoError(e.T, err)
		obj, ours := made.(testenv.Object)
		if !ours {
			continue
		}
		obj.SetName(document.GetName())
		obj.SetNamespace(document.GetNamespace())
		objects = append(objects, obj)
		e.Wait(obj, testenv.Ready())
		assert.Equal(e.T, "1", obj.GetAnnotations()[processed])
		assert.Equal(e.T, "true", obj.GetAnnotations()[running])
		if target, has, _ := unstructured.NestedMap(document.Object, "spec", "connInfoSecretTarget"); has {
			m.checkSecret(e, document.GetKind(), target)
		}
	}
	return objects
}

// checkSecret wants the keys that applications read, and the labels and annotations of the target.
func (m manifest) checkSecret(e *testenv.Env, kindName string, target map[string]any) {
	at := slices.IndexFunc(allKinds, func(k kind) bool { return k.name == kindName })
	require.GreaterOrEqual(e.T, at, 0)
	name, prefix := target["name"].(string), allKinds[at].prefix
	if given, has := target["prefix"]; has {
		prefix = given.(string)
	}
	keys := allKinds[at].keys
	if m.keys != nil && kindName == "Kafka" {
		keys = m.keys
	}
	secret := e.Secret(name)
	require.NotNil(e.T, secret, name)
	assert.ElementsMatch(e.T, append(prefixed(prefix, keys), allKinds[at].legacy...), slices.Collect(maps.Keys(secret.Data)), name)
	for field, has := range map[string]map[string]string{"labels": secret.Labels, "annotations": secret.Annotations} {
		wanted, _, err := unstructured.NestedStringMap(target, field)
		require.NoError(e.T, err)
		for key, value := range wanted {
			assert.Equal(e.T, value, has[key], "%s of the Secret", field)
		}
	}
}

// documentsOf reads all documents of a file as kubectl does.
func documentsOf(t *testing.T, text []byte) (documents []*unstructured.Unstructured) {
	t.Helper()
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		document := &unstructured.Unstructured{}
		err := decoder.Decode(document)
		if errors.Is(err, io.EOF) {
			return documents
		}
		require.NoError(t, err)
		documents = append(documents, document)
	}
}

// kindsIn are those whose controllers the file needs.
func kindsIn(t *testing.T, text []byte) (kinds []string) {
	t.Helper()
	for _, document := range documentsOf(t, text) {
		if document.GetKind() != "Secret" {
			kinds = append(kinds, document.GetKind())
		}
	}
	return kinds
}

// secretsOf are the finalizers of the Secrets of the namespace, by name.
func secretsOf(e *testenv.Env) map[string][]string {
	var list corev1.SecretList
	require.NoError(e.T, e.Client.List(e.T.Context(), &list, client.InNamespace(e.Namespace)))
	found := map[string][]string{}
	for _, secret := range list.Items {
		found[secret.Name] = secret.Finalizers
	}
	return found
}

// newAt are the resources that weren't there before, without the project, what Aiven names itself, and what came with a service.
func newAt(e *testenv.Env, before []localaiven.Resource) (found []string) {
	for _, resource := range e.Aiven.Resources() {
		if !resource.Builtin && !slices.Contains(before, resource) {
			id, _, _ := strings.Cut(strings.ReplaceAll(resource.ID, e.Project+"/", ""), "#")
			found = append(found, resource.Type+" "+id)
		}
	}
	return found
}
