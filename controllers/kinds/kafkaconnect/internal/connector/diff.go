package connector

import (
	"maps"
	"regexp"
	"slices"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/plan"
)

// unreturned is a value that Aiven doesn't show.
var unreturned = regexp.MustCompile(`(?i)^(\*+|[<\[](redacted|hidden)[>\]])$`)

// harmless are keys whose values never come from a Secret. What Aiven has at any other key may come from one that the spec
// has named before, or be a secret of its own.
var harmless = regexp.MustCompile(`^(name|connector\.class|tasks\.max|topics|topics\.regex|(key|value|header)\.converter)$`)

// Diff compares each key as text. Aiven returns a config as it was sent, without defaults, so a key that the spec
// doesn't have is a difference.
func Diff(obj *v1alpha1.KafkaConnector, wanted map[string]string, found *Remote) plan.Diff {
	var diff plan.Diff
	reads := references(obj)
	keys := maps.Clone(found.Config)
	if !found.Partial {
		maps.Copy(keys, wanted)
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		wants, has := wanted[key], found.Config[key]
		if wants == has || unreturned.MatchString(has) && wants != "" {
			continue
		}
		path, template := PathOf(key), obj.Spec.UserConfig[key]
		if key == keyClass && template == "" {
			path = "spec.connectorClass"
		}
		if len(reads[key]) > 0 {
			diff.AddSecret(path)
			continue
		}
		diff.Add(path, wants, returned(key, found.Config))
	}
	return diff
}

// returned is the value of a key at Aiven; nil for none.
func returned(key string, config map[string]string) any {
	switch has, set := config[key]; {
	case !set:
		return nil
	case has != "" && !harmless.MatchString(key):
		return plan.Printed{Text: "(not shown)", Value: plan.Hidden{}}
	default:
		return has
	}
}

// WriteOnly are paths whose values Aiven hides, or doesn't return because it couldn't load the connector.
func WriteOnly(obj *v1alpha1.KafkaConnector, found *Remote) []string {
	var paths []string
	for _, key := range slices.Sorted(maps.Keys(obj.Spec.UserConfig)) {
		if _, returned := found.Config[key]; found.Partial && !returned || unreturned.MatchString(found.Config[key]) {
			paths = append(paths, PathOf(key))
		}
	}
	return paths
}

// FormerSecrets are the values that Aiven has for templates with Secrets from before one changed, until an update.
func FormerSecrets(obj *v1alpha1.KafkaConnector, wanted map[string]string, found *Remote) []string {
	var values []string
	for key := range references(obj) {
		if wanted[key] != found.Config[key] {
			values = append(values, found.Config[key])
		}
	}
	return values
}
