package opensearch

import (
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/service"
)

// +kubebuilder:rbac:groups=aiven.io,resources=opensearches,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=opensearches/status,verbs=patch
// +kubebuilder:rbac:groups=aiven.io,resources=opensearches/finalizers,verbs=update

// Service is an Aiven for OpenSearch service.
var Service = service.Definition[*v1alpha1.OpenSearch]{
	Type:    "opensearch",
	Options: func(obj *v1alpha1.OpenSearch) any { return obj.Spec.UserConfig },
	Details: details,
}.Kind(&v1alpha1.OpenSearch{})

func layout() connection.Layout {
	return service.Layout(map[string]connection.Value{
		"URI":      connection.URI,
		"HOST":     connection.Host,
		"PORT":     connection.Port,
		"USER":     connection.User,
		"PASSWORD": connection.Password,
	}, "HOST", "PORT", "USER", "PASSWORD")
}

func details(s *aiven.Service, _ string) connection.Info { return service.Info(s, layout()) }
