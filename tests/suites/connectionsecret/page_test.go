package connectionsecret_test

import (
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/kinds"
)

var loginsOf = map[string][]login{
	"PostgreSQL": slices.Concat(slices.Collect(maps.Values(postgresqlLogins))...),
	"MySQL":      mysqlLogins,
	"Valkey":     valkeyLogins,
	"Clickhouse": clickhouseLogins,
	"Kafka":      slices.Concat(kafkaLogins, kafkaPasswordLogins, kafkaBindingLogins, kafkaBindingPasswordLogins),
}

// The page has a row for each service that publishes a Secret: the clients that these tests start and, where there are none, why.
func TestThePageHasTheClientsThatLogIn(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/user/connection-secrets.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(page), "\n| service | clients | not tested |\n|---|---|---|\n")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	var documented []string
	for row := range strings.Lines(table) {
		cells := strings.Split(strings.TrimSpace(row), " | ")
		require.Len(t, cells, 3, row)
		kind := strings.Trim(cells[0], "|` ")
		documented = append(documented, kind)
		clients := map[string]bool{}
		for _, l := range loginsOf[kind] {
			client, _, _ := strings.Cut(l.name, ",")
			clients[client] = true
		}
		want := strings.Join(slices.Sorted(maps.Keys(clients)), ", ")
		if want == "" {
			want = "none"
			assert.NotEmpty(t, strings.Trim(cells[2], "| "), "%s needs a reason", kind)
		}
		assert.Equal(t, want, cells[1], kind)
	}
	var services []string
	for _, kind := range kinds.All() {
		if _, publishes := kind.GetObject().(interface {
			GetSecretFields() *v1alpha1.SecretFields
			GetServiceStatus() *v1alpha1.ServiceStatus
		}); publishes {
			services = append(services, reflect.TypeOf(kind.GetObject()).Elem().Name())
		}
	}
	assert.ElementsMatch(t, services, documented)
}
