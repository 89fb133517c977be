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

func details(s *aiven.Service, _ string) connection.Details {
	return service.Details(map[string]string{
		"URI":      s.URI,
		"HOST":     s.URIParams["host"],
		"PORT":     s.URIParams["port"],
		"USER":     s.URIParams["user"],
		"PASSWORD": s.URIParams["password"],
	}, "HOST", "PORT", "USER", "PASSWORD")
}
