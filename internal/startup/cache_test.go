package startup_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/internal/startup"
)

func TestOurKindsAreCachedWithoutManagedFields(t *testing.T) {
	db := &v1alpha1.Database{}
	byObject := startup.CachedKinds([]runtime.Object{db})
	require.Len(t, byObject, 1, "Secrets keep them")
	cached, err := byObject[db].Transform(&v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{
		Name: "db", ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kubectl"}},
	}})
	require.NoError(t, err)
	assert.Equal(t, &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Name: "db"}}, cached)
}
