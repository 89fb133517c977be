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
	// MostKeys is how many keys a config may have, as in the schema: an object of before may have more.
	MostKeys = 1000
	// MostSecrets is how many keys of Secrets a config may read: each Secret is read live, again and again.
	MostSecrets = 100

	keyName  = "name"
	keyClass = "connector.class"
)

// SecretsOf lists what the config reads, each once, in an order that depends on the config alone, and the key of the config that
// reads it first. Of what is too much, it lists one more than that. A template that can't be executed reads nothing.
func SecretsOf(obj *v1alpha1.KafkaConnector) (all []secrettemplate.Reference, keys []string) {
	reads := references(obj)
	for _, key := range slices.Sorted(maps.Keys(reads)) {
		for _, ref := range reads[key] {
			if !slices.Contains(all, ref) && len(all) <= MostSecrets {
				all, keys = append(all, ref), append(keys, key)
			}
		}
	}
	return all, keys
}

// references lists what each key of the config reads. The templates share a budget, so their order matters: it is that of Config.
// More keys than a config may have read nothing.
func references(obj *v1alpha1.KafkaConnector) map[string][]secrettemplate.Reference {
	reads := map[string][]secrettemplate.Reference{}
	if len(obj.Spec.UserConfig) > MostKeys {
		return reads
	}
	budget := secrettemplate.NewBudget()
	for _, key := range slices.Sorted(maps.Keys(obj.Spec.UserConfig)) {
		if refs, _ := budget.References(obj.Spec.UserConfig[key]); len(refs) > 0 {
			reads[key] = refs
		}
	}
	return reads
}

// Config is what is sent, with the values of the Secrets that SecretsOf lists, by their position. The keys of the spec come last, as
// in aiven-operator.
func Config(obj *v1alpha1.KafkaConnector, secret func(at int) (string, bool)) (map[string]string, error) {
	config := map[string]string{keyName: obj.Name, keyClass: obj.Spec.ConnectorClass}
	if keys := len(obj.Spec.UserConfig); keys > MostKeys {
		return nil, fault.InvalidSpec(ConfigPath, fmt.Sprintf("has %d keys. Remove some: a connector may have %d", keys, MostKeys))
	}
	secrets, _ := SecretsOf(obj)
	if len(secrets) > MostSecrets {
		return nil, fault.InvalidSpec(ConfigPath, fmt.Sprintf("reads more than %d keys of Secrets. Put values into fewer keys", MostSecrets))
	}
	budget := secrettemplate.NewBudget()
	for _, key := range slices.Sorted(maps.Keys(obj.Spec.UserConfig)) {
		value, err := rendered(budget, obj.Spec.UserConfig[key], func(ref secrettemplate.Reference) (string, bool) {
			at := slices.Index(secrets, ref)
			if at < 0 {
				return "", false
			}
			return secret(at)
		})
		switch {
		case budget.Exceeded():
			return nil, fault.InvalidSpec(PathOf(key), fmt.Sprintf("takes more than the templates of a config may together: %s. "+
				"Call fewer functions in them, with shorter texts", err))
		case err != nil:
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
func rendered(budget *secrettemplate.Budget, template string, lookup func(secrettemplate.Reference) (string, bool)) (string, error) {
	if _, err := budget.References(template); err != nil {
		return "", err
	}
	return budget.Render(template, lookup)
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
