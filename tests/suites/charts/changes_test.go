package charts_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/tests/harness/testenv"
)

// changes are two edits of an example, as merge patches, of which each takes an update at Aiven.
var changes = map[string][]string{
	"clickhouse":                 {`{"spec": {"maintenanceWindowTime": "04:30:00"}}`, `{"spec": {"maintenanceWindowTime": "05:30:00"}}`},
	"clickhousegrant":            {`{"spec": {"roleGrants": [{"grantees": [{"user": "my-user"}], "roles": ["my-role"]}]}}`, `{"spec": {"roleGrants": null}}`},
	"connectionpool":             {`{"spec": {"poolSize": 21}}`, `{"spec": {"poolSize": 22}}`},
	"flink":                      {`{"spec": {"maintenanceWindowTime": "04:30:00"}}`, `{"spec": {"maintenanceWindowTime": "05:30:00"}}`},
	"grafana":                    {`{"spec": {"maintenanceWindowTime": "04:30:00"}}`, `{"spec": {"maintenanceWindowTime": "05:30:00"}}`},
	"kafka":                      {`{"spec": {"maintenanceWindowTime": "04:30:00"}}`, `{"spec": {"maintenanceWindowTime": "05:30:00"}}`},
	"kafkaacl":                   {`{"spec": {"permission": "read"}}`, `{"spec": {"permission": "write"}}`},
	"kafkaconnect":               {`{"spec": {"maintenanceWindowTime": "04:30:00"}}`, `{"spec": {"maintenanceWindowTime": "05:30:00"}}`},
	"kafkaconnector":             {`{"spec": {"userConfig": {"tasks.max": "3"}}}`, `{"spec": {"userConfig": {"tasks.max": "4"}}}`},
	"kafkaquota":                 {`{"spec": {"consumerByteRate": 2000000}}`, `{"spec": {"consumerByteRate": 3000000}}`},
	"kafkaschema":                {`{"spec": {"compatibilityLevel": "NONE"}}`, `{"spec": {"compatibilityLevel": "FULL"}}`},
	"kafkatopic":                 {`{"spec": {"config": {"retention_ms": 86400000}}}`, `{"spec": {"config": {"retention_ms": 43200000}}}`},
	"mysql":                      {`{"spec": {"maintenanceWindowTime": "04:30:00"}}`, `{"spec": {"maintenanceWindowTime": "05:30:00"}}`},
	"opensearch":                 {`{"spec": {"maintenanceWindowTime": "04:30:00"}}`, `{"spec": {"maintenanceWindowTime": "05:30:00"}}`},
	"organizationproject":        {`{"spec": {"basePort": 20000}}`, `{"spec": {"basePort": 21000}}`},
	"opensearchaclconfig":        {`{"spec": {"enabled": false}}`, `{"spec": {"enabled": true}}`},
	"postgresql":                 {`{"spec": {"maintenanceWindowTime": "04:30:00"}}`, `{"spec": {"maintenanceWindowTime": "05:30:00"}}`},
	"project":                    {`{"spec": {"tags": {"env": "test"}}}`, `{"spec": {"tags": {"env": "dev"}}}`},
	"upgradepipelinestep":        {`{"spec": {"autoValidationDelayDays": 3}}`, `{"spec": {"autoValidationDelayDays": 4}}`},
	"valkey":                     {`{"spec": {"maintenanceWindowTime": "04:30:00"}}`, `{"spec": {"maintenanceWindowTime": "05:30:00"}}`},
	"serviceintegration":         {`{"spec": {"kafkaLogs": {"kafka_topic": "logs-2"}}}`, `{"spec": {"kafkaLogs": {"kafka_topic": "logs-3"}}}`},
	"serviceintegrationendpoint": {`{"spec": {"externalPostgresql": {"port": 5433}}}`, `{"spec": {"externalPostgresql": {"port": 5434}}}`},
}

// unchanged are the examples without edits, with the reason. Their reconciliation is requested instead.
var unchanged = map[string]string{
	"clickhousedatabase":     "Aiven has nothing about a database that can be changed",
	"clickhouserole":         "a role is nothing but its name",
	"clickhouseuser":         "an update takes a Secret with a password",
	"database":               "Aiven has nothing about a database that can be changed",
	"kafkanativeacl":         "its spec is immutable",
	"kafkaschemaregistryacl": "all fields of its spec are immutable",
	"projectvpc":             "all fields of its spec are immutable",
	"serviceuser":            "an update takes a Secret with a password",
}

const reconcileNow = `{"metadata": {"annotations": {"controllers.aiven.io/reconcile-requested-at": "now"}}}`

func TestEveryKindIsChangedTwiceOrHasAReasonNotToBe(t *testing.T) {
	for _, kind := range testenv.KindNames() {
		example := strings.ToLower(kind)
		changed, reason := len(changes[example]) == 2, unchanged[example] != ""
		assert.True(t, changed != reason, "add two edits of %[1]s to changes, or the reason why %[1]s has none to unchanged", example)
	}
}
