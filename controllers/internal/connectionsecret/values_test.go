package connectionsecret_test

import (
	"strings"
	"testing"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/connectionsecret"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

type selector = aero.EndpointSelector

func TestAnEndpointIsSelected(t *testing.T) {
	cleartext := source("valkey", connection.Info{}, at("valkey", "valkey.test", 21), at("valkey", "valkey.test", 22, plaintext))
	onlyPlain := source("valkey", connection.Info{Address: connection.Address{Host: "v.test"}}, at("valkey", "valkey.test", 22, plaintext))
	for name, tc := range map[string]struct {
		source     connectionsecret.Source
		selector   selector
		fallback   aero.Route
		host, port string
		uri        string
	}{
		"that of the source":           {postgres(), selector{}, "", "pg.test", "21", "postgres://joe:p%40ss@pg.test:21/defaultdb?sslmode=require"},
		"on a route":                   {postgres(), selector{Route: "public"}, "", "public-pg.test", "21", "postgres://joe:p%40ss@public-pg.test:21/defaultdb?sslmode=require"},
		"of a replica":                 {postgres(), selector{Usage: "replica"}, "", "replica.test", "22", "postgres://joe:p%40ss@replica.test:22/defaultdb?sslmode=require"},
		"through a PrivateLink":        {postgres(), selector{Route: "privatelink", PrivatelinkConnectionID: "plc2"}, "", "plc2.test", "32", "postgres://joe:p%40ss@plc2.test:32/defaultdb?sslmode=require"},
		"of another component":         {postgres(), selector{Component: "pgbouncer"}, "", "pg.test", "23", "postgres://joe:p%40ss%3Aw%2Frd%22%5C&%3F@pg.test:23/defaultdb?sslmode=require"},
		"on a route that is there":     {postgres(), selector{Route: "public"}, "dynamic", "public-pg.test", "21", "postgres://joe:p%40ss@public-pg.test:21/defaultdb?sslmode=require"},
		"on the fallback":              {postgres(), selector{Route: "private"}, "public", "public-pg.test", "21", "postgres://joe:p%40ss@public-pg.test:21/defaultdb?sslmode=require"},
		"through no such PrivateLink":  {postgres(), selector{Route: "privatelink", PrivatelinkConnectionID: "plc9"}, "dynamic", "pg.test", "21", "postgres://joe:p%40ss@pg.test:21/defaultdb?sslmode=require"},
		"for certificates":             {kafka(), selector{KafkaAuthentication: "certificate"}, "", "kafka.test", "11", "kafka.test:11"},
		"for passwords, with our CA":   {kafka(), selector{KafkaAuthentication: "sasl"}, "", "kafka.test", "13", "kafka.test:13"},
		"for passwords, on a route":    {kafka(), selector{KafkaAuthentication: "sasl", Route: "public"}, "", "public-kafka.test", "17", "public-kafka.test:17"},
		"of a registry":                {kafka(), selector{Component: "schema_registry"}, "", "kafka.test", "15", "https://joe:p%40ss%3Aw%2Frd%22%5C&%3F@kafka.test:15"},
		"with TLS, where it has both":  {cleartext, selector{Route: "dynamic"}, "", "valkey.test", "21", "rediss://joe:p%40ss%3Aw%2Frd%22%5C&%3F@valkey.test:21"},
		"without TLS, if there is one": {onlyPlain, selector{Route: "dynamic"}, "", "valkey.test", "22", "redis://joe:p%40ss%3Aw%2Frd%22%5C&%3F@valkey.test:22"},
	} {
		t.Run(name, func(t *testing.T) {
			values, err := connectionsecret.ValuesOf(tc.source, &aero.SecretContents{Endpoint: &tc.selector, FallbackRoute: tc.fallback}, "")
			require.NoError(t, err)
			assert.Equal(t, connection.Address{Host: tc.host, Port: tc.port}, values.Address)
			assert.Equal(t, tc.uri, values.URI)
		})
	}
}

func TestAnEndpointThatIsNotThereIsAnErrorWithThoseThereAre(t *testing.T) {
	for name, tc := range map[string]struct {
		source   connectionsecret.Source
		selector selector
		fallback aero.Route
		says     string
	}{
		"no such route": {postgres(), selector{Route: "private"}, "", "the component pg of the service has no endpoint on the route private; " +
			"there are: dynamic, privatelink/plc1, privatelink/plc2, public. Enable the route in userConfig of the service, or change spec.endpoint"},
		"nor the fallback":     {kafka(), selector{Route: "private", KafkaAuthentication: "sasl"}, "privatelink", "has no endpoint on the route private; there are: dynamic, public."},
		"several PrivateLinks": {postgres(), selector{Route: "privatelink"}, "", "Set spec.endpoint.privatelinkConnectionID to one of: plc1, plc2"},
		"no such PrivateLink":  {postgres(), selector{Route: "privatelink", PrivatelinkConnectionID: "plc9"}, "", "has no endpoint on the route privatelink/plc9; there are: dynamic, privatelink/plc1"},
		"no such component":    {kafka(), selector{Component: "kafka_rest"}, "", "the component kafka_rest of the service has no such endpoint; there are: kafka (certificate), kafka (sasl), schema_registry. Change spec.endpoint"},
		"no such usage":        {postgres(), selector{Usage: "ha_replica"}, "", "has no such endpoint; there are: pg, pg (replica), pgbouncer."},
		"no endpoints at all":  {source("pg", connection.Info{}), selector{Route: "public"}, "", "there are: none."},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := connectionsecret.ValuesOf(tc.source, &aero.SecretContents{Endpoint: &tc.selector, FallbackRoute: tc.fallback}, "")
			var missing *connectionsecret.RouteError
			require.ErrorAs(t, err, &missing)
			assert.ErrorContains(t, err, tc.says)
			assert.NotEmpty(t, missing.Route)
		})
	}
}

func TestASelectorThatNoServiceCanServeIsAnInvalidSpec(t *testing.T) {
	for name, tc := range map[string]struct {
		source   connectionsecret.Source
		selector *selector
		database string
		says     string
	}{
		"an endpoint of a project":          {sources()["project"], &selector{Route: "public"}, "", "spec.endpoint"},
		"an authentication of no broker":    {kafka(), &selector{Component: "schema_registry", KafkaAuthentication: "sasl"}, "", "only the component kafka has it, and not schema_registry"},
		"an authentication of another type": {postgres(), &selector{KafkaAuthentication: "sasl"}, "", "spec.endpoint.kafkaAuthentication"},
		"a database of Kafka":               {kafka(), nil, "orders", "only PostgreSQL, MySQL and ClickHouse have databases"},
		"a database of a connection pool":   {sources()["pg-pool"], nil, "orders", "a connection pool leads to one database"},
		"a database of a project":           {sources()["project"], nil, "orders", "only PostgreSQL, MySQL and ClickHouse have databases"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := connectionsecret.ValuesOf(tc.source, &aero.SecretContents{Endpoint: tc.selector}, tc.database)
			require.ErrorContains(t, err, tc.says)
			assert.True(t, fault.Is(err, fault.Invalid))
		})
	}
}

func TestADatabaseIsPartOfTheURI(t *testing.T) {
	for name, want := range map[string]string{
		"pg":         "postgres://joe:p%40ss@pg.test:21/a%2Fb?sslmode=require",
		"pg-user":    "postgres://joe:p%40ss%3Aw%2Frd%22%5C&%3F@pg.test:21/a%2Fb?sslmode=require",
		"mysql":      "mysql://joe:p%40ss@mysql.test:21/a%2Fb?ssl-mode=REQUIRED",
		"mysql-user": "mysql://joe:p%40ss%3Aw%2Frd%22%5C&%3F@mysql.test:21/a%2Fb?ssl-mode=REQUIRED",
		"clickhouse": "clickhouse://joe:p%40ss%3Aw%2Frd%22%5C&%3F@click.test:21/a%2Fb?secure=true",
	} {
		t.Run(name, func(t *testing.T) {
			values, err := connectionsecret.ValuesOf(sources()[name], &aero.SecretContents{}, "a/b")
			require.NoError(t, err)
			assert.Equal(t, "a/b", values.Database)
			assert.Equal(t, want, values.URI)
		})
	}
}

// The name of a pool is a database to PgBouncer only.
func TestAPoolIsADatabaseOfPgBouncerOnly(t *testing.T) {
	pool := sources()["pg-pool"]
	pool.Endpoints = append(pool.Endpoints, at("pgbouncer", "public-pg.test", 24, on(service.RouteTypePublic)))
	unlisted := sources()["pg-pool"]
	unlisted.Endpoints = nil
	for name, tc := range map[string]struct {
		source                   connectionsecret.Source
		selector                 selector
		component, database, uri string
	}{
		"its own endpoint":  {pool, selector{}, "pgbouncer", "orders-pool", "postgres://joe:p%40ss@pg.test:23/orders-pool?sslmode=require"},
		"on another route":  {pool, selector{Route: "public"}, "pgbouncer", "orders-pool", "postgres://joe:p%40ss@public-pg.test:24/orders-pool?sslmode=require"},
		"past PgBouncer":    {pool, selector{Component: "pg"}, "pg", "orders", "postgres://joe:p%40ss%3Aw%2Frd%22%5C&%3F@pg.test:21/orders?sslmode=require"},
		"of a replica":      {pool, selector{Component: "pg", Usage: "replica"}, "pg", "orders", "postgres://joe:p%40ss%3Aw%2Frd%22%5C&%3F@replica.test:22/orders?sslmode=require"},
		"that isn't listed": {unlisted, selector{}, "pgbouncer", "orders-pool", "postgres://joe:p%40ss@pg.test:23/orders-pool?sslmode=require"},
	} {
		t.Run(name, func(t *testing.T) {
			values, err := connectionsecret.ValuesOf(tc.source, &aero.SecretContents{Endpoint: &tc.selector}, "")
			require.NoError(t, err)
			assert.Equal(t, tc.component, values.Component)
			assert.Equal(t, tc.database, values.Database)
			assert.Equal(t, tc.uri, values.URI)
		})
	}
}

func TestTheCAIsThereOnlyIfTheEndpointUsesIt(t *testing.T) {
	for name, tc := range map[string]struct {
		source   connectionsecret.Source
		selector selector
		want     string
	}{
		"PostgreSQL":                      {postgres(), selector{}, caCert},
		"MySQL":                           {sources()["mysql"], selector{}, caCert},
		"Kafka":                           {kafka(), selector{}, caCert},
		"Kafka with a public certificate": {kafka(), selector{KafkaAuthentication: "sasl", Route: "public"}, ""},
		"Valkey":                          {sources()["valkey-user"], selector{}, ""},
		"OpenSearch":                      {sources()["opensearch-user"], selector{}, ""},
		"a project":                       {sources()["project"], selector{}, caCert},
	} {
		t.Run(name, func(t *testing.T) {
			values, err := connectionsecret.ValuesOf(tc.source, &aero.SecretContents{Endpoint: &tc.selector}, "")
			require.NoError(t, err)
			assert.Equal(t, tc.want, values.CACert)
		})
	}
}

func TestTheRegistryIsOnTheRouteOfTheBrokers(t *testing.T) {
	for route, want := range map[aero.Route]string{"dynamic": "kafka.test", "public": "public-kafka.test"} {
		values, err := connectionsecret.ValuesOf(kafka(), &aero.SecretContents{Endpoint: &selector{Route: route, KafkaAuthentication: "sasl"}}, "")
		require.NoError(t, err)
		assert.Equal(t, want, values.SchemaRegistry.Host)
	}
	linked := kafka()
	linked.Endpoints = append(linked.Endpoints, at("kafka", "plc1.test", 1, auth(bySASL), through("plc1")),
		at("schema_registry", "r1.test", 2, through("plc1")), at("schema_registry", "r2.test", 2, through("plc2")))
	values, err := connectionsecret.ValuesOf(linked, &aero.SecretContents{Endpoint: &selector{Route: "privatelink", KafkaAuthentication: "sasl"}}, "")
	require.NoError(t, err)
	assert.Equal(t, "r1.test", values.SchemaRegistry.Host)
	zoned := kafka()
	zoned.Endpoints = append(zoned.Endpoints, at("schema_registry", "a.kafka.test", 3, zone), at("schema_registry", "other.test", 4, usage("disaster_recovery")))
	values, err = connectionsecret.ValuesOf(zoned, &aero.SecretContents{}, "")
	require.NoError(t, err)
	assert.Equal(t, "kafka.test", values.SchemaRegistry.Host, "neither that of one zone, nor that of other nodes")
}

func TestAnUnreadableURIIsntPartOfAnError(t *testing.T) {
	broken := postgres()
	broken.URI = "postgres://joe:%zz@pg.test/"
	values, err := connectionsecret.ValuesOf(broken, &aero.SecretContents{}, "orders")
	require.NoError(t, err)
	assert.Empty(t, values.URI)
	pool := sources()["pg-pool"]
	pool.URI = broken.URI
	values, err = connectionsecret.ValuesOf(pool, &aero.SecretContents{}, "")
	require.NoError(t, err)
	assert.Empty(t, values.Database)
}

func render(t *testing.T, source connectionsecret.Source, spec *aero.SecretContents) (map[string][]byte, error) {
	t.Helper()
	values, err := connectionsecret.ValuesOf(source, spec, spec.Database)
	require.NoError(t, err)
	return connectionsecret.Render(spec, values)
}

func TestTemplatesWinOverPresets(t *testing.T) {
	data, err := render(t, postgres(), &aero.SecretContents{
		Presets: []aero.Preset{aero.PresetServiceBinding, aero.PresetLibpq}, Database: "orders",
		Data: map[string]aero.Template{
			"uri":   `{{ .URI }}&application_name=orders`,
			"hosts": `{{ range $i, $e := .Endpoints }}{{ if eq $e.Component "pg" }}{{ if $i }},{{ end }}{{ $e.Host }}:{{ $e.Port }}{{ end }}{{ end }}`,
		},
	})
	require.NoError(t, err)
	assert.Equal(t, "postgres://joe:p%40ss@pg.test:21/orders?sslmode=require&application_name=orders", string(data["uri"]))
	assert.Equal(t, "pg.test:21,replica.test:22,public-pg.test:21,plc1.test:31,plc2.test:32", string(data["hosts"]))
	assert.Equal(t, "orders", string(data["PGDATABASE"]))
	assert.Equal(t, "postgresql", string(data["type"]))
}

func TestATemplateThatCanNotBeUsedNamesItsKeyAndNoValue(t *testing.T) {
	_, err := render(t, postgres(), &aero.SecretContents{Data: map[string]aero.Template{
		"A": "x", "DATABASE_URL": "a\n{{ .Pasword }}", "Z": "{{ .Nope }}",
	}})
	var template *connectionsecret.TemplateError
	require.ErrorAs(t, err, &template)
	assert.Equal(t, "DATABASE_URL", template.Key)
	assert.Equal(t, "spec.data[DATABASE_URL]: line 2:3: at <.Pasword>: there is no .Pasword. Those that begin alike: .Password, .Port", err.Error())
	_, err = render(t, postgres(), &aero.SecretContents{Data: map[string]aero.Template{"A": "{{ b64dec .Password }}"}})
	require.ErrorContains(t, err, "spec.data[A]: line 1:3: at <b64dec>")
	assert.NotContains(t, err.Error(), password)
}

// 64 templates of half a mebibyte each would take the memory of the operator before the limit of Kubernetes counts.
func TestRenderingEndsAtTheLimitOfKubernetes(t *testing.T) {
	half := `{{ $a := "` + strings.Repeat("x", 8192) + `" }}` + strings.Repeat("{{ $a }}", 64)
	spec := &aero.SecretContents{Data: map[string]aero.Template{"A": aero.Template(half), "B": aero.Template(half)}}
	data, err := render(t, postgres(), spec)
	require.NoError(t, err)
	require.NoError(t, connectionsecret.CheckSize(data))
	spec.Data["C"] = "x"
	spec.Data["D"] = "{{ .Nope }}"
	data, err = render(t, postgres(), spec)
	require.EqualError(t, err, "spec.data: the values have more than 1048576 bytes together, which Kubernetes doesn't allow in a Secret. Remove some, or have them in another object")
	assert.True(t, fault.Is(err, fault.Invalid))
	assert.Empty(t, data)
}

func TestAPresetThatTheServiceCannotServeLeavesNothing(t *testing.T) {
	data, err := render(t, kafka(), &aero.SecretContents{Presets: []aero.Preset{aero.PresetKafkaEnv, aero.PresetLibpq}})
	require.ErrorContains(t, err, "the preset Libpq is for services of the type pg, and the source is of the type kafka. It can have: KafkaEnv, KafkaProperties, ServiceBinding")
	assert.Empty(t, data)
}

func TestTheTypeOfTheSecretFollowsServiceBinding(t *testing.T) {
	binding := []aero.Preset{aero.PresetServiceBinding}
	for name, tc := range map[string]struct {
		spec aero.SecretContents
		want corev1.SecretType
	}{
		"without the preset": {aero.SecretContents{}, ""},
		"with the preset":    {aero.SecretContents{Presets: binding}, "servicebinding.io/postgresql"},
		"with its own type":  {aero.SecretContents{Presets: binding, Target: aero.SecretTarget{Type: "example.com/db"}}, "example.com/db"},
	} {
		t.Run(name, func(t *testing.T) {
			values, err := connectionsecret.ValuesOf(postgres(), &tc.spec, "")
			require.NoError(t, err)
			assert.Equal(t, tc.want, connectionsecret.TypeOf(&tc.spec, values))
		})
	}
}

func TestAnEndpointOfOneZoneIsNotChosen(t *testing.T) {
	zoned := source("kafka", connection.Info{Address: connection.Address{Host: "none.test"}}, at("kafka", "a.test", 1, auth(byCertificate), zone),
		at("kafka", "kafka.test", 2, auth(byCertificate), func(c *service.ComponentOut) {}))
	values, err := connectionsecret.ValuesOf(zoned, &aero.SecretContents{Endpoint: &selector{Route: "dynamic"}}, "")
	require.NoError(t, err)
	assert.Equal(t, "kafka.test", values.Address.Host)
}
