package kafka

import (
	"maps"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
)

// unprefixed are the keys that are there a second time, without the prefix of the Secret.
var unprefixed = []string{"HOST", "PORT", "PASSWORD", "USERNAME", "ACCESS_CERT", "ACCESS_KEY", "CA_CERT"}

// details are empty while the service has no address. What else Aiven doesn't return has no key: most components are there
// only if an option turns them on.
func details(s *aiven.Service, ca string) connection.Details {
	if s.URIParams["host"] == "" {
		return connection.Details{}
	}
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
	maps.DeleteFunc(all, func(_, value string) bool { return value == "" })
	legacy := maps.Clone(all)
	maps.DeleteFunc(legacy, func(key, _ string) bool { return !slices.Contains(unprefixed, key) })
	return connection.Details{Prefixed: all, Legacy: legacy}
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
