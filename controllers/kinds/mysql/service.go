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

func layout() connection.Layout {
	return service.Layout(map[string]connection.Value{
		"HOST":        connection.Host,
		"PORT":        connection.Port,
		"DATABASE":    connection.Database,
		"USER":        connection.User,
		"PASSWORD":    connection.Password,
		"SSL_MODE":    connection.TLSMode,
		"URI":         connection.URI,
		"REPLICA_URI": connection.ReplicaURI,
		"CA_CERT":     connection.CACert,
	})
}

// details have the administrator of the URI: avnadmin, or the one that userConfig.admin_username has named.
func details(s *aiven.Service, ca string) connection.Info {
	info := service.Info(s, layout())
	info.TLSMode, info.CACert = s.URIParams["ssl-mode"], ca
	info.ReplicaURI = ptr.Deref(ptr.Deref(s.ConnectionInfo, aiven.ConnectionInfo{}).MysqlReplicaUri, "")
	return info
}
