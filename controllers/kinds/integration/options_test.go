package integration

import (
	"path"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/kinds/integration/internal/remote"
)

// eachBlock sets the blocks of a spec one by one, and calls check with the type and the path of each. The package of a block
// is named by its type.
func eachBlock(t *testing.T, spec any, check func(blockType, path string, block any)) {
	blocks := 0
	fields := reflect.ValueOf(spec).Elem()
	for i := range fields.NumField() {
		field := fields.Type().Field(i)
		if field.Type.Kind() != reflect.Pointer || !strings.HasSuffix(field.Type.Elem().Name(), "UserConfig") {
			continue
		}
		blocks++
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		fields.Field(i).Set(reflect.New(field.Type.Elem()))
		check(path.Base(field.Type.Elem().PkgPath()), "spec."+name, fields.Field(i).Interface())
	}
	assert.NotZero(t, blocks)
}

func TestEveryBlockIsThatOfItsType(t *testing.T) {
	integration := &v1alpha1.ServiceIntegrationSpec{}
	eachBlock(t, integration, func(blockType, path string, block any) {
		integration.IntegrationType = blockType
		found, options := integrationOptions(integration)
		assert.Equal(t, path, found)
		assert.Same(t, block, options)
	})
	endpoint := &v1alpha1.ServiceIntegrationEndpointSpec{}
	eachBlock(t, endpoint, func(blockType, path string, block any) {
		endpoint.EndpointType = blockType
		found, options := endpointOptions(endpoint)
		assert.Equal(t, path, found)
		assert.Same(t, block, options)
	})
}

func TestARefusedIntegrationNamesTheFieldOfItsEnd(t *testing.T) {
	const missing = "Integration endpoint does not exist"
	for name, tc := range map[string]struct {
		edit   func(*v1alpha1.ServiceIntegrationSpec)
		answer aiventest.Answer
		want   string
	}{
		"a destination that is missing in the request": {
			func(*v1alpha1.ServiceIntegrationSpec) {}, aiventest.Refused(400, "Invalid input: dest_service is required"), anyDestination,
		},
		"a type that takes no service of that kind": {
			func(*v1alpha1.ServiceIntegrationSpec) {}, aiventest.Refused(400, "'pg' is what integration_type 'logs' does not take"), "spec.integrationType",
		},
		"a source of the wrong type": {
			func(*v1alpha1.ServiceIntegrationSpec) {},
			aiventest.Refused(400, "Invalid input: 'my-pg' is of type pg, which integration_type 'logs' does not take"), "spec.sourceServiceName",
		},
		"a destination of the wrong type": {
			func(s *v1alpha1.ServiceIntegrationSpec) { s.DestinationServiceName = "my-kafka" },
			aiventest.Refused(400, "Invalid input: 'my-kafka' is of type kafka, which integration_type 'logs' does not take"), "spec.destinationServiceName",
		},
		"a service that may be either end": {
			func(s *v1alpha1.ServiceIntegrationSpec) { s.DestinationServiceName = s.SourceServiceName },
			aiventest.Refused(400, "'my-pg' is of type pg, which integration_type 'logs' does not take"), "spec.integrationType",
		},
		"an endpoint that Aiven doesn't know": {
			func(s *v1alpha1.ServiceIntegrationSpec) { s.DestinationEndpointID = "e" }, aiventest.Refused(404, missing), "spec.destinationEndpointId",
		},
		"an endpoint of another object": {
			func(s *v1alpha1.ServiceIntegrationSpec) {
				s.DestinationEndpointRef = &v1alpha1.EndpointReference{Name: "e"}
			}, aiventest.Refused(404, missing), remote.PathEndpointRef,
		},
		"a source that Aiven doesn't know": {
			func(s *v1alpha1.ServiceIntegrationSpec) { s.SourceEndpointID = "e" }, aiventest.Refused(404, missing), "spec.sourceEndpointID",
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := connecting(t), logs("")
			obj.Spec.DestinationServiceName = ""
			tc.edit(&obj.Spec)
			a.On(create, tc.answer)
			c := start(a)
			_, err := c.Observe(t.Context(), obj)
			require.NoError(t, err)
			_, err = c.Create(t.Context(), obj)
			message := (*fault.Secrets)(nil).Refusal(err, "Aiven rejected the change", "")
			assert.Contains(t, message, "Aiven rejected "+tc.want+": ")
			remedy := "another " + tc.want
			if tc.want == anyDestination {
				remedy = "one of them"
			}
			assert.Contains(t, message, "Recreate the object with "+remedy)
		})
	}
}

func TestATypeWithoutABlockHasNoOptions(t *testing.T) {
	path, options := integrationOptions(&v1alpha1.ServiceIntegrationSpec{IntegrationType: "dashboard"})
	assert.Empty(t, path)
	assert.Nil(t, options)
}
