package watches

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// inCloud is a service that shares its cloud with others.
func inCloud(namespace, cloud string) *v1alpha1.Kafka {
	kafka := newKafka(namespace)
	kafka.Spec.CloudName = cloud
	return kafka
}

func TestSiblingsShareSomethingAndManageIt(t *testing.T) {
	mine, observer := inCloud("apps", "here"), inCloud("observer", "here")
	policy.Annotate(observer, annotation.Management, policy.Observe)
	scheme := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	kind := kafkas()
	cluster := fake.NewClientBuilder().WithScheme(scheme).WithIndex(&v1alpha1.Kafka{}, SharedIndex, kind.Shares).
		WithObjects(mine, observer, inCloud("other", "here"), inCloud("far", "there"), inCloud("alone", "")).Build()
	kind.Lister.Scheme, kind.Lister.Reader = scheme, cluster
	for name, tc := range map[string]struct {
		obj  client.Object
		want []string
	}{
		"of an object with others":      {mine, []string{"other/main"}},
		"of an object without others":   {inCloud("far", "there"), nil},
		"of an object without anything": {inCloud("alone", ""), nil},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := kind.Siblings(tc.obj)(t.Context())
			require.NoError(t, err)
			var names []string
			for _, sibling := range found {
				names = append(names, client.ObjectKeyFromObject(sibling).String())
			}
			assert.Equal(t, tc.want, names)
		})
	}
	kind.Lister.Reader = interceptor.NewClient(cluster, interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
			return errors.New("down")
		},
	})
	_, err := kind.Siblings(mine)(t.Context())
	require.ErrorContains(t, err, "listing objects that share here: ")
}

func TestAnEditOfASiblingEnqueuesAnObject(t *testing.T) {
	mine, edited := inCloud("apps", "here"), inCloud("other", "here")
	events, reconciled := watched(t, mine.DeepCopy(), func(events *informers) { events.of(edited).Add(edited) })
	edited = edited.DeepCopy()
	edited.Generation = 2
	events.of(edited).Modify(edited)
	assert.Equal(t, client.ObjectKeyFromObject(mine), next(t, reconciled))
}
