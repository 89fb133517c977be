package service

import (
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
)

// isVersion reports whether an option is the version of the service, such as pg_version.
func isVersion(option string) bool {
	return strings.HasSuffix(option, "_version") && !strings.Contains(option, ".")
}

// keepNewer makes the spec ask for the versions of a service that are above those that it names, and returns these differences:
// Aiven upgrades a version that reaches its end of life, and none can be lowered.
func (w *desired) keepNewer(s *aiven.Service) controllers.Diff {
	var newer controllers.Diff
	for option, wanted := range w.update {
		found, reported := s.UserConfig[option]
		if !isVersion(option) || !reported || !isBelow(wanted, found) {
			continue
		}
		w.update = maps.Clone(w.update)
		w.update[option] = found
		newer.Add(pathOptions+"."+option, wanted, found)
	}
	return newer
}

// isBelow reports whether a version is lower than another one. What is no version is below none.
func isBelow(a, b any) bool {
	low, errLow := parseVersion(a)
	high, errHigh := parseVersion(b)
	return errLow == nil && errHigh == nil && low.LessThan(high)
}

func parseVersion(value any) (*version.Version, error) {
	text, _ := value.(string)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return version.ParseGeneric(text)
}
