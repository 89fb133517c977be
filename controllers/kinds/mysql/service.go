package mysql

import (
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/service"
)

// +kubebuilder:rbac:groups=aiven.io,resources=mysqls,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=mysqls/status,verbs=patch
// +kubebuilder:rbac:groups=aiven.io,resources=mysqls/finalizers,verbs=update

// Service is an Aiven for MySQL service.
var Service = service.Definition[*v1alpha1.MySQL]{
	Type:          "mysql",
	Options:       func(obj *v1alpha1.MySQL) any { return obj.Spec.UserConfig },
	Details:       details,
	NeedsCA:       true,
	Migration:     migrationSource,
	MigrationKeys: service.MigrationKeys{Texts: []string{"dump_tool"}, Flags: []string{"reestablish_replication"}},
}.Kind(&v1alpha1.MySQL{})

func migrationSource(obj *v1alpha1.MySQL) *v1alpha1.MigrationSecretSource {
	return obj.Spec.MigrationSecretSource
}

// details have the administrator of the URI: avnadmin, or the one that userConfig.admin_username has named.
func details(s *aiven.Service, ca string) connection.Details {
	info := ptr.Deref(s.ConnectionInfo, aiven.ConnectionInfo{})
	return service.Details(map[string]string{
		"HOST":        s.URIParams["host"],
		"PORT":        s.URIParams["port"],
		"DATABASE":    s.URIParams["dbname"],
		"USER":        s.URIParams["user"],
		"PASSWORD":    s.URIParams["password"],
		"SSL_MODE":    s.URIParams["ssl-mode"],
		"URI":         s.URI,
		"REPLICA_URI": ptr.Deref(info.MysqlReplicaUri, ""),
		"CA_CERT":     ca,
	})
}
