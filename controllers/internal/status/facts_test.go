package status

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
)

func TestTheDecisiveServiceIsTheFirstThatIsNotUsable(t *testing.T) {
	usable, other, off := Service{Name: "a", Usable: true}, Service{Name: "b", Usable: true}, Service{Name: "c"}
	assert.Nil(t, DecisiveService(nil))
	assert.Equal(t, &usable, DecisiveService([]Service{usable, other}))
	assert.Equal(t, &off, DecisiveService([]Service{usable, off, {Name: "d"}}))
}

func TestARequestForAnObservationIsHandledOnce(t *testing.T) {
	obj := &metav1.ObjectMeta{}
	assert.False(t, ObservationRequested(obj, &v1alpha1.CommonStatus{}), "none")
	obj.Annotations = map[string]string{annotation.Requested: "now"}
	assert.True(t, ObservationRequested(obj, &v1alpha1.CommonStatus{}), "new")
	assert.False(t, ObservationRequested(obj, &v1alpha1.CommonStatus{LastHandledReconcileAt: "now"}), "handled")
}
