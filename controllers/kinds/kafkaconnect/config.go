package kafkaconnect

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/internal/secrettemplate"
	"github.com/aero-operator/aero/controllers/resource"
)

const (
	referenceSecrets = "SecretSource"
	pathConfig       = "spec.userConfig"
	keyName          = "name"
	keyClass         = "connector.class"
	// mostSecrets is how many keys of Secrets a config may read: each Secret is read live, again and again.
	mostSecrets = 100
)

// connectorSecrets are what the values of the config read. A template that can't be executed, and a config that reads too much,
// read nothing: findConnector refuses them.
var connectorSecrets = reference.Declaration{
	Name: referenceSecrets, Kind: reference.SecretKind, Field: pathConfig, WriteOnly: true,
	Targets: func(obj client.Object) []reference.Target {
		var targets []reference.Target
		secrets, keys := secretsOf(obj.(*v1alpha1.KafkaConnector))
		if len(secrets) > mostSecrets {
			return nil
		}
		for i, ref := range secrets {
			targets = append(targets, reference.Target{NamespacedName: types.NamespacedName{Name: ref.Secret}, Key: ref.Key, Field: pathOf(keys[i])})
		}
		return targets
	},
}

// secretsOf lists what the config reads, each once, in an order that depends on the config alone, and the key of the config that
// reads it first. Of what is too much, it lists one more than that.
func secretsOf(obj *v1alpha1.KafkaConnector) (all []secrettemplate.Reference, keys []string) {
	for _, key := range slices.Sorted(maps.Keys(obj.Spec.UserConfig)) {
		refs, _ := secrettemplate.References(obj.Spec.UserConfig[key])
		for _, ref := range refs {
			if !slices.Contains(all, ref) && len(all) <= mostSecrets {
				all, keys = append(all, ref), append(keys, key)
			}
		}
	}
	return all, keys
}

// connectorConfig is what is sent. The keys of the spec come last, as in aiven-operator.
func connectorConfig(s resource.Scope, obj *v1alpha1.KafkaConnector) (map[string]string, error) {
	config := map[string]string{keyName: obj.Name, keyClass: obj.Spec.ConnectorClass}
	secrets, _ := secretsOf(obj)
	if len(secrets) > mostSecrets {
		return nil, fault.InvalidSpec(pathConfig, fmt.Sprintf("reads more than %d keys of Secrets. Put values into fewer keys", mostSecrets))
	}
	for _, key := range slices.Sorted(maps.Keys(obj.Spec.UserConfig)) {
		value, err := rendered(obj.Spec.UserConfig[key], func(ref secrettemplate.Reference) (string, bool) {
			at := slices.Index(secrets, ref)
			if at < 0 {
				return "", false
			}
			value, known := reference.Value[[]byte](s.Refs, referenceSecrets, at)
			return string(value), known
		})
		if err != nil {
			return nil, fault.InvalidSpec(pathOf(key), fmt.Sprintf("isn't a template that can be used: %s. "+
				`A value of a Secret is written {{ fromSecret "name" "key" }}`, err))
		}
		config[key] = value
	}
	if config[keyName] != obj.Name {
		return nil, fault.InvalidSpec(pathOf(keyName), "must be the name of this object, "+obj.Name+". Remove it")
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

// credentialsIn are the values of a config that stand in the spec and are secrets by the name of their key. No text shows
// them: Aiven quotes a config in its errors.
func credentialsIn(obj *v1alpha1.KafkaConnector) []string {
	var values []string
	for key, value := range obj.Spec.UserConfig {
		if fault.NamesSecret(key) {
			values = append(values, value)
		}
	}
	return values
}

func pathOf(key string) string { return pathConfig + "." + key }

// unreturned is a value that Aiven doesn't show.
var unreturned = regexp.MustCompile(`(?i)^(\*+|[<\[](redacted|hidden)[>\]])$`)

// harmless are keys whose values never come from a Secret. What Aiven has at any other key may come from one that the spec
// has named before, or be a secret of its own.
var harmless = regexp.MustCompile(`^(name|connector\.class|tasks\.max|topics|topics\.regex|(key|value|header)\.converter)$`)

// connectorFields are the keys of the config as Aiven's texts name them.
func connectorFields(obj *v1alpha1.KafkaConnector) fault.Fields {
	fields := fault.Fields{keyClass: {Path: "spec.connectorClass"}, keyName: fault.NameField("", "")}
	for key := range obj.Spec.UserConfig {
		fields[key] = fault.Field{Path: pathOf(key)}
	}
	return fields
}

// formerSecrets are the values that Aiven has for templates with Secrets from before one changed, until an update.
func formerSecrets(s resource.Scope, obj *v1alpha1.KafkaConnector, found *remoteConnector) []string {
	var values []string
	wanted, _ := connectorConfig(s, obj)
	for key, template := range obj.Spec.UserConfig {
		if refs, _ := secrettemplate.References(template); len(refs) > 0 && wanted[key] != found.config[key] {
			values = append(values, found.config[key])
		}
	}
	return values
}
