package kafkaconnect

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/internal/secrettemplate"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=kafkaconnectors,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=kafkaconnectors/status,verbs=patch

// Connector is a connector, in a Kafka service or in a Kafka Connect service.
var Connector = resource.Definition[*v1alpha1.KafkaConnector, remoteConnector]{
	Object: &v1alpha1.KafkaConnector{},
	Place:  resource.InService(aiven.TypeKafka, serviceType),
	Identity: func(obj *v1alpha1.KafkaConnector) controllers.Identity {
		return controllers.Identity{Name: obj.Spec.Project + "/" + obj.Spec.ServiceName + "/" + obj.Name}
	},
	Reads:          func(*v1alpha1.KafkaConnector) []aiven.Entry { return []aiven.Entry{aiven.AnyIntegration} },
	Item:           connectorItem,
	References:     []reference.Declaration{connectorSecrets},
	Secrets:        credentialsIn,
	LookupOnDelete: true,
	Find:           findConnector,
	State:          connectorState,
	Diff:           diffConnector,
	WriteOnly:      unreturnedKeys,
	Create:         createConnector,
	Update:         updateConnector,
	Delete:         deleteConnector,
}.Kind()

// diffConnector compares each key as text. Aiven returns a config as it was sent, without defaults, so a key that the spec
// doesn't have is a difference.
func diffConnector(s resource.Scope, obj *v1alpha1.KafkaConnector, found *remoteConnector) controllers.Diff {
	var diff controllers.Diff
	wanted, _ := connectorConfig(s, obj) // findConnector has refused what can't be sent
	keys := maps.Clone(found.config)
	if !found.partial {
		maps.Copy(keys, wanted)
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		wants, has := wanted[key], found.config[key]
		if wants == has || unreturned.MatchString(has) && wants != "" {
			continue
		}
		path, template := pathOf(key), obj.Spec.UserConfig[key]
		if key == keyClass && template == "" {
			path = "spec.connectorClass"
		}
		if refs, _ := secrettemplate.References(template); len(refs) > 0 {
			wants, has = "(secret)", "(secret)"
		} else if has != "" && !harmless.MatchString(key) {
			has = "(not shown)"
		}
		diff.Add(path, wants, has)
	}
	return diff
}

// unreturnedKeys are paths whose values Aiven hides, or doesn't return because it couldn't load the connector.
func unreturnedKeys(obj *v1alpha1.KafkaConnector, found *remoteConnector) []string {
	var paths []string
	for _, key := range slices.Sorted(maps.Keys(obj.Spec.UserConfig)) {
		if _, returned := found.config[key]; found.partial && !returned || unreturned.MatchString(found.config[key]) {
			paths = append(paths, pathOf(key))
		}
	}
	return paths
}

func createConnector(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaConnector) (*remoteConnector, error) {
	config, err := connectorConfig(s, obj)
	if err != nil {
		return nil, err
	}
	out, err := s.Client.API().ServiceKafkaConnectCreateConnector(ctx, s.Project, s.ServiceName, &config)
	if err != nil {
		return nil, fmt.Errorf("creating connector: %w", connectorFields(obj).Of(err))
	}
	return started(obj, out.Config), nil
}

// updateConnector replaces the whole config, and the tasks start again.
func updateConnector(
	ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaConnector, _ *remoteConnector, _ controllers.Diff,
) (*remoteConnector, error) {
	config, err := connectorConfig(s, obj)
	if err != nil {
		return nil, err
	}
	out, err := s.Client.API().ServiceKafkaConnectEditConnector(ctx, s.Project, s.ServiceName, obj.Name, &config)
	if err != nil {
		return nil, fmt.Errorf("changing connector: %w", connectorFields(obj).Of(err))
	}
	return started(obj, out.Config), nil
}

// started is a connector after a write, whose tasks have no state yet: what they failed of before is over.
func started(obj *v1alpha1.KafkaConnector, config map[string]string) *remoteConnector {
	obj.Status.TasksStatus = nil
	if config == nil {
		return nil // it is read
	}
	return &remoteConnector{config: config}
}

// deleteConnector has nothing to do where Kafka Connect is off: its connectors went with it.
func deleteConnector(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaConnector, found *remoteConnector) error {
	switch {
	case found == nil:
		return s.LookupErr
	case found.off:
		service, err := deletion.LiveService(ctx, s.Client, s.Project, s.ServiceName)
		if err != nil {
			return fmt.Errorf("reading service: %w", err)
		}
		if service == nil {
			return nil
		}
		if _, off := connectPending(service); off {
			return nil
		}
		fallthrough // it is back
	case found.waits != "":
		return deletion.SwitchedOff(found.waits)
	}
	if err := s.Client.API().ServiceKafkaConnectDeleteConnector(ctx, s.Project, s.ServiceName, obj.Name); err != nil {
		return fmt.Errorf("deleting connector: %w", err)
	}
	return nil
}
