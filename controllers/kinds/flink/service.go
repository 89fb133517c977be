package flink

import (
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/service"
)

// +kubebuilder:rbac:groups=aiven.io,resources=flinks,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=flinks/status,verbs=patch
// +kubebuilder:rbac:groups=aiven.io,resources=flinks/finalizers,verbs=update

// Service is an Aiven for Apache Flink service.
var Service = service.Definition[*v1alpha1.Flink]{
	Type:    "flink",
	Options: func(obj *v1alpha1.Flink) any { return obj.Spec.UserConfig },
	Details: details,
}.Kind(&v1alpha1.Flink{})

// The port is in the URI and in HOSTS, the addresses of all nodes.
func layout() connection.Layout {
	return service.Layout(map[string]connection.Value{
		"HOST":     connection.Host,
		"USER":     connection.User,
		"PASSWORD": connection.Password,
		"URI":      connection.URI,
		"HOSTS":    connection.Nodes,
	})
}

func details(s *aiven.Service, _ string) connection.Info {
	info := service.Info(s, layout())
	if s.ConnectionInfo != nil {
		info.Nodes = s.ConnectionInfo.Flink
	}
	return info
}
