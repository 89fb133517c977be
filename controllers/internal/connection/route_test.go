package connection

import (
	"testing"

	avnservice "github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/annotation"
)

func at(component, host string, port int, route string, edits ...func(*aiven.Component)) aiven.Component {
	c := aiven.Component{Component: component, Host: host, Port: port, Usage: "primary", Route: avnservice.RouteType(route)}
	for _, edit := range edits {
		edit(&c)
	}
	return c
}

func usage(usage string) func(*aiven.Component) {
	return func(c *aiven.Component) { c.Usage = avnservice.UsageType(usage) }
}

func through(id string) func(*aiven.Component) {
	return func(c *aiven.Component) { c.PrivatelinkConnectionId = ptr.To(id) }
}

func plaintext(c *aiven.Component) { c.Ssl = ptr.To(false) }

func projectCA(c *aiven.Component) { c.KafkaSslCa = avnservice.KafkaSslCaTypeProjectCa }

func letsEncrypt(c *aiven.Component) { c.KafkaSslCa = avnservice.KafkaSslCaTypeLetsencrypt }

func sasl(c *aiven.Component) { c.KafkaAuthenticationMethod = "sasl" }

func certificates(c *aiven.Component) { c.KafkaAuthenticationMethod = "certificate" }

// database is a service on two routes, with a replica on one of them.
func database() Info {
	return Info{
		Address: Address{"pg.test", "5432"}, User: "app", Password: "p@ss",
		URI: "postgres://app:p%40ss@pg.test:5432/orders?sslmode=require&host=pg.test:5432",
		Endpoints: []aiven.Component{
			at("pg", "pg.test", 5432, "dynamic"), at("pg", "public-pg.test", 15432, "public"),
			at("pg", "replica.test", 5433, "dynamic", usage("replica")), at("pgbouncer", "pg.test", 6432, "dynamic"),
		},
		Layout: Layout{OmitEmpty: true, Prefixed: map[string]Value{
			"HOST": Host, "PORT": Port, "USER": User, "PASSWORD": Password, "URI": URI, "REPLICA_URI": ReplicaURI, "HOSTS": Nodes,
			"SASL_HOST": HostOf(SASL), "SASL_PORT": PortOf(SASL), "REGISTRY_HOST": HostOf(SchemaRegistry),
		}}.Twice("HOST"),
	}
}

func TestARouteChangesHostsAndPortsAndNothingElse(t *testing.T) {
	for name, tc := range map[string]struct {
		route string
		given func(*Info)
		want  map[string]string // what differs
	}{
		"none":                  {route: ""},
		"the one that it is on": {route: "dynamic"},
		"another": {route: "public", want: map[string]string{
			"HOST": "public-pg.test", "PORT": "15432", "URI": "postgres://app:p%40ss@public-pg.test:15432/orders?sslmode=require&host=pg.test:5432",
		}},
		"with a URI that has no login": {
			route: "public", given: func(i *Info) { i.URI = "https://pg.test:5432" },
			want: map[string]string{"HOST": "public-pg.test", "PORT": "15432", "URI": "https://public-pg.test:15432"},
		},
		"with a URI that has no port, and needs none": {
			route: "public", given: func(i *Info) {
				i.URI, i.Endpoints = "https://g.test/ui", append(i.Endpoints, at("grafana", "g.test", 443, "dynamic"), at("grafana", "public-g.test", 443, "public"))
			},
			want: map[string]string{"HOST": "public-pg.test", "PORT": "15432", "URI": "https://public-g.test/ui"},
		},
		"with a URI that has no port, and needs one": {
			route: "public", given: func(i *Info) {
				i.URI, i.Endpoints = "https://g.test", append(i.Endpoints, at("grafana", "g.test", 443, "dynamic"), at("grafana", "public-g.test", 8443, "public"))
			},
			want: map[string]string{"HOST": "public-pg.test", "PORT": "15432", "URI": "https://public-g.test:8443"},
		},
		"with a URI that has no port, on the route that it is on": {
			route: "dynamic", given: func(i *Info) {
				i.URI, i.Endpoints = "https://g.test", append(i.Endpoints, at("grafana", "g.test", 443, "dynamic"))
			},
		},
		"with listeners that differ by TLS": {
			route: "public", given: func(i *Info) {
				i.URI, i.Endpoints = "", append(i.Endpoints, at("pg", "public-pg.test", 1, "public", plaintext))
			},
			want: map[string]string{"HOST": "public-pg.test", "PORT": "15432"},
		},
		"with nodes that have one address there": {
			route: "public", given: func(i *Info) {
				i.Nodes, i.URI = []string{"https://pg.test:5432", "https://pg-2.test:5432"}, ""
				i.Endpoints = append(i.Endpoints, at("pg", "pg-2.test", 5432, "dynamic"))
			},
			want: map[string]string{"HOST": "public-pg.test", "PORT": "15432", "HOSTS": "https://public-pg.test:15432"},
		},
		"with nodes, of which one is there": {
			route: "public", given: func(i *Info) { i.Nodes, i.URI = []string{"pg.test:5432", "https://node-2.test:5432"}, "" },
			want: map[string]string{"HOST": "public-pg.test", "PORT": "15432", "HOSTS": "public-pg.test:15432"},
		},
		"with a value that isn't published and isn't there": {
			route: "public", given: func(i *Info) { i.RESTURI = "https://rest.test:1" },
			want: map[string]string{
				"HOST": "public-pg.test", "PORT": "15432", "URI": "postgres://app:p%40ss@public-pg.test:15432/orders?sslmode=require&host=pg.test:5432",
			},
		},
		"with URIs of what is off and of what isn't": {
			route: "public", given: func(i *Info) {
				i.URI, i.RESTURI, i.RegistryURI = "", "https://a:p@rest.test:1", "https://a:p@registry.test:2"
				i.Endpoints = append(i.Endpoints, at("schema_registry", "registry.test", 2, "dynamic"), at("schema_registry", "public-registry.test", 3, "public"))
				i.Layout.Prefixed = map[string]Value{"HOST": Host, "REST_URI": RESTURI, "REGISTRY_URI": RegistryURI}
			},
			want: map[string]string{"HOST": "public-pg.test", "REGISTRY_URI": "https://a:p@public-registry.test:3"},
		},
		"through the only PrivateLink connection": {
			route: "privatelink", given: func(i *Info) {
				i.Endpoints, i.URI = append(i.Endpoints, at("pg", "plc1.test", 443, "privatelink", through("plc1"))), ""
			},
			want: map[string]string{"HOST": "plc1.test", "PORT": "443"},
		},
		"through one of several PrivateLink connections": {
			route: "privatelink/plc2", given: func(i *Info) {
				i.Endpoints = append(i.Endpoints, at("pg", "plc1.test", 443, "privatelink", through("plc1")),
					at("pg", "plc2.test", 443, "privatelink", through("plc2")))
				i.URI = ""
			},
			want: map[string]string{"HOST": "plc2.test", "PORT": "443"},
		},
		"of each listener by itself": {
			route: "privatelink", given: func(i *Info) {
				i.URI = "" // of Kafka, which has none
				i.Address = Address{"k.test", "1"}
				i.Components = map[string]Address{SASL: {"k.test", "2"}, SchemaRegistry: {"k.test", "3"}, KafkaREST: {}}
				i.Endpoints = []aiven.Component{
					at("kafka", "k.test", 1, "dynamic", certificates), at("kafka", "k.test", 2, "dynamic", sasl), at("schema_registry", "k.test", 3, "dynamic"),
					at("kafka", "link.test", 14, "privatelink", sasl, letsEncrypt), at("kafka", "link.test", 12, "privatelink", sasl, projectCA), at("kafka", "link.test", 11, "privatelink", certificates),
					at("schema_registry", "registry.test", 13, "privatelink"),
				}
			},
			want: map[string]string{"HOST": "link.test", "PORT": "11", "SASL_HOST": "link.test", "SASL_PORT": "12", "REGISTRY_HOST": "registry.test"},
		},
		"of what has no address": {route: "public", given: func(i *Info) { *i = Info{CACert: "ca", Layout: Layout{Prefixed: map[string]Value{"CA": CACert}}} }},
	} {
		t.Run(name, func(t *testing.T) {
			given := database()
			if tc.given != nil {
				tc.given(&given)
			}
			want := given.Prefixed()
			for key, value := range tc.want {
				want[key] = value
			}
			got, err := given.Via(tc.route)
			require.NoError(t, err)
			assert.Equal(t, want, got.Prefixed())
			assert.Equal(t, want["HOST"], got.Legacy()["HOST"])
		})
	}
}

func TestAURIWithoutAHostLeadsNowhere(t *testing.T) {
	for uri, want := range map[string]string{"https:///ui": "", "https://": "", "/ui": "", "": "", "://pg.test:5432": "://public-pg.test:15432"} {
		r := router{endpoints: database().Endpoints, route: "public"}
		assert.Equal(t, want, r.uri(uri), uri)
		assert.Nil(t, r.missing, uri)
	}
}

func TestARouteThatDoesNotExistIsRefusedWithThoseThatThereAre(t *testing.T) {
	links := []aiven.Component{at("pg", "plc1.test", 443, "privatelink", through("plc1")), at("pg", "plc2.test", 443, "privatelink", through("plc2"))}
	for name, tc := range map[string]struct {
		route string
		given func(*Info)
		want  RouteError
	}{
		"of no component":  {"private", func(*Info) {}, RouteError{"private", "pg", []string{"dynamic", "public"}}},
		"that is no route": {"Public", func(*Info) {}, RouteError{"Public", "pg", []string{"dynamic", "public"}}},
		"of one component": {
			"public", func(i *Info) {
				i.Components, i.Endpoints = map[string]Address{SchemaRegistry: {"r.test", "1"}}, append(i.Endpoints, at("schema_registry", "r.test", 1, "dynamic"))
			}, RouteError{"public", "schema_registry", []string{"dynamic"}},
		},
		"of a replica": {"public", func(i *Info) { i.ReplicaURI = "postgres://a@replica.test:5433/x" }, RouteError{"public", "pg", []string{"dynamic"}}},
		"of nodes": {
			"public", func(i *Info) { i.Nodes = []string{"node-2.test:1"} }, RouteError{"public", "node-2.test", nil},
		},
		"of several, the first that is published": {
			"public", func(i *Info) {
				i.Components = map[string]Address{KafkaREST: {"rest.test", "1"}, SASL: {"sasl.test", "2"}, SchemaRegistry: {"r.test", "1"}}
				i.Endpoints = append(i.Endpoints, at("kafka_rest", "rest.test", 1, "dynamic"), at("schema_registry", "r.test", 1, "dynamic"))
			}, RouteError{"public", "sasl.test", nil},
		},
		"of the address before others": {
			"public", func(i *Info) { i.Endpoints, i.ReplicaURI = i.Endpoints[2:], "postgres://a@replica.test:5433/x" },
			RouteError{"public", "pg.test", nil},
		},
		"of a URI without a port whose host has two listeners": {
			"public", func(i *Info) { i.URI = "postgres://pg.test/pool" }, RouteError{"public", "pg.test", nil},
		},
		"of a URI with two hosts": {
			"public", func(i *Info) { i.URI = "postgres://a:p%40ss@pg.test:5432,replica.test:5433/pool" }, RouteError{"public", "a URI", nil},
		},
		"of a URI with a slash in its password": {
			"public", func(i *Info) { i.URI = "postgres://a:b:p%40ss/@pg.test:5432/pool" }, RouteError{"public", "a URI", nil},
		},
		"of another certificate": {
			"public", func(i *Info) {
				i.Endpoints = append(i.Endpoints[:1:1], at("pg", "public-pg.test", 15432, "public", letsEncrypt))
			},
			RouteError{"public", "pg", []string{"dynamic"}},
		},
		"of a zone": {
			"public", func(i *Info) {
				i.Endpoints = append(i.Endpoints[:1:1], at("pg", "public-pg.test", 15432, "public", func(c *aiven.Component) { c.Az = ptr.To("a") }))
			}, RouteError{"public", "pg", []string{"dynamic"}},
		},
		"of an address that Aiven doesn't list": {"public", func(i *Info) { i.Endpoints = nil }, RouteError{"public", "pg.test", nil}},
		"through more than one connection": {
			"privatelink", func(i *Info) { i.Endpoints = append(i.Endpoints, links...) },
			RouteError{"privatelink", "pg", []string{"dynamic", "privatelink/plc1", "privatelink/plc2", "public"}},
		},
		"through a connection that there isn't": {
			"privatelink/plc3", func(i *Info) { i.Endpoints = append(i.Endpoints, links...) },
			RouteError{"privatelink/plc3", "pg", []string{"dynamic", "privatelink/plc1", "privatelink/plc2", "public"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			given := database()
			tc.given(&given)
			_, err := given.Via(tc.route)
			var refused *RouteError
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, tc.want, *refused)
			assert.NotContains(t, err.Error(), "p%40ss")
			assert.Contains(t, err.Error(), annotation.Route)
		})
	}
}

func TestTheLastSecretStaysWhileARouteDoesNotExist(t *testing.T) {
	b := newBench(t)
	_, err := b.publish(t, target, database())
	require.NoError(t, err)
	before := b.secret(t)
	elsewhere := target
	elsewhere.Route = "private"
	_, err = b.publish(t, elsewhere, database())
	foreign, noRoute := Refusals(err)
	assert.True(t, noRoute)
	assert.False(t, foreign)
	assert.Empty(t, b.writes)
	assert.Equal(t, before, b.secret(t))

	elsewhere.Route = "public"
	changed, err := b.publish(t, elsewhere, database())
	require.NoError(t, err)
	assert.True(t, changed)
	assert.Equal(t, "public-pg.test", string(b.secret(t).Data["KAFKA_HOST"]))
	assert.Len(t, b.secret(t).Data, len(before.Data), "the keys stay")
}

func TestARouteErrorNamesTheRoutesThatThereAre(t *testing.T) {
	const remedy = ". Enable the route for it in userConfig of the service, or change the annotation controllers.aiven.io/connection-route of the object " +
		"or its Namespace"
	assert.EqualError(t, &RouteError{"private", "pg", []string{"dynamic", "public"}}, "Aiven has no address of pg on the route private, only on dynamic, public"+remedy)
	assert.EqualError(t, &RouteError{"private", "pg.test", nil}, "Aiven has no address of pg.test on the route private, nor on another one"+remedy)
}

func TestADryRunNeedsTheRoute(t *testing.T) {
	b := newBench(t)
	elsewhere := target
	elsewhere.Route = "private"
	err := Publisher{Client: b, Reader: b, FieldManager: "aero"}.DryRun(t.Context(), kafka(), kafkaKind, elsewhere, database())
	_, noRoute := Refusals(err)
	assert.True(t, noRoute, "so no password is reset that couldn't be published")
	assert.Empty(t, b.writes)
}
