package isolation_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// ofAnother is a visit to others that have one of each that the rows below write to.
func ofAnother() *visit {
	grant := &v1alpha1.ClickhouseGrant{}
	grant.Name, grant.Spec.Project, grant.Spec.ServiceName = "my-grant", bank, "my-clickhouse"
	to := []v1alpha1.ClickhouseGrantee{{User: "my-user"}}
	grant.Spec.PrivilegeGrants = []v1alpha1.ClickhousePrivilegeGrant{{Grantees: to, Privileges: []string{"SELECT"}, Database: "my-database"}}
	grant.Spec.RoleGrants = []v1alpha1.ClickhouseRoleGrant{{Grantees: to, Roles: []string{"my-role"}}}
	return &visit{
		world: &world{victims: []testenv.Object{grant}},
		before: map[string]int{
			"project " + bank: 1, "service " + bank + "/my-pg": 1, "database " + bank + "/my-pg/orders": 1,
			"kafka_quota " + bank + "/my-kafka/user=orders-app,client-id=": 1, "kafka_quota " + bank + "/my-kafka/user=orders-app,client-id=web": 1,
			"clickhouse_role " + bank + "/my-clickhouse/my-role": 1,
		},
		withID: map[string]string{
			"vpc-1": "project_vpc " + bank + "/aws/10.0.0.0/24", "endpoint-1": "service_integration_endpoint " + bank + "/datadog/dd",
			"step-1": "upgrade_pipeline_step " + legacy + "/a", "integration-1": "service_integration " + bank + "/logs/a/b",
		},
	}
}

func TestAWriteToWhatAnotherHasIsSeen(t *testing.T) {
	v := ofAnother()
	for name, tc := range map[string]struct{ method, path, want string }{
		"its VPC":                      {"DELETE", "/v1/project/" + bank + "/vpcs/vpc-1", v.withID["vpc-1"]},
		"its endpoint":                 {"PUT", "/v1/project/" + bank + "/integration_endpoint/endpoint-1", v.withID["endpoint-1"]},
		"its integration":              {"DELETE", "/v1/project/" + bank + "/integration/integration-1", v.withID["integration-1"]},
		"its project":                  {"PUT", "/v1/project/" + bank, "project " + bank},
		"its service":                  {"PUT", "/v1/project/" + bank + "/service/my-pg", "service " + bank + "/my-pg"},
		"its database":                 {"DELETE", "/v1/project/" + bank + "/service/my-pg/db/orders", "database " + bank + "/my-pg/orders"},
		"a read":                       {"GET", "/v1/project/" + bank + "/vpcs/vpc-1", ""},
		"a VPC of its own":             {"DELETE", "/v1/project/" + bank + "/vpcs/vpc-2", ""},
		"one more VPC":                 {"POST", "/v1/project/" + bank + "/vpcs", ""},
		"what is nothing but its spec": {"DELETE", "/v1/upgrade-pipeline/steps/step-1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, v.writesTo(call{method: tc.method, path: tc.path}))
		})
	}
}

func TestAWriteToAQuotaOfAnotherIsSeen(t *testing.T) {
	v, quota := ofAnother(), "kafka_quota "+bank+"/my-kafka/user=orders-app,client-id="
	for name, tc := range map[string]struct{ method, query, body, want string }{
		"its deletion":                {"DELETE", "user=orders-app", "", quota},
		"that of its client":          {"DELETE", "client-id=web&user=orders-app", "", quota + "web"},
		"other limits":                {"POST", "", `{"user": "orders-app", "request_percentage": 1}`, quota},
		"other limits of its client":  {"POST", "", `{"user": "orders-app", "client-id": "web", "request_percentage": 1}`, quota + "web"},
		"that of a client of its own": {"DELETE", "client-id=job&user=orders-app", "", ""},
		"one of its own":              {"POST", "", `{"user": "my-user", "request_percentage": 1}`, ""},
		"a read":                      {"GET", "user=orders-app", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, v.writesTo(call{method: tc.method, path: "/v1/project/" + bank + "/service/my-kafka/quota", query: tc.query, body: tc.body}))
		})
	}
}

func TestAStatementAboutWhatAnotherHasIsSeen(t *testing.T) {
	role, grant := "clickhouse_role "+bank+"/my-clickhouse/my-role", "clickhouse_grant "+bank+"/my-clickhouse/my-grant"
	for name, tc := range map[string]struct{ query, want string }{
		"its role goes":             {"DROP ROLE IF EXISTS `my-role`", role},
		"its privilege goes":        {"REVOKE SELECT ON `my-database`.* FROM `my-user`", grant},
		"it goes with others":       {"REVOKE SELECT ON `my-database`.* FROM `another`, `my-user`", grant},
		"its user hands it on":      {"GRANT SELECT ON `my-database`.* TO `my-user` WITH GRANT OPTION", grant},
		"its privilege is repeated": {"GRANT SELECT ON `my-database`.* TO `my-user`", ""},
		"its user loses the role":   {"REVOKE `my-role` FROM `my-user`", grant},
		"a role of its own":         {"DROP ROLE IF EXISTS `another`", ""},
		"another user":              {"REVOKE SELECT ON `my-database`.* FROM `another`", ""},
		"another database":          {"REVOKE SELECT ON `another`.* FROM `my-user`", ""},
		"a read of what it grants":  {"SELECT * FROM system.grants", ""},
	} {
		t.Run(name, func(t *testing.T) {
			body, err := json.Marshal(map[string]string{"database": "system", "query": tc.query})
			require.NoError(t, err)
			path := "/v1/project/" + bank + "/service/my-clickhouse/clickhouse/query"
			assert.Equal(t, tc.want, ofAnother().writesTo(call{method: "POST", path: path, body: string(body)}))
			path = "/v1/project/team/service/my-clickhouse/clickhouse/query"
			assert.Empty(t, ofAnother().writesTo(call{method: "POST", path: path, body: string(body)}), "the service is the tenant's")
		})
	}
}
