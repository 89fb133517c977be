package connectionsecret_test

import (
	"github.com/aiven/go-client-codegen/handler/service"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/connectionsecret"
)

// password has what URIs, shells, JSON, Java and PostgreSQL's password file have to escape.
const password = `p@ss:w/rd"\&?`

const caCert, accessCert, accessKey = "-----BEGIN CERTIFICATE-----\nCA\n-----END CERTIFICATE-----\n",
	"-----BEGIN CERTIFICATE-----\nUSER\n-----END CERTIFICATE-----\n", "-----BEGIN PRIVATE KEY-----\nKEY\n-----END PRIVATE KEY-----\n"

func at(component, host string, port int, change ...func(*aiven.Component)) aiven.Component {
	c := aiven.Component{Component: component, Host: host, Port: port, Route: service.RouteTypeDynamic, Usage: service.UsageTypePrimary}
	for _, one := range change {
		one(&c)
	}
	return c
}

func on(route service.RouteType) func(*aiven.Component) {
	return func(c *aiven.Component) { c.Route = route }
}

func through(id string) func(*aiven.Component) {
	return func(c *aiven.Component) {
		c.Route, c.PrivatelinkConnectionId = service.RouteTypePrivatelink, ptr.To(id)
	}
}

func usage(usage service.UsageType) func(*aiven.Component) {
	return func(c *aiven.Component) { c.Usage = usage }
}

func auth(method service.KafkaAuthenticationMethodType) func(*aiven.Component) {
	return func(c *aiven.Component) { c.KafkaAuthenticationMethod = method }
}

func publicCA(c *aiven.Component) { c.KafkaSslCa = service.KafkaSslCaTypeLetsencrypt }

func plaintext(c *aiven.Component) { c.Ssl = ptr.To(false) }

func zone(c *aiven.Component) { c.Az = ptr.To("a") }

const (
	byCertificate = service.KafkaAuthenticationMethodTypeCertificate
	bySASL        = service.KafkaAuthenticationMethodTypeSasl
)

func source(serviceType string, info connection.Info, endpoints ...aiven.Component) connectionsecret.Source {
	if len(endpoints) > 0 && info.Address.Host == "" {
		info.Address = connection.AddressOf(endpoints[0])
	}
	info.User, info.Password = "joe", password
	info.Type, info.Endpoints = serviceType, endpoints
	return connectionsecret.Source(info)
}

func postgres() connectionsecret.Source {
	return source("pg", connection.Info{
		Database: "defaultdb", TLSMode: "require", URI: "postgres://joe:p%40ss@pg.test:21/defaultdb?sslmode=require", CACert: caCert,
	}, at("pg", "pg.test", 21), at("pg", "replica.test", 22, usage(service.UsageTypeReplica)), at("pgbouncer", "pg.test", 23),
		at("pg", "public-pg.test", 21, on(service.RouteTypePublic)), at("pg", "plc1.test", 31, through("plc1")), at("pg", "plc2.test", 32, through("plc2")))
}

func kafka() connectionsecret.Source {
	return source("kafka", connection.Info{CACert: caCert, AccessCert: accessCert, AccessKey: accessKey, URI: "kafka.test:11"},
		at("kafka", "kafka.test", 11, auth(byCertificate)), at("kafka", "kafka.test", 12, auth(bySASL), publicCA),
		at("kafka", "kafka.test", 13, auth(bySASL)), at("kafka", "a.kafka.test", 14, auth(byCertificate), zone),
		at("schema_registry", "kafka.test", 15), at("schema_registry", "public-kafka.test", 16, on(service.RouteTypePublic)),
		at("kafka", "public-kafka.test", 17, auth(bySASL), publicCA, on(service.RouteTypePublic)))
}

// sources has one for each type of service, and more where objects publish it in another way.
func sources() map[string]connectionsecret.Source {
	user := postgres()
	user.URI, user.Database, user.TLSMode = "", "", ""
	pool := postgres()
	pool.Address, pool.Pool, pool.Database = connection.AddressOf(at("pgbouncer", "pg.test", 23)), "my-pool", "orders"
	pool.URI = "postgres://joe:p%40ss@pg.test:23/orders-pool?sslmode=require"
	sasl := kafka()
	sasl.Address = connection.AddressOf(sasl.Endpoints[2])
	project := connectionsecret.Source{CACert: caCert}
	return map[string]connectionsecret.Source{
		"pg": postgres(), "pg-user": user, "pg-pool": pool, "kafka": kafka(), "kafka-sasl": sasl, "project": project,
		"mysql": source("mysql", connection.Info{TLSMode: "REQUIRED", CACert: caCert, Database: "defaultdb",
			URI: "mysql://joe:p%40ss@mysql.test:21/defaultdb?ssl-mode=REQUIRED"}, at("mysql", "mysql.test", 21)),
		"mysql-user":      source("mysql", connection.Info{CACert: caCert}, at("mysql", "mysql.test", 21)),
		"valkey":          source("valkey", connection.Info{URI: "rediss://joe:p%40ss@valkey.test:21"}, at("valkey", "valkey.test", 21)),
		"valkey-user":     source("valkey", connection.Info{CACert: caCert}, at("valkey", "valkey.test", 21)),
		"opensearch":      source("opensearch", connection.Info{URI: "https://joe:p%40ss@search.test:21"}, at("opensearch", "search.test", 21)),
		"opensearch-user": source("opensearch", connection.Info{CACert: caCert}, at("opensearch", "search.test", 21)),
		"clickhouse": source("clickhouse", connection.Info{}, at("clickhouse", "click.test", 21),
			at("clickhouse_https", "click.test", 22)),
		"grafana": source("grafana", connection.Info{URI: "https://grafana.test:443", Nodes: []string{"https://g1.test:443"}}, at("grafana", "grafana.test", 443)),
		"flink": source("flink", connection.Info{Address: connection.Address{Host: "flink.test"}, URI: "https://flink.test:443",
			Nodes: []string{"https://f1.test:443"}}, at("flink", "flink.test", 443)),
	}
}
