package connectionsecret

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// preset is a set of keys.
type preset struct {
	// serves lists types of services; nil for all.
	serves []string
	keys   func(Values) map[string]string
}

var presets = map[aero.Preset]preset{
	aero.PresetServiceBinding:  {nil, serviceBinding},
	aero.PresetCloudNativePG:   {[]string{typePostgres}, cloudNativePG},
	aero.PresetLibpq:           {[]string{typePostgres}, libpq},
	aero.PresetKafkaProperties: {[]string{aiven.TypeKafka}, kafkaProperties},
	aero.PresetKafkaEnv:        {[]string{aiven.TypeKafka}, kafkaEnv},
}

// speaks are the components that a preset's clients connect to; others of the service, such as a schema registry, they don't know.
var speaks = map[string][]string{typePostgres: {typePostgres, pgBouncer}, aiven.TypeKafka: {aiven.TypeKafka}}

// Preset returns the keys of a preset, with their values.
//
// Error: a fault.InvalidSpec if the service, or the component, can't serve it.
func (v Values) Preset(name aero.Preset) (map[string]string, error) {
	set, known := presets[name]
	const path = "spec.presets"
	switch {
	case !known:
		return nil, fault.InvalidSpec(path, fmt.Sprintf("the preset %q isn't known. Use one of: %s", name, join(slices.Sorted(maps.Keys(presets)))))
	case v.Type == "":
		return nil, fault.InvalidSpec(path, fmt.Sprintf("the preset %s is for services, and a project has none of its keys. Use spec.data", name))
	case set.serves == nil:
		return set.keys(v), nil
	case !slices.Contains(set.serves, v.Type):
		return nil, fault.InvalidSpec(path, fmt.Sprintf("the preset %s is for services of the type %s, and the source is of the type %s. It can have: %s",
			name, join(set.serves), v.Type, join(served(v.Type))))
	case !slices.Contains(speaks[v.Type], v.Component):
		return nil, fault.InvalidSpec(path, fmt.Sprintf("the preset %s is for the component %s, and spec.endpoint selects %s. Use spec.data",
			name, join(speaks[v.Type]), v.Component))
	default:
		return set.keys(v), nil
	}
}

// served are the presets for a type of service.
func served(serviceType string) []aero.Preset {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(presets)), func(name aero.Preset) bool {
		return presets[name].serves != nil && !slices.Contains(presets[name].serves, serviceType)
	})
}

func join[T ~string](names []T) string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = string(name)
	}
	return strings.Join(texts, ", ")
}

// bindingTypes are the types of the Service Binding specification, where they aren't Aiven's. Clients of Redis know Valkey.
var bindingTypes = map[string]string{typePostgres: "postgresql", typeValkey: "redis"}

// BindingType is the type of a service in the Service Binding specification.
func (v Values) BindingType() string { return cmp.Or(bindingTypes[v.Type], v.Type) }

// serviceBinding has the well-known entries of the specification, but for those that the service has no value for. Its entry
// certificates is the chain that a client sends, so the CA of the server is in one of its own.
func serviceBinding(v Values) map[string]string {
	keys := map[string]string{
		"type": v.BindingType(), "provider": "aiven", "host": v.Address.Host, "port": v.Address.Port, "uri": v.URI, "database": v.Database,
		"ca.crt": v.CACert,
	}
	if v.byCertificate() {
		keys["certificates"], keys["private-key"] = v.AccessCert, v.AccessKey
	} else {
		keys["username"], keys["password"] = v.Username, v.Password
	}
	maps.DeleteFunc(keys, func(_, value string) bool { return value == "" })
	return keys
}

// byCertificate reports whether clients log in with a certificate, and not with a password.
func (v Values) byCertificate() bool {
	return v.Type == aiven.TypeKafka && v.Component == aiven.TypeKafka && v.KafkaAuthentication != "sasl"
}

func cloudNativePG(v Values) map[string]string {
	jdbc := url.Values{"user": {v.Username}, "password": {v.Password}, "sslmode": {v.TLSMode}}
	return map[string]string{
		"host": v.Address.Host, "port": v.Address.Port, "dbname": v.Database, "user": v.Username, "username": v.Username, "password": v.Password,
		"uri":      v.URI,
		"jdbc-uri": "jdbc:postgresql://" + hostPort(v.Address) + "/" + url.PathEscape(v.Database) + "?" + jdbc.Encode(),
		"pgpass":   pgpass(v.Address.Host, v.Address.Port, v.Database, v.Username, v.Password),
	}
}

// pgpass is a line of PostgreSQL's password file.
func pgpass(fields ...string) string {
	escape := strings.NewReplacer(`\`, `\\`, `:`, `\:`)
	for i, field := range fields {
		fields[i] = escape.Replace(field)
	}
	return strings.Join(fields, ":") + "\n"
}

func libpq(v Values) map[string]string {
	return map[string]string{
		"PGHOST": v.Address.Host, "PGPORT": v.Address.Port, "PGDATABASE": v.Database, "PGUSER": v.Username, "PGPASSWORD": v.Password,
		"PGSSLMODE": v.TLSMode,
	}
}
