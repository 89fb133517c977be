package charts_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/tests/harness/testenv"
)

// changes are two edits of an example, as merge patches, of which each takes an update at Aiven.
var changes = map[string][]string{
	"clickhouse":                 {},
	"clickhousedatabase":         {},
	"clickhousegrant":            {`{"spec": {"roleGrants": [{"grantees": [{"user": "my-user"}], "roles": ["my-role"]}]}}`, `{"spec": {"roleGrants": null}}`},
	"clickhouserole":             {},
	"clickhouseuser":             {},
	"connectionpool":             {`{"spec": {"poolSize": 21}}`, `{"spec": {"poolSize": 22}}`},
	"flink":                      {},
	"grafana":                    {},
	"kafka":                      {`{"spec": {"maintenanceWindowTime": "04:30:00"}}`, `{"spec": {"maintenanceWindowTime": "05:30:00"}}`},
	"kafkaacl":                   {`{"spec": {"permission": "read"}}`, `{"spec": {"permission": "write"}}`},
	"kafkaconnect":               {},
	"kafkaconnector":             {},
	"kafkanativeacl":             {},
	"kafkaquota":                 {},
	"kafkaschema":                {},
	"kafkaschemaregistryacl":     {},
	"kafkatopic":                 {`{"spec": {"config": {"retention_ms": 86400000}}}`, `{"spec": {"config": {"retention_ms": 43200000}}}`},
	"mysql":                      {},
	"opensearch":                 {},
	"opensearchaclconfig":        {`{"spec": {"enabled": false}}`, `{"spec": {"enabled": true}}`},
	"organizationproject":        {},
	"postgresql":                 {`{"spec": {"maintenanceWindowTime": "04:30:00"}}`, `{"spec": {"maintenanceWindowTime": "05:30:00"}}`},
	"project":                    {},
	"serviceintegration":         {},
	"serviceintegrationendpoint": {},
	"upgradepipelinestep":        {},
	"valkey":                     {},
}

// unchanged are the examples without edits, with the reason. Their reconciliation is requested instead.
var unchanged = map[string]string{
	"database":    "Aiven has nothing about a database that can be changed",
	"projectvpc":  "all fields of its spec are immutable",
	"serviceuser": "an update takes a Secret with a password",
}

const reconcileNow = `{"metadata": {"annotations": {"controllers.aiven.io/reconcile-requested-at": "now"}}}`

func TestEveryKindIsChangedTwiceOrHasAReasonNotToBe(t *testing.T) {
	for _, kind := range testenv.KindNames() {
		example := strings.ToLower(kind)
		changed, reason := len(changes[example]) == 2, unchanged[example] != ""
		assert.True(t, changed != reason, "add two edits of %[1]s to changes, or the reason why %[1]s has none to unchanged", example)
	}
}
