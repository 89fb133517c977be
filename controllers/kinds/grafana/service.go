package grafana

import (
	"maps"
	"strings"

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

// details are empty while the service has no address. HOSTS are the addresses of all nodes; without any there is no such key.
func details(s *aiven.Service, _ string) connection.Details {
	if s.URIParams["host"] == "" {
		return connection.Details{}
	}
	all := map[string]string{
		"HOST":     s.URIParams["host"],
		"PORT":     s.URIParams["port"],
		"USER":     s.URIParams["user"],
		"PASSWORD": s.URIParams["password"],
		"URI":      s.URI,
	}
	if s.ConnectionInfo != nil {
		all["HOSTS"] = strings.Join(s.ConnectionInfo.Grafana, ",")
	}
	maps.DeleteFunc(all, func(_, value string) bool { return value == "" })
	return connection.Details{Prefixed: all}
}
