package service

import (
	"maps"
	"slices"
	"strings"

	avnservice "github.com/aiven/go-client-codegen/handler/service"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
)

// administrator are the options of the first user, and the parameters of the URI in which Aiven shows it.
var administrator = map[string]string{"admin_username": "user", "admin_password": "password"}

// unapplied is the message of a running service whose spec has options that Aiven takes at creation only, and that weren't
// there then: the API server accepts them, and they are never applied. It is empty if there are none. created is whether this
// spec has made the service: what Aiven doesn't report was applied then.
func (w *desired) unapplied(s *aiven.Service, created bool) string {
	found := map[string]any{}
	maps.Copy(found, s.UserConfig)
	for option, param := range administrator {
		if value := s.URIParams[param]; found[option] == nil && value != "" {
			found[option] = value
		}
	}
	options := userconfig.CreateOnly(pathOptions, w.create, w.update, found)
	late := controllers.Diff(options.Diff).Paths()
	if !created && w.lacksSource(s) {
		late = append(late, pathIntegrations)
	}
	switch {
	case len(late) > 0:
		return "Running. Not applied: " + strings.Join(late, ", ") +
			". Aiven takes such options only when it creates a service: remove them from the spec"
	case len(options.WriteOnly) > 0 && !created:
		return "Running. Aiven doesn't report " + strings.Join(options.WriteOnly, ", ") +
			", and takes such options only when it creates a service: what was added later isn't applied"
	default:
		return ""
	}
}

// lacksSource reports whether the service isn't the replica that the spec asks for.
func (w *desired) lacksSource(s *aiven.Service) bool {
	if !s.Lists(aiven.AnyIntegration) {
		return false // not returned
	}
	return slices.ContainsFunc(w.integrations, func(wanted avnservice.ServiceIntegrationIn) bool {
		return !slices.ContainsFunc(s.Integrations, func(has aiven.Integration) bool {
			return has.IntegrationType == wanted.IntegrationType && has.SourceService == *wanted.SourceService && ptr.Deref(has.DestService, "") == s.Name
		})
	})
}
