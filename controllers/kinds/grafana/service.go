package grafana

import (
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/service"
)

// +kubebuilder:rbac:groups=aiven.io,resources=grafanas,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=grafanas/status,verbs=patch
// +kubebuilder:rbac:groups=aiven.io,resources=grafanas/finalizers,verbs=update

// Service is an Aiven for Grafana service.
var Service = service.Definition[*v1alpha1.Grafana]{
	Type:    "grafana",
	Options: func(obj *v1alpha1.Grafana) any { return obj.Spec.UserConfig },
	Details: details,
}.Kind(&v1alpha1.Grafana{})

// HOSTS are the addresses of all nodes.
func layout() connection.Layout {
	return service.Layout(map[string]connection.Value{
		"HOST":     connection.Host,
		"PORT":     connection.Port,
		"USER":     connection.User,
		"PASSWORD": connection.Password,
		"URI":      connection.URI,
		"HOSTS":    connection.Nodes,
	})
}

func details(s *aiven.Service, _ string) connection.Info {
	info := service.Info(s, layout())
	info.Fixed = connection.FixedByGrafana
	if s.ConnectionInfo != nil {
		info.Nodes = s.ConnectionInfo.Grafana
	}
	return info
}
