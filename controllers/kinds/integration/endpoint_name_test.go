package integration

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/ownership"
)

func TestAnEndpointThatIsNotManagedYetReadsTheOneOfItsName(t *testing.T) {
	obj := &v1alpha1.ServiceIntegrationEndpoint{}
	obj.Spec.Project, obj.Spec.EndpointName = "demo", "logs"
	assert.Equal(t, []aiven.Item{endpointItem(obj)}, Endpoint.ReadsItems(obj), "another object may free the name")
	ownership.Begin(obj, true)
	assert.Empty(t, Endpoint.ReadsItems(obj), "its own writes are no reason to read again")

	obj.Status.Phase = v1alpha1.PhaseFailed
	assert.Equal(t, []aiven.Item{endpointItem(obj)}, Endpoint.ReadsItems(obj), "another object was faster")
	obj.Status.ID = "e1"
	assert.Empty(t, Endpoint.ReadsItems(obj), "it is its own")
}
