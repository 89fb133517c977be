package reference

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

func failing(err error) client.Reader {
	return fake.NewClientBuilder().WithInterceptorFuncs(interceptor.Funcs{
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return err
		},
	}).Build()
}

func TestAKindThatIsNotInstalledHasNoTargets(t *testing.T) {
	err := fmt.Errorf("mapping: %w", &meta.NoKindMatchError{GroupKind: vpcKind.GroupKind(), SearchedVersions: []string{"v1alpha1"}})
	o := only(t, Resolver{Reader: failing(err)}.
		Resolve(t.Context(), referrer("apps", "x"), []Declaration{declare("ProjectVPC", vpcKind, to("/main", ""))}))
	assert.Equal(t, NotFound, o.State)
	assert.Equal(t, "ProjectVPC apps/main, named by spec.ProjectVPC, can't exist: the kind ProjectVPC.aiven.io isn't installed in this cluster", o.Message)
	require.NoError(t, o.Err)
}

func TestAnErrorOfTheAPIIsNotAbsence(t *testing.T) {
	down := errors.New("connection refused")
	for _, kind := range []schema.GroupVersionKind{SecretKind, vpcKind} {
		t.Run(kind.Kind, func(t *testing.T) {
			resolved := Resolver{Reader: failing(down)}.
				Resolve(t.Context(), referrer("apps", "x"), []Declaration{declare("Ref", kind, to("/main", "value"))})
			o := only(t, resolved)
			assert.Equal(t, Failed, o.State)
			assert.Equal(t, "Unknown", o.Reason)
			assert.Equal(t, kind.Kind+" apps/main, named by spec.Ref, couldn't be read", o.Message)
			require.ErrorIs(t, o.Err, down)
			assert.EqualError(t, o.Err, "reading "+kind.Kind+" apps/main: connection refused")
			assert.Empty(t, resolved.Refs())
		})
	}
}
