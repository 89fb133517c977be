package integration

import (
	"path"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/api/v1alpha1"
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

func TestATypeWithoutABlockHasNoOptions(t *testing.T) {
	path, options := integrationOptions(&v1alpha1.ServiceIntegrationSpec{IntegrationType: "dashboard"})
	assert.Empty(t, path)
	assert.Nil(t, options)
}
