package connectionsecret

import (
	"net"
	"net/url"

	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
)

// schemes of the components that clients reach by a URI. Kafka has none: its clients take a host and a port.
var schemes = map[string]string{
	typePostgres: "postgres", pgBouncer: "postgres", typeMySQL: "mysql", typeValkey: "rediss",
	typeClickhouse: "clickhouse", "clickhouse_https": "https", "clickhouse_mysql": "mysql",
	typeOpenSearch: "https", "opensearch_dashboards": "https", "grafana": "https", "flink": "https",
	connection.SchemaRegistry: "https", connection.KafkaREST: "https", connection.KafkaConnect: "https",
}

// uri is that of the source where nothing else is wanted, else one to another endpoint or database. The login is part of it.
func (s Source) uri(v Values, at aiven.Component, database string) string {
	switch base := s.published(); {
	case v.Address.Host == "":
		return ""
	case at.Component == aiven.TypeKafka:
		return hostPort(v.Address)
	case s.URI == "" || at.Component != base.Component:
		return built(v, at)
	case at == base && database == "":
		return s.URI
	default:
		return moved(s.URI, v, database)
	}
}

// moved is a URI with another address, and maybe another database, in it. What else Aiven has put into it stays.
func moved(uri string, v Values, database string) string {
	parsed, err := url.Parse(uri)
	if err != nil {
		return "" // the error would quote the password
	}
	parsed.Host = hostPort(v.Address)
	if database != "" {
		parsed.Path = "/" + database
		parsed.RawPath = "/" + url.PathEscape(database)
	}
	return parsed.String()
}

// built is a URI for a component, or empty for one whose clients take none that is known.
func built(v Values, at aiven.Component) string {
	scheme, known := schemes[at.Component]
	if !known {
		return ""
	}
	uri := url.URL{Scheme: scheme, Host: hostPort(v.Address), User: url.UserPassword(v.Username, v.Password), Path: ptr.Deref(at.Path, "")}
	if scheme == "rediss" && !ptr.Deref(at.Ssl, true) {
		uri.Scheme = "redis"
	}
	switch at.Component {
	case typePostgres, pgBouncer:
		uri.RawQuery = url.Values{"sslmode": {v.TLSMode}}.Encode()
	case typeMySQL:
		uri.RawQuery = url.Values{"ssl-mode": {v.TLSMode}}.Encode()
	case typeClickhouse:
		uri.RawQuery = "secure=true"
	}
	if scheme != "https" && v.Database != "" {
		uri.Path, uri.RawPath = "/"+v.Database, "/"+url.PathEscape(v.Database)
	}
	return uri.String()
}

// hostPort is an address; Flink has no port in it.
func hostPort(a connection.Address) string {
	if a.Port == "" {
		return a.Host
	}
	return net.JoinHostPort(a.Host, a.Port)
}
