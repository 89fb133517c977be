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

// details has no keys until it is implemented: the conformance cases name those that are missing in the Secret.
func details(_ *aiven.Service, _ string) connection.Details {
	return connection.Details{Prefixed: map[string]string{"NOT_IMPLEMENTED": "details of Grafana"}}
}
