package kafka

import (
	"maps"

	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/service"
)

// unprefixed are the keys that are there a second time, without the prefix of the Secret.
var unprefixed = []string{"HOST", "PORT", "PASSWORD", "USERNAME", "ACCESS_CERT", "ACCESS_KEY", "CA_CERT"}

// details have no key for what Aiven doesn't return: most components are there only if an option turns them on.
func details(s *aiven.Service, ca string) connection.Details {
	info := ptr.Deref(s.ConnectionInfo, aiven.ConnectionInfo{})
	administrator, _ := s.User(aiven.PrimaryUser)
	all := map[string]string{
		"HOST":                s.URIParams["host"],
		"PORT":                s.URIParams["port"],
		"USERNAME":            administrator.Username,
		"PASSWORD":            administrator.Password,
		"ACCESS_CERT":         ptr.Deref(info.KafkaAccessCert, ""),
		"ACCESS_KEY":          ptr.Deref(info.KafkaAccessKey, ""),
		"REST_URI":            ptr.Deref(info.KafkaRestUri, ""),
		"SCHEMA_REGISTRY_URI": ptr.Deref(info.SchemaRegistryUri, ""),
		"CA_CERT":             ca,
	}
	addComponents(all, s)
	return service.Details(all, unprefixed...)
}

// addComponents adds the addresses of what Aiven runs beside the brokers, and of the brokers for users with a password.
func addComponents(all map[string]string, s *aiven.Service) {
	for prefix, name := range map[string]string{
		"SCHEMA_REGISTRY": "schema_registry", "CONNECT": "kafka_connect", "REST": "kafka_rest",
	} {
		if c, runs := s.Component(name); runs {
			maps.Copy(all, connection.Address(prefix, c.Host, c.Port))
		}
	}
	if sasl, enabled := s.SASL(); enabled {
		maps.Copy(all, connection.Address("SASL", sasl.Host, sasl.Port))
	}
}
