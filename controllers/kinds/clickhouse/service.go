package clickhouse

import (
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/service"
)

// +kubebuilder:rbac:groups=aiven.io,resources=clickhouses,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=clickhouses/status,verbs=patch
// +kubebuilder:rbac:groups=aiven.io,resources=clickhouses/finalizers,verbs=update

// Service is an Aiven for ClickHouse service.
var Service = service.Definition[*v1alpha1.Clickhouse]{
	Type:    "clickhouse",
	Options: func(obj *v1alpha1.Clickhouse) any { return obj.Spec.UserConfig },
	Details: details,
}.Kind(&v1alpha1.Clickhouse{})

func serviceLayout() connection.Layout {
	return service.Layout(map[string]connection.Value{
		"HOST":     connection.Host,
		"PORT":     connection.Port,
		"USER":     connection.User,
		"PASSWORD": connection.Password,
	}, "HOST", "PORT", "USER", "PASSWORD")
}

// details lead to ClickHouse's native protocol.
func details(s *aiven.Service, _ string) connection.Info {
	info := service.Info(s, serviceLayout())
	info.Fixed = "users of ClickHouse are objects of the kind ClickhouseUser. Rotate the one with spec.username " + aiven.PrimaryUser + ", which you may create"
	return info
}
