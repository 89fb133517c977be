package aiven_test

import (
	"testing"

	avnservice "github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/controllers/internal/aiven"
)

func TestSASLIsTheEndpointForUsersWithAPassword(t *testing.T) {
	component := func(name string, route avnservice.RouteType, auth avnservice.KafkaAuthenticationMethodType, port int) aiven.Component {
		return aiven.Component{Component: name, Route: route, KafkaAuthenticationMethod: auth, Port: port}
	}
	const (
		dynamic, public   = avnservice.RouteTypeDynamic, avnservice.RouteTypePublic
		sasl, certificate = avnservice.KafkaAuthenticationMethodTypeSasl, avnservice.KafkaAuthenticationMethodTypeCertificate
	)
	for name, tc := range map[string]struct {
		components []aiven.Component
		want       int
	}{
		"of no component":              {},
		"not of certificates":          {components: []aiven.Component{component("kafka", dynamic, certificate, 1)}},
		"not of another component":     {components: []aiven.Component{component("kafka_rest", dynamic, sasl, 1)}},
		"on the dynamic route, of all": {components: []aiven.Component{component("kafka", public, sasl, 1), component("kafka", dynamic, sasl, 2)}, want: 2},
	} {
		t.Run(name, func(t *testing.T) {
			got, enabled := (&aiven.Service{Components: tc.components}).SASL()
			assert.Equal(t, tc.want, got.Port)
			assert.Equal(t, tc.want != 0, enabled)
		})
	}
}
