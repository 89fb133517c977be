package kafka

import (
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/service"
)

// layout has no key for what Aiven doesn't return: most components are there only if an option turns them on.
func layout() connection.Layout {
	return service.Layout(map[string]connection.Value{
		"HOST":                 connection.Host,
		"PORT":                 connection.Port,
		"USERNAME":             connection.User,
		"PASSWORD":             connection.Password,
		"ACCESS_CERT":          connection.AccessCert,
		"ACCESS_KEY":           connection.AccessKey,
		"CA_CERT":              connection.CACert,
		"REST_URI":             connection.RESTURI,
		"SCHEMA_REGISTRY_URI":  connection.RegistryURI,
		"SCHEMA_REGISTRY_HOST": connection.HostOf(connection.SchemaRegistry),
		"SCHEMA_REGISTRY_PORT": connection.PortOf(connection.SchemaRegistry),
		"CONNECT_HOST":         connection.HostOf(connection.KafkaConnect),
		"CONNECT_PORT":         connection.PortOf(connection.KafkaConnect),
		"REST_HOST":            connection.HostOf(connection.KafkaREST),
		"REST_PORT":            connection.PortOf(connection.KafkaREST),
		"SASL_HOST":            connection.HostOf(connection.SASL),
		"SASL_PORT":            connection.PortOf(connection.SASL),
	}, "HOST", "PORT", "PASSWORD", "USERNAME", "ACCESS_CERT", "ACCESS_KEY", "CA_CERT")
}

// details have the administrator, whom the URI of a Kafka service doesn't name.
func details(s *aiven.Service, ca string) connection.Info {
	more := ptr.Deref(s.ConnectionInfo, aiven.ConnectionInfo{})
	administrator, _ := s.User(aiven.PrimaryUser)
	info := service.Info(s, layout())
	info.User, info.Password, info.CACert = administrator.Username, administrator.Password, ca
	info.AccessCert, info.AccessKey = ptr.Deref(more.KafkaAccessCert, ""), ptr.Deref(more.KafkaAccessKey, "")
	info.RESTURI, info.RegistryURI = ptr.Deref(more.KafkaRestUri, ""), ptr.Deref(more.SchemaRegistryUri, "")
	info.Components = connection.ComponentsOf(s, connection.SASL, connection.SchemaRegistry, connection.KafkaConnect, connection.KafkaREST)
	return info
}
