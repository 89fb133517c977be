package mysql

import (
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
	Type:      "mysql",
	Options:   func(obj *v1alpha1.MySQL) any { return obj.Spec.UserConfig },
	Details:   details,
	Migration: migrationSource,
}.Kind(&v1alpha1.MySQL{})

func migrationSource(obj *v1alpha1.MySQL) *v1alpha1.MigrationSecretSource {
	return obj.Spec.MigrationSecretSource
}

// details has no keys until it is implemented: the conformance cases name those that are missing in the Secret.
func details(_ *aiven.Service, _ string) connection.Details {
	return connection.Details{Prefixed: map[string]string{"NOT_IMPLEMENTED": "details of MySQL"}}
}
