package localaiven_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

func TestACallThatOnlyReadsChangesNothing(t *testing.T) {
	query := clickHousePath + "/query"
	for name, c := range map[string]struct {
		method, path, body string
		changes            bool
	}{
		"a GET":                            {"GET", "/v1/project", "", false},
		"a POST":                           {"POST", "/v1/project", "{}", true},
		"a list of topics":                 {"POST", "/v2/project/demo/service/my-kafka/topic", "{}", false},
		"a SELECT":                         {"POST", query, `{"database":"system","query":"SELECT name FROM system.roles"}`, false},
		"a SHOW":                           {"POST", query, `{"database":"system","query":"SHOW CREATE ROLE x"}`, false},
		"a statement":                      {"POST", query, `{"database":"system","query":"CREATE ROLE x"}`, true},
		"a statement that looks like both": {"POST", query, `{"database":"system","query":"SELECT 1; DROP ROLE x"}`, true},
		"SQL that can't be read":           {"POST", query, `{"database":"system","query":"SELECTED"}`, true},
		"a body that can't be read":        {"POST", query, `SELECT`, true},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.changes, localaiven.Changes(c.method, c.path, []byte(c.body)))
		})
	}
}

func TestAFaultCanBeOfChangesOnly(t *testing.T) {
	h := runningClickHouse(t, localaiven.Options{})
	h.AddFault(localaiven.Fault{
		Match: localaiven.Match{Operation: "ServiceClickHouseQuery", Changes: true}, Effect: localaiven.Effect{Status: 500},
	})
	_, err := h.query("SELECT name FROM system.roles")
	require.NoError(t, err)
	_, err = h.query("CREATE ROLE x")
	require.Error(t, err)
}
