package cli

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/export"
)

// checking is a plugin whose kubeconfig names an API server; empty for none.
func checking(t *testing.T, url string) (p *plugin, errOut *bytes.Buffer) {
	t.Helper()
	t.Setenv("KUBECONFIG", "/dev/null")
	errOut = &bytes.Buffer{}
	p = &plugin{streams: genericiooptions.IOStreams{ErrOut: errOut}, flags: genericclioptions.NewConfigFlags(true)}
	*p.flags.APIServer, *p.flags.CacheDir = url, t.TempDir()
	return p, errOut
}

// manifestOf is an export of one object.
func manifestOf(kind, name string) export.Manifest {
	return export.Manifest{Kind: kind, Name: name, YAML: []byte("apiVersion: aiven.io/v1alpha1\nkind: " + kind + "\nmetadata: {name: " + name + "}\nspec: {}\n")}
}

func TestManifestsThatTheAPIServerRefusesAreNamedWithTheField(t *testing.T) {
	s := newServer(t, database)
	s.kinds = slices.DeleteFunc(s.kinds, func(kind metav1.APIResource) bool { return kind.Kind == "Valkey" }) // its CRDs are older
	s.refuses = func(u *unstructured.Unstructured) error {
		resource := schema.GroupResource{Group: v1alpha1.GroupVersion.Group, Resource: "kafkatopics"}
		switch u.GetName() {
		case "schema":
			return apierrors.NewInvalid(u.GroupVersionKind().GroupKind(), "schema", field.ErrorList{field.Invalid(field.NewPath("spec", "partitions"), 0, "at least 1")})
		case "unknown":
			return apierrors.NewBadRequest(`strict decoding error: unknown field "spec.new"`)
		case "policy":
			return apierrors.NewForbidden(resource, "policy", errors.New("ValidatingAdmissionPolicy 'projects' denied request: spec.project cannot be p"))
		default:
			return nil
		}
	}
	p, errOut := checking(t, s.URL)
	refused, err := p.refusals(t.Context(), []export.Manifest{
		manifestOf("KafkaTopic", "good"), manifestOf("KafkaTopic", "schema"), manifestOf("KafkaTopic", "unknown"), manifestOf("KafkaTopic", "policy"),
		manifestOf("Valkey", "cache"), manifestOf("KafkaTopic", "better"),
	})
	require.NoError(t, err)
	assert.Equal(t, []export.Note{
		{What: "KafkaTopic schema", Text: `KafkaTopic.aiven.io "schema" is invalid: spec.partitions: Invalid value: 0: at least 1`},
		{What: "KafkaTopic unknown", Text: `strict decoding error: unknown field "spec.new"`},
		{What: "KafkaTopic policy", Text: `kafkatopics.aiven.io "policy" is forbidden: ValidatingAdmissionPolicy 'projects' denied request: spec.project cannot be p`},
		{What: "Valkey cache", Text: "the API server doesn't have the kind: upgrade aero's CRDs"},
	}, refused)

	err = p.report(&exportReport{Result: &export.Result{}, refused: refused})
	assert.EqualError(t, err, "4 manifests would be refused by the API server: correct that before you apply")
	assert.False(t, errors.As(err, new(codedError)), "its exit code is 1")
	assert.Contains(t, errOut.String(), "Refused by the API server:\n  KafkaTopic schema: ")
	assert.NotContains(t, errOut.String(), "Not checked")
}

func TestManifestsAreNotCheckedWithoutAClusterOrPermission(t *testing.T) {
	withoutKinds := newServer(t)
	withoutKinds.kinds = nil
	without := newServer(t)
	without.refuses = func(u *unstructured.Unstructured) error {
		if u.GetName() == "b" {
			return apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "orders")
		}
		return nil
	}
	forbidden := newServer(t)
	forbidden.refuses = func(*unstructured.Unstructured) error {
		return apierrors.NewForbidden(schema.GroupResource{Group: v1alpha1.GroupVersion.Group, Resource: "databases"}, "a",
			errors.New(`User "jane" cannot create resource "databases" in API group "aiven.io" in the namespace "default"`))
	}
	gone := newServer(t)
	gone.Close()
	for name, test := range map[string]struct{ url, says string }{
		"no cluster":                     {"", "no cluster is configured in a kubeconfig"},
		"no kinds":                       {withoutKinds.URL, "the API server has no kinds of aiven.io: install aero's CRDs"},
		"no namespace":                   {without.URL, `Error from server (NotFound): namespaces "orders" not found`},
		"no permission to apply":         {forbidden.URL, `Error from server (Forbidden): databases.aiven.io "a" is forbidden: User "jane" cannot create`},
		"an API server that isn't there": {gone.URL, "can't be reached"},
	} {
		t.Run(name, func(t *testing.T) {
			p, errOut := checking(t, test.url)
			refused, err := p.refusals(t.Context(), []export.Manifest{manifestOf("Database", "a"), manifestOf("Database", "b")})
			assert.Empty(t, refused)
			require.Error(t, err)
			require.NoError(t, p.report(&exportReport{Result: &export.Result{}, unchecked: err}))
			assert.Contains(t, errOut.String(), "Not checked by an API server: ")
			assert.Contains(t, errOut.String(), test.says)
		})
	}
}
