package reference

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/aero-operator/aero/controllers/internal/enqueue"
)

// A ConfigMap plays the object that holds references: its data is the spec, with a target as the key and the key of the
// Secret as the value.
func referrer(namespace, name string, targets ...Target) *corev1.ConfigMap {
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: map[string]string{}}
	for _, target := range targets {
		cm.Data[target.NamespacedName.String()] = target.Key
	}
	return cm
}

func held(obj client.Object) []Target {
	var targets []Target
	for name, key := range obj.(*corev1.ConfigMap).Data {
		targets = append(targets, to(name, key))
	}
	slices.SortFunc(targets, func(a, b Target) int { return slices.Compare([]byte(a.String()), []byte(b.String())) })
	return targets
}

// to makes a target of "namespace/name" or "/name".
func to(name, key string) Target {
	at := slices.Index([]byte(name), '/')
	return Target{NamespacedName: types.NamespacedName{Namespace: name[:at], Name: name[at+1:]}, Key: key}
}

var secretSource = Declaration{
	Name: "SecretSource", Kind: SecretKind, Field: "spec.connInfoSecretSource", Targets: held,
}

func TestIndexHoldsEachTargetOnce(t *testing.T) {
	cases := map[string]struct {
		targets []Target
		want    []string
	}{
		"nothing is indexed under nothing":                        {},
		"the namespace is the object's unless the target has one": {[]Target{to("/a", ""), to("b/a", "")}, []string{"apps/a", "b/a"}},
		"two keys of one Secret are one value of the index":       {[]Target{to("/a", "x"), to("/a", "y")}, []string{"apps/a"}},
		"the namespace of the object may be written out":          {[]Target{to("/a", "x"), to("apps/a", "")}, []string{"apps/a"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			d := Declaration{Name: "X", Targets: func(client.Object) []Target { return tc.targets }}
			assert.Equal(t, tc.want, d.IndexFunc()(referrer("apps", "x")))
		})
	}
	assert.Equal(t, "reference:SecretSource", secretSource.IndexKey())
	assert.Equal(t, "SecretSourceReady", secretSource.Condition())
}

func TestIndexLeavesTheTargetsAsTheyWere(t *testing.T) {
	shared := []Target{to("/a", "")}
	d := Declaration{Targets: func(client.Object) []Target { return shared }}
	d.IndexFunc()(referrer("apps", "x"))
	assert.Empty(t, shared[0].Namespace)
}

// configMaps lists the objects that hold references.
func configMaps(reader client.Client) enqueue.Lister {
	return enqueue.Lister{Reader: reader, Kind: corev1.SchemeGroupVersion.WithKind("ConfigMap"), Scheme: reader.Scheme()}
}

func TestEventOnATargetEnqueuesTheObjectsThatNameIt(t *testing.T) {
	reader := fake.NewClientBuilder().
		WithIndex(&corev1.ConfigMap{}, secretSource.IndexKey(), secretSource.IndexFunc()).
		WithObjects(
			referrer("apps", "one", to("/password", "x")),
			referrer("apps", "other", to("/else", "x")),
			referrer("far", "crossing", to("apps/password", ""), to("/else", "")),
			referrer("far", "namesake", to("/password", "x")),
			referrer("apps", "none"),
		).Build()
	metadataOnly := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "password"}}

	var enqueued []string
	for _, request := range secretSource.Requests(configMaps(reader))(t.Context(), metadataOnly) {
		enqueued = append(enqueued, request.String())
	}
	assert.ElementsMatch(t, []string{"apps/one", "far/crossing"}, enqueued)
}

func TestI07_AFormerTargetEnqueuesNothing(t *testing.T) {
	obj := referrer("apps", "one", to("/password", "x"))
	reader := fake.NewClientBuilder().
		WithIndex(&corev1.ConfigMap{}, secretSource.IndexKey(), secretSource.IndexFunc()).WithObjects(obj).Build()
	enqueued := func(name string) int {
		target := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: name}}
		return len(secretSource.Requests(configMaps(reader))(t.Context(), target))
	}
	assert.Equal(t, []int{1, 0}, []int{enqueued("password"), enqueued("other")})
	changed := referrer("apps", "one", to("/other", "x"))
	changed.ResourceVersion = "999"
	require.NoError(t, reader.Update(t.Context(), changed))
	assert.Equal(t, []int{0, 1}, []int{enqueued("password"), enqueued("other")})
}

func TestEventWithoutAnIndexEnqueuesNothing(t *testing.T) {
	reader := fake.NewClientBuilder().WithInterceptorFuncs(interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
			return errors.New("no such index")
		},
	}).Build()
	require.Empty(t, secretSource.Requests(configMaps(reader))(t.Context(), referrer("apps", "x")))
}
