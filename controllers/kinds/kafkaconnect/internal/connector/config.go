package connector

import (
	"fmt"
	"maps"
	"slices"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/secrettemplate"
)

const (
	// ConfigPath is where the config is in the spec.
	ConfigPath = "spec.userConfig"
	// MostSecrets is how many keys of Secrets a config may read: each Secret is read live, again and again.
	MostSecrets = 100

	keyName  = "name"
	keyClass = "connector.class"
)

// SecretsOf lists what the config reads, each once, in an order that depends on the config alone, and the key of the config that
// reads it first. Of what is too much, it lists one more than that. A template that can't be executed reads nothing.
func SecretsOf(obj *v1alpha1.KafkaConnector) (all []secrettemplate.Reference, keys []string) {
	for _, key := range slices.Sorted(maps.Keys(obj.Spec.UserConfig)) {
		refs, _ := secrettemplate.References(obj.Spec.UserConfig[key])
		for _, ref := range refs {
			if !slices.Contains(all, ref) && len(all) <= MostSecrets {
				all, keys = append(all, ref), append(keys, key)
			}
		}
	}
	return all, keys
}

// Config is what is sent, with the values of the Secrets that SecretsOf lists, by their position. The keys of the spec come last, as
// in aiven-operator.
func Config(obj *v1alpha1.KafkaConnector, secret func(at int) (string, bool)) (map[string]string, error) {
	config := map[string]string{keyName: obj.Name, keyClass: obj.Spec.ConnectorClass}
	secrets, _ := SecretsOf(obj)
	if len(secrets) > MostSecrets {
		return nil, fault.InvalidSpec(ConfigPath, fmt.Sprintf("reads more than %d keys of Secrets. Put values into fewer keys", MostSecrets))
	}
	for _, key := range slices.Sorted(maps.Keys(obj.Spec.UserConfig)) {
		value, err := rendered(obj.Spec.UserConfig[key], func(ref secrettemplate.Reference) (string, bool) {
			at := slices.Index(secrets, ref)
			if at < 0 {
				return "", false
			}
			return secret(at)
		})
		if err != nil {
			return nil, fault.InvalidSpec(PathOf(key), fmt.Sprintf("isn't a template that can be used: %s. "+
				`A value of a Secret is written {{ fromSecret "name" "key" }}`, err))
		}
		config[key] = value
	}
	if config[keyName] != obj.Name {
		return nil, fault.InvalidSpec(PathOf(keyName), "must be the name of this object, "+obj.Name+". Remove it")
	}
	return config, nil
}

// rendered executes a template if what it reads is known. Where that isn't, no Secret was read for it, and the error would be
// about the first one.
func rendered(template string, lookup func(secrettemplate.Reference) (string, bool)) (string, error) {
	if _, err := secrettemplate.References(template); err != nil {
		return "", err
	}
	return secrettemplate.Render(template, lookup)
}

// Credentials are the values of a config that stand in the spec and are secrets by the name of their key. No text shows
// them: Aiven quotes a config in its errors.
func Credentials(obj *v1alpha1.KafkaConnector) []string {
	var values []string
	for key, value := range obj.Spec.UserConfig {
		if fault.NamesSecret(key) {
			values = append(values, value)
		}
	}
	return values
}

// PathOf is where a key of the config is in the spec.
func PathOf(key string) string { return ConfigPath + "." + key }

// Fields are the keys of the config as Aiven's texts name them.
func Fields(obj *v1alpha1.KafkaConnector) fault.Fields {
	fields := fault.Fields{keyClass: {Path: "spec.connectorClass"}, keyName: fault.NameField("", "")}
	for key := range obj.Spec.UserConfig {
		fields[key] = fault.Field{Path: PathOf(key)}
	}
	return fields
}
