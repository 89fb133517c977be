package postgres

import (
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/service"
)

// +kubebuilder:rbac:groups=aiven.io,resources=postgresqls,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=postgresqls/status,verbs=patch
// +kubebuilder:rbac:groups=aiven.io,resources=postgresqls/finalizers,verbs=update

// Service is a PostgreSQL service.
var Service = service.Definition[*v1alpha1.PostgreSQL]{
	Type:         "pg",
	Options:      func(obj *v1alpha1.PostgreSQL) any { return obj.Spec.UserConfig },
	Details:      details,
	NeedsCA:      true,
	BeforeUpdate: newUpgradeChecks,
	Migration:    migrationSource,
}.Kind(&v1alpha1.PostgreSQL{})

func migrationSource(obj *v1alpha1.PostgreSQL) *v1alpha1.MigrationSecretSource {
	return obj.Spec.MigrationSecretSource
}

func details(s *aiven.Service, ca string) connection.Info {
	info := service.Info(s, layout())
	info.TLSMode, info.CACert = s.URIParams["sslmode"], ca
	return info
}
