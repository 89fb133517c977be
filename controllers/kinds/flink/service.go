package flink

import (
	"maps"
	"strings"

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

// details are empty while the service has no address. The port is in the URI and in HOSTS, the addresses of all nodes; without
// any there is no such key.
func details(s *aiven.Service, _ string) connection.Details {
	if s.URIParams["host"] == "" {
		return connection.Details{}
	}
	all := map[string]string{
		"HOST":     s.URIParams["host"],
		"USER":     s.URIParams["user"],
		"PASSWORD": s.URIParams["password"],
		"URI":      s.URI,
	}
	if s.ConnectionInfo != nil {
		all["HOSTS"] = strings.Join(s.ConnectionInfo.Flink, ",")
	}
	maps.DeleteFunc(all, func(_, value string) bool { return value == "" })
	return connection.Details{Prefixed: all}
}
