package localaiven

import (
	"fmt"
	"net"
	"net/url"
	"strconv"

	"github.com/aero-operator/aero/tests/localaiven/engine"
)

// localhost is where everything without an engine pretends to listen.
const localhost = "127.0.0.1"

// saslEndpoint is the key of service.endpoints for Kafka's second port. The other keys are names of components, the first
// of which is that of the service type.
const saslEndpoint = "kafka-sasl"

// kafkaExtras are the components of Kafka that nobody simulates: they are ports that nobody listens on. The keys of
// user_config that enable them have the same names.
var kafkaExtras = []string{"kafka_rest", "schema_registry", "kafka_connect"}

type postgresInfo struct {
	PG        []string            `json:"pg"`
	PGParams  []map[string]string `json:"pg_params"`
	PGStandby []string            `json:"pg_standby"`
	PGSyncing []string            `json:"pg_syncing"`
}

type kafkaInfo struct {
	Kafka             []string `json:"kafka"`
	AccessCert        string   `json:"kafka_access_cert"`
	AccessKey         string   `json:"kafka_access_key"`
	ConnectURI        *string  `json:"kafka_connect_uri,omitempty"`
	RestURI           string   `json:"kafka_rest_uri"`
	SchemaRegistryURI string   `json:"schema_registry_uri"`
}

// pretend gives endpoints to what no engine runs. Nobody else sees svc, or holds its mu.
func (s *Server) pretend(svc *service, names ...string) {
	for _, name := range names {
		port := s.ports.take(svc.project.name + "/" + svc.name + "/" + name)
		svc.endpoints[name] = engine.Endpoint{Host: localhost, Port: port}
	}
}

// connect fills in how to connect. A service whose engine isn't up yet has no endpoint: its URI is null, as the original's
// may be.
func (svc *service) connect(b *serviceBody, secrets bool) {
	b.ConnectionInfo = map[string]any{}
	switch {
	case !svc.backing.up():
	case svc.kind.name == kindKafka:
		svc.connectKafka(b, secrets)
	default:
		svc.connectPostgres(b, secrets)
	}
}

func (svc *service) connectPostgres(b *serviceBody, secrets bool) {
	at := svc.endpoints[kindPostgreSQL]
	password := svc.admin().shown(secrets)
	uri := connectionURI(svc.admin().name, password, at, defaultDBName)
	params := map[string]string{
		"host": at.Host, "port": strconv.Itoa(at.Port), "user": svc.admin().name, "password": password,
		"dbname": defaultDBName, "sslmode": "require",
	}
	b.ServiceURI, b.ServiceURIParams = &uri, params
	b.ConnectionInfo = postgresInfo{[]string{uri}, []map[string]string{params}, []string{}, []string{}}
	b.Components = append(b.Components, newComponent(kindPostgreSQL, at))
	if len(svc.pools) > 0 {
		b.Components = append(b.Components, newComponent("pgbouncer", svc.pools[0].endpoint))
	}
}

// connectKafka has a component for each way to log in that user_config allows and somebody serves. The service's URI is
// the first of them.
func (svc *service) connectKafka(b *serviceBody, secrets bool) {
	for _, method := range []struct{ name, endpoint string }{{"certificate", kindKafka}, {"sasl", saslEndpoint}} {
		at := svc.endpoints[method.endpoint]
		if at.Port == 0 || !svc.accepts(method.name) {
			continue
		}
		c := newComponent(kindKafka, at)
		c.AuthenticationMethod = method.name
		b.Components = append(b.Components, c)
	}
	admin := svc.admin()
	if len(b.Components) > 0 {
		first := b.Components[0]
		uri := net.JoinHostPort(first.Host, strconv.Itoa(first.Port))
		b.ServiceURI, b.ServiceURIParams = &uri, map[string]string{
			"host": first.Host, "port": strconv.Itoa(first.Port), "user": admin.name, "password": admin.shown(secrets),
		}
	}
	uris := map[string]string{}
	for _, name := range kafkaExtras {
		uris[name] = webURI(admin.name, admin.shown(secrets), svc.endpoints[name])
		if svc.enables(name) {
			b.Components = append(b.Components, newComponent(name, svc.endpoints[name]))
		}
	}
	shown := admin.certificate.shown(secrets)
	info := kafkaInfo{[]string{}, shown.cert, shown.key, nil, uris["kafka_rest"], uris["schema_registry"]}
	if b.ServiceURI != nil {
		info.Kafka = append(info.Kafka, *b.ServiceURI)
	}
	if uri := uris["kafka_connect"]; svc.enables("kafka_connect") {
		info.ConnectURI = &uri
	}
	b.ConnectionInfo = info
}

// accepts says whether users of Kafka may log in like that. By default they show certificates.
func (svc *service) accepts(method string) bool {
	methods, _ := svc.userConfig["kafka_authentication_methods"].(map[string]any)
	if on, set := methods[method].(bool); set {
		return on
	}
	return method == "certificate"
}

// enables says whether user_config switches a component on.
func (svc *service) enables(name string) bool {
	on, _ := svc.userConfig[name].(bool)
	return on
}

func newComponent(name string, at engine.Endpoint) component {
	return component{Component: name, Host: at.Host, Port: at.Port, Route: "dynamic", Usage: "primary"}
}

func (svc *service) poolBody(p *pool, secrets bool) poolBody {
	b := poolBody{Database: p.Database, PoolMode: p.Mode, PoolName: p.Name, PoolSize: p.Size}
	owner := svc.admin()
	if p.Username != "" {
		b.Username = &p.Username
		owner = svc.user(p.Username)
	}
	if owner == nil {
		owner = &user{name: p.Username} // deleted; the pool stays as it was set
	}
	b.ConnectionURI = connectionURI(owner.name, owner.shown(secrets), p.endpoint, p.Name)
	return b
}

func connectionURI(name, password string, at engine.Endpoint, dbname string) string {
	return fmt.Sprintf("postgres://%s@%s:%d/%s?sslmode=require", login(name, password), at.Host, at.Port, url.PathEscape(dbname))
}

func webURI(name, password string, at engine.Endpoint) string {
	return fmt.Sprintf("https://%s@%s:%d", login(name, password), at.Host, at.Port)
}

func login(name, password string) *url.Userinfo {
	if password == "" {
		return url.User(name)
	}
	return url.UserPassword(name, password)
}
