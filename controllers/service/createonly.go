package service

import (
	"maps"
	"strings"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/annotation"
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
	switch {
	case len(options.Diff) > 0:
		return "Running. Not applied: " + strings.Join(controllers.Diff(options.Diff).Paths(), ", ") +
			". Aiven takes such options only when it creates a service: remove them from the spec"
	case len(options.WriteOnly) > 0 && !created:
		return "Running. Aiven doesn't report " + strings.Join(options.WriteOnly, ", ") +
			", and takes such options only when it creates a service: what was added later isn't applied"
	default:
		return ""
	}
}

// createdFrom reports whether the service was made from the present spec, which is the first of an object that has made it.
func createdFrom(obj Object) bool {
	_, attempted := obj.GetAnnotations()[annotation.Attempted]
	return attempted && obj.GetGeneration() <= 1
}
