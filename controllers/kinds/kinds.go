// Package kinds lists every kind that the operator serves.
package kinds

import (
	"reflect"
	"strings"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/kinds/account"
	"github.com/aero-operator/aero/controllers/kinds/clickhouse"
	"github.com/aero-operator/aero/controllers/kinds/flink"
	"github.com/aero-operator/aero/controllers/kinds/grafana"
	"github.com/aero-operator/aero/controllers/kinds/integration"
	"github.com/aero-operator/aero/controllers/kinds/kafka"
	"github.com/aero-operator/aero/controllers/kinds/kafkaconnect"
	"github.com/aero-operator/aero/controllers/kinds/mysql"
	"github.com/aero-operator/aero/controllers/kinds/opensearch"
	"github.com/aero-operator/aero/controllers/kinds/postgres"
	"github.com/aero-operator/aero/controllers/kinds/shared"
	"github.com/aero-operator/aero/controllers/kinds/valkey"
)

// All returns the kinds, sorted by name.
func All() []controllers.Registration {
	return []controllers.Registration{
		clickhouse.Service,
		clickhouse.Database,
		clickhouse.Grant,
		clickhouse.Role,
		clickhouse.User,
		postgres.Pool,
		shared.Database,
		flink.Service,
		grafana.Service,
		kafka.Service,
		kafka.ACL,
		kafkaconnect.Service,
		kafkaconnect.Connector,
		kafka.NativeACL,
		kafka.Quota,
		kafka.Schema,
		kafka.SchemaRegistryACL,
		kafka.Topic,
		mysql.Service,
		opensearch.Service,
		opensearch.ACLConfig,
		account.OrganizationProject,
		postgres.Service,
		account.Project,
		account.VPC,
		integration.Integration,
		integration.Endpoint,
		shared.User,
		account.UpgradePipelineStep,
		valkey.Service,
	}
}

// Names are the names of the kinds in flags and logs: those of their Go types, in lower case, sorted.
func Names() []string {
	all := All()
	names := make([]string, 0, len(all))
	for _, kind := range all {
		names = append(names, strings.ToLower(reflect.TypeOf(kind.GetObject()).Elem().Name()))
	}
	return names
}
