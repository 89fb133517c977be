package connectionsecret

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/aiven/go-client-codegen/handler/service"
	"k8s.io/utils/ptr"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// Types of services, by Aiven's names.
const (
	typePostgres   = "pg"
	typeMySQL      = "mysql"
	typeClickhouse = "clickhouse"
	typeValkey     = "valkey"
	typeOpenSearch = "opensearch"
)

// pgBouncer is the component of PostgreSQL's connection pools.
const pgBouncer = "pgbouncer"

// Values are a login at one endpoint. What there is none of is empty.
type Values struct {
	// Type is that of the service, Component what listens at the endpoint.
	Type, Component string
	// Address, Route and Usage are those of the endpoint.
	Address      connection.Address
	Route, Usage string
	// Username, Password and Database are what clients log in with, and URI has all of it.
	Username, Password, Database, URI string
	// TLSMode is the value that clients of the type have for it.
	TLSMode string
	// CACert is there if the certificate of the endpoint is of the project's CA, and not of a public one.
	CACert string
	// AccessCert and AccessKey are those of a user of Kafka, and KafkaAuthentication whether the endpoint takes them:
	// "certificate", or "sasl".
	AccessCert, AccessKey, KafkaAuthentication string
	// SchemaRegistry is the address of Kafka's registry on the same route.
	SchemaRegistry connection.Address

	endpoints []aiven.Component
	nodes     []string
}

// ValuesOf are the values for a spec. The database is the name at Aiven, of a reference or of the spec; empty for that of the source.
//
// Errors: those of an endpoint, and a fault.InvalidSpec for a database where there are none.
func ValuesOf(s Source, spec *aero.SecretContents, database string) (Values, error) {
	at, address, err := s.endpoint(spec)
	if err != nil {
		return Values{}, err
	}
	v := Values{
		Type: s.Type, Component: at.Component, Address: address, Route: string(at.Route), Usage: string(at.Usage),
		Username: s.User, Password: s.Password, TLSMode: s.tlsMode(),
		AccessCert: s.AccessCert, AccessKey: s.AccessKey, KafkaAuthentication: string(at.KafkaAuthenticationMethod),
		endpoints: s.Endpoints, nodes: s.Nodes,
	}
	if s.usesProjectCA(at) {
		v.CACert = s.CACert
	}
	if v.Database, err = s.database(database, at); err != nil {
		return Values{}, err
	}
	for _, c := range s.Endpoints {
		if c.Component == connection.SchemaRegistry && c.Route == at.Route && c.Usage == at.Usage && c.Az == nil && s.Type == aiven.TypeKafka &&
			ptr.Deref(c.PrivatelinkConnectionId, "") == ptr.Deref(at.PrivatelinkConnectionId, "") {
			v.SchemaRegistry = connection.AddressOf(c)
		}
	}
	v.URI = s.uri(v, at, database)
	return v, nil
}

func (s Source) tlsMode() string {
	switch s.Type {
	case typePostgres:
		return cmp.Or(s.TLSMode, "require")
	case typeMySQL:
		return cmp.Or(s.TLSMode, "REQUIRED")
	default:
		return s.TLSMode
	}
}

// usesProjectCA reports whether clients need the project's CA. Other services, and the endpoints of Kafka that are so configured, have
// certificates of a public CA, which clients know.
func (s Source) usesProjectCA(at aiven.Component) bool {
	switch s.Type {
	case typePostgres, typeMySQL, "":
		return true
	case aiven.TypeKafka:
		return at.KafkaSslCa != service.KafkaSslCaTypeLetsencrypt
	default:
		return false
	}
}

// defaultDatabases are those that Aiven makes with a service.
var defaultDatabases = map[string]string{typePostgres: "defaultdb", typeMySQL: "defaultdb", typeClickhouse: "default"}

// database is the one that clients connect to at an endpoint. To PgBouncer, that is the name of a pool, whose database is fixed.
func (s Source) database(wanted string, at aiven.Component) (string, error) {
	usual, has := defaultDatabases[s.Type]
	switch {
	case wanted == "" && s.Pool != "" && at.Component == pgBouncer:
		uri, err := url.Parse(s.URI)
		if err != nil {
			return "", nil //nolint:nilerr // the error would quote the password
		}
		return strings.TrimPrefix(uri.Path, "/"), nil
	case wanted == "":
		return cmp.Or(s.Database, usual), nil
	case s.Pool != "":
		return "", fault.InvalidSpec("spec.database", "a connection pool leads to one database, which its own spec.databaseName sets. Remove the field, and spec.databaseRef")
	case !has:
		return "", fault.InvalidSpec("spec.database", "only PostgreSQL, MySQL and ClickHouse have databases. Remove the field, and spec.databaseRef")
	default:
		return wanted, nil
	}
}

// Data are the values as templates read them.
func (v Values) Data() map[string]any {
	endpoints, nodes := make([]any, 0, len(v.endpoints)), make([]any, 0, len(v.nodes))
	for _, c := range v.endpoints {
		at := connection.AddressOf(c)
		endpoints = append(endpoints, map[string]any{
			"Component": c.Component, "Host": at.Host, "Port": at.Port, "Path": ptr.Deref(c.Path, ""),
			"Route": string(c.Route), "Usage": string(c.Usage), "KafkaAuthentication": string(c.KafkaAuthenticationMethod),
			"PrivatelinkConnectionID": ptr.Deref(c.PrivatelinkConnectionId, ""),
		})
	}
	for _, node := range v.nodes {
		nodes = append(nodes, node)
	}
	return map[string]any{
		"Type": v.Type, "Component": v.Component, "Host": v.Address.Host, "Port": v.Address.Port, "Route": v.Route, "Usage": v.Usage,
		"Username": v.Username, "Password": v.Password, "Database": v.Database, "URI": v.URI, "TLSMode": v.TLSMode,
		"CACert": v.CACert, "AccessCert": v.AccessCert, "AccessKey": v.AccessKey, "KafkaAuthentication": v.KafkaAuthentication,
		"Endpoints": endpoints, "Nodes": nodes,
	}
}
