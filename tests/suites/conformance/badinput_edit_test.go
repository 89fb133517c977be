package conformance_test

import (
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	mysqluserconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/mysql"
	pguserconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/pg"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// grantable has the service, the database and the user of a grant.
func grantable(e *testenv.Env) {
	makeService(e, inClickhouse)
	makeGrantee(e)
}

func privileges(names ...string) func(*testenv.Env, testenv.Object) {
	return func(_ *testenv.Env, obj testenv.Object) {
		obj.(*v1alpha1.ClickhouseGrant).Spec.PrivilegeGrants[0].Privileges = names
	}
}

// roleGrants makes the object grant roles: each pair is a role and whom it is granted to.
func roleGrants(pairs ...[2]string) func(*testenv.Env, testenv.Object) {
	return func(e *testenv.Env, obj testenv.Object) {
		spec := &obj.(*v1alpha1.ClickhouseGrant).Spec
		spec.PrivilegeGrants, spec.RoleGrants = nil, nil
		for _, pair := range pairs {
			for _, role := range pair {
				require.NoError(e.T, clickhouseQuery(e, "CREATE ROLE IF NOT EXISTS "+role))
			}
			spec.RoleGrants = append(spec.RoleGrants, v1alpha1.ClickhouseRoleGrant{
				Roles: []string{pair[0]}, Grantees: []v1alpha1.ClickhouseGrantee{{Role: pair[1]}},
			})
		}
	}
}

// firstRoleOnly leaves the first of its grants of roles.
func firstRoleOnly(obj testenv.Object) {
	spec := &obj.(*v1alpha1.ClickhouseGrant).Spec
	spec.RoleGrants = spec.RoleGrants[:1]
}

func selectOnly(obj testenv.Object) { privileges("SELECT")(nil, obj) }

// replicaOf makes the object a replica of a service.
func replicaOf(name string) func(*testenv.Env, testenv.Object) {
	return func(_ *testenv.Env, obj testenv.Object) {
		obj.(serviceObject).GetBaseServiceFields().ServiceIntegrations = []*v1alpha1.ServiceIntegrationItem{
			{IntegrationType: "read_replica", SourceServiceName: name},
		}
	}
}

// forkOf sets the options of a new service.
func forkOf(options pguserconfig.PgUserConfig) func(*testenv.Env, testenv.Object) {
	return func(_ *testenv.Env, obj testenv.Object) { obj.(*v1alpha1.PostgreSQL).Spec.UserConfig = &options }
}

func forkOfNone(obj testenv.Object) { obj.(*v1alpha1.PostgreSQL).Spec.UserConfig = nil }

var invalidInputs = map[string]invalidInput{
	"a privilege that ClickHouse doesn't have": {
		example: "clickhousegrant", prepare: grantable, spoil: privileges("TELEPATHY"),
		shows: "spec.privilegeGrants[0].privileges", mend: selectOnly,
	},
	"a role that is granted to itself": {
		example: "clickhousegrant", prepare: grantable, spoil: roleGrants([2]string{"low", "high"}, [2]string{"low", "low"}),
		shows: "spec.roleGrants[1].roles[0]: role low can't be granted to itself. Remove it from roles or from grantees",
		mend:  firstRoleOnly,
	},
	"roles that an object grants to each other": {
		example: "clickhousegrant", prepare: grantable, spoil: roleGrants([2]string{"low", "high"}, [2]string{"high", "low"}),
		shows: "spec.roleGrants[0]: role low can't be granted to role high, which is granted to low. Remove one of the grants",
		mend:  firstRoleOnly,
	},
	"a template that doesn't parse": {
		example: "kafkaconnector", prepare: func(e *testenv.Env) { makeService(e, inKafka); enableConnect(e) },
		spoil: func(_ *testenv.Env, obj testenv.Object) {
			obj.(*v1alpha1.KafkaConnector).Spec.UserConfig["http.url"] = `{{ fromSecret "orders-api" `
		},
		shows: "spec.userConfig.http.url: isn't a template that can be used",
		mend: func(obj testenv.Object) {
			obj.(*v1alpha1.KafkaConnector).Spec.UserConfig["http.url"] = "https://orders.example.com"
		},
	},
	"a fork of itself": {
		example: "postgresql", spoil: forkOf(pguserconfig.PgUserConfig{ServiceToForkFrom: new(serviceName)}),
		shows: "spec.userConfig.service_to_fork_from: a service can't be a fork of itself. Remove the field", mend: forkOfNone,
	},
	"a fork of itself, by the deprecated option": {
		example: "postgresql", spoil: forkOf(pguserconfig.PgUserConfig{PgServiceToForkFrom: new(serviceName)}),
		shows: "spec.userConfig.pg_service_to_fork_from: a service can't be a fork of itself. Remove the field", mend: forkOfNone,
	},
	"a fork of itself, MySQL": {
		example: "mysql",
		spoil: func(_ *testenv.Env, obj testenv.Object) {
			obj.(*v1alpha1.MySQL).Spec.UserConfig = &mysqluserconfig.MysqlUserConfig{ServiceToForkFrom: new("my-mysql")}
		},
		shows: "spec.userConfig.service_to_fork_from: a service can't be a fork of itself. Remove the field",
		mend:  func(obj testenv.Object) { obj.(*v1alpha1.MySQL).Spec.UserConfig = nil },
	},
}
