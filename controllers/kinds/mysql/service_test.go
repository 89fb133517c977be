package mysql

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	mysqluserconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/mysql"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/referencetest"
)

const (
	lookup = "GET service/my-mysql"
	ca     = "GET kms/ca"
)

// running is the answer to a read of a MySQL service, with some fields changed.
func running(changes aiventest.Object) aiventest.Answer {
	fields := aiventest.Object{
		"service_name": "my-mysql", "service_type": "mysql", "user_config": aiventest.Object{"mysql_version": "8.4"},
		"service_uri": "mysql://avnadmin:pass-word@mysql.test:1234/defaultdb?ssl-mode=REQUIRED",
		"service_uri_params": aiventest.Object{
			"host": "mysql.test", "port": "1234", "user": "avnadmin", "password": "pass-word",
			"dbname": "defaultdb", "ssl-mode": "REQUIRED",
		},
		"connection_info": aiventest.Object{"mysql_replica_uri": "mysql://replica.test"},
	}
	maps.Copy(fields, changes)
	return aiventest.Service(fields)
}

func mysql(options *mysqluserconfig.MysqlUserConfig) *v1alpha1.MySQL {
	obj := &v1alpha1.MySQL{ObjectMeta: metav1.ObjectMeta{Namespace: aiventest.Namespace, Name: "my-mysql"}}
	obj.Spec.Project, obj.Spec.Plan, obj.Spec.CloudName = aiventest.Project, "startup-4", "google-europe-west1"
	obj.Spec.UserConfig = options
	return obj
}

func observe(t *testing.T, a *aiventest.Aiven, obj *v1alpha1.MySQL) controllers.Observation {
	o, err := Service.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), obj)
	require.NoError(t, err)
	return o
}

func TestServiceDetails(t *testing.T) {
	for name, tc := range map[string]struct {
		changes  aiventest.Object
		prefixed map[string]string
	}{
		"with everything":         {prefixed: all(nil)},
		"without connection info": {changes: aiventest.Object{"connection_info": nil}, prefixed: all(nil, "REPLICA_URI")},
		"without a replica": {
			changes: aiventest.Object{"connection_info": aiventest.Object{"mysql_replica_uri": nil}}, prefixed: all(nil, "REPLICA_URI"),
		},
		"with an administrator of its own": {
			changes: aiventest.Object{"service_uri_params": aiventest.Object{
				"host": "mysql.test", "port": "1234", "user": "root", "password": "other-word", "dbname": "defaultdb", "ssl-mode": "REQUIRED",
			}},
			prefixed: all(map[string]string{"USER": "root", "PASSWORD": "other-word"}),
		},
		"with what little Aiven returns": {
			changes:  aiventest.Object{"connection_info": nil, "service_uri": nil, "service_uri_params": aiventest.Object{"host": "mysql.test", "port": nil}},
			prefixed: map[string]string{"HOST": "mysql.test", "CA_CERT": "the CA"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, running(tc.changes))
			o := observe(t, a, mysql(nil))
			assert.Empty(t, o.Diff)
			assert.Equal(t, tc.prefixed, o.Details.Prefixed())
			assert.Empty(t, o.Details.Legacy())
			assert.Equal(t, []string{lookup, ca}, a.Calls(), "what is in sync is only read")
		})
	}
}

// all are the keys of a service as running returns it, with some changed, and without others.
func all(changed map[string]string, without ...string) map[string]string {
	keys := map[string]string{
		"HOST": "mysql.test", "PORT": "1234", "DATABASE": "defaultdb", "USER": "avnadmin", "PASSWORD": "pass-word",
		"SSL_MODE": "REQUIRED", "URI": "mysql://avnadmin:pass-word@mysql.test:1234/defaultdb?ssl-mode=REQUIRED",
		"REPLICA_URI": "mysql://replica.test", "CA_CERT": "the CA",
	}
	maps.Copy(keys, changed)
	for _, key := range without {
		delete(keys, key)
	}
	return keys
}

func TestAServiceWithoutAnAddressHasNoDetails(t *testing.T) {
	a := aiventest.New(t)
	a.On(lookup, running(aiventest.Object{"service_uri_params": aiventest.Object{"host": "", "user": "avnadmin"}}))
	assert.True(t, observe(t, a, mysql(nil)).Details.Empty())
	assert.Equal(t, []string{lookup}, a.Calls())
}

func TestOptionsThatAivenDoesNotReturn(t *testing.T) {
	a := aiventest.New(t)
	a.On(lookup, running(aiventest.Object{"user_config": aiventest.Object{
		"mysql": aiventest.Object{"lower_case_table_names": 0},
		"migration": aiventest.Object{
			"host": "old.test", "port": 3306, "password": "<redacted>",
		},
	}}))
	o := observe(t, a, mysql(&mysqluserconfig.MysqlUserConfig{
		AdminPassword: ptr.To("new-password"), Mysql: &mysqluserconfig.Mysql{LowerCaseTableNames: ptr.To(1)},
		Migration: &mysqluserconfig.Migration{Host: "old.test", Port: 3306, Password: ptr.To("old-password")},
	}))
	assert.Empty(t, o.Diff, "what can't be changed any more is no drift")
	assert.Equal(t, []string{"spec.userConfig.migration.password"}, o.WriteOnly)
	assert.Equal(t, "Running. Not applied: spec.userConfig.admin_password, spec.userConfig.mysql.lower_case_table_names. Aiven takes "+
		"such options only when it creates a service: remove them from the spec", o.Remote.Message)
}

func TestAMigrationHasTheKeysOfMySQL(t *testing.T) {
	a := aiventest.New(t)
	a.On("POST service", aiventest.OK(nil))
	obj := mysql(nil)
	obj.Spec.MigrationSecretSource = &v1alpha1.MigrationSecretSource{Name: "old-db"}
	secret := referencetest.Secret("old-db", map[string]string{
		"host": "old.test", "port": "3306", "password": "old-password", "dump_tool": "mydumper", "reestablish_replication": "true",
	})
	refs := referencetest.Resolve(t, obj, Service.References, secret)
	_, err := Service.New(controllers.Env{Client: a.Client(), Refs: refs}).Create(t.Context(), obj)
	require.NoError(t, err)
	assert.Equal(t, []string{
		`POST service {"cloud":"google-europe-west1","plan":"startup-4","project_vpc_id":null,"service_name":"my-mysql",` +
			`"service_type":"mysql","user_config":{"migration":{"dump_tool":"mydumper","host":"old.test","password":"old-password",` +
			`"port":3306,"reestablish_replication":true}}}`,
	}, a.Calls())
}

func TestServiceProtectionAndReferences(t *testing.T) {
	obj := mysql(nil)
	assert.False(t, Service.Protected(obj))
	obj.Spec.TerminationProtection = ptr.To(true)
	assert.True(t, Service.Protected(obj))
	sent := map[string]bool{}
	for _, declaration := range Service.References {
		sent[declaration.Name] = declaration.WriteOnly
	}
	assert.Equal(t, map[string]bool{"ProjectVPC": false, "MigrationSecretSource": true}, sent)
}
