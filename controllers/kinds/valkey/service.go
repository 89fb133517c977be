package valkey

import (
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/service"
)

// +kubebuilder:rbac:groups=aiven.io,resources=valkeys,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=valkeys/status,verbs=patch
// +kubebuilder:rbac:groups=aiven.io,resources=valkeys/finalizers,verbs=update

// Service is an Aiven for Valkey service.
var Service = service.Definition[*v1alpha1.Valkey]{
	Type:    "valkey",
	Options: func(obj *v1alpha1.Valkey) any { return obj.Spec.UserConfig },
	Details: details,
	// Without RDB dumps there is nothing to back up.
	BackupsOff: service.Option{Name: "valkey_persistence", Value: "off"},
}.Kind(&v1alpha1.Valkey{})

func layout() connection.Layout {
	return service.Layout(map[string]connection.Value{
		"HOST":     connection.Host,
		"PORT":     connection.Port,
		"USER":     connection.User,
		"PASSWORD": connection.Password,
		"SSL":      connection.TLSMode,
	})
}

func details(s *aiven.Service, _ string) connection.Info {
	info := service.Info(s, layout())
	info.TLSMode = s.URIParams["ssl"]
	return info
}
