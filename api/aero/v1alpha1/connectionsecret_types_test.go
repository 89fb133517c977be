package v1alpha1_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
)

// at returns a part of a decoded YAML document; a list has its first item.
func at(t *testing.T, in any, path string) any {
	t.Helper()
	for step := range strings.SplitSeq(path, ".") {
		if list, is := in.([]any); is {
			require.NotEmpty(t, list, path)
			in = list[0]
		}
		fields, is := in.(map[string]any)
		require.True(t, is, path)
		in = fields[step]
	}
	return in
}

func TestASourceIsAnyKindThatPublishesASecret(t *testing.T) {
	scheme := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	var publish []any
	for kind := range scheme.KnownTypes(v1alpha1.GroupVersion) {
		obj, err := scheme.New(v1alpha1.GroupVersion.WithKind(kind))
		require.NoError(t, err)
		if _, is := obj.(interface{ GetSecretFields() *v1alpha1.SecretFields }); is {
			publish = append(publish, kind)
		}
	}
	data, err := os.ReadFile("../../../config/crd/bases/aero-operator.io_connectionsecrets.yaml")
	require.NoError(t, err)
	var crd map[string]any
	require.NoError(t, yaml.Unmarshal(data, &crd))
	kinds := at(t, crd, "spec.versions.schema.openAPIV3Schema.properties.spec.properties.sourceRef.properties.kind.enum").([]any)
	assert.NotEmpty(t, kinds)
	assert.ElementsMatch(t, publish, kinds)
	assert.True(t, slices.IsSortedFunc(kinds, func(a, b any) int { return strings.Compare(a.(string), b.(string)) }))
}

func TestNamesDefaultToThoseOfTheObject(t *testing.T) {
	obj := &aero.ConnectionSecret{ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "orders"}}
	assert.Equal(t, "orders", obj.GetSecretName())
	assert.Equal(t, "apps", obj.GetSourceNamespace())
	obj.Spec.Target.Name, obj.Spec.SourceRef.Namespace = "orders-db", "data"
	assert.Equal(t, "orders-db", obj.GetSecretName())
	assert.Equal(t, "data", obj.GetSourceNamespace())
}

func TestTheSchemeKnowsTheKindAndItsList(t *testing.T) {
	scheme := runtime.NewScheme()
	require.NoError(t, aero.AddToScheme(scheme))
	for _, kind := range []string{"ConnectionSecret", "ConnectionSecretList"} {
		_, err := scheme.New(aero.GroupVersion.WithKind(kind))
		assert.NoError(t, err)
	}
}
