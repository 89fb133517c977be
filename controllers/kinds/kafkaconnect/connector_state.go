package kafkaconnect

import (
	"context"
	"fmt"

	avnconnect "github.com/aiven/go-client-codegen/handler/kafkaconnect"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/kinds/kafkaconnect/internal/connector"
	"github.com/aero-operator/aero/controllers/resource"
)

const referenceSecrets = "SecretSource"

// connectorSecrets are what the values of the config read. A template that can't be executed, and a config that reads too much,
// read nothing: findConnector refuses them.
var connectorSecrets = reference.Declaration{
	Name: referenceSecrets, Kind: reference.SecretKind, Field: connector.ConfigPath, WriteOnly: true,
	Targets: func(obj client.Object) []reference.Target {
		var targets []reference.Target
		secrets, keys := connector.SecretsOf(obj.(*v1alpha1.KafkaConnector))
		if len(secrets) > connector.MostSecrets {
			return nil
		}
		for i, ref := range secrets {
			targets = append(targets, reference.Target{NamespacedName: types.NamespacedName{Name: ref.Secret}, Key: ref.Key, Field: connector.PathOf(keys[i])})
		}
		return targets
	},
}

// connectorConfig is what is sent.
func connectorConfig(s resource.Scope, obj *v1alpha1.KafkaConnector) (map[string]string, error) {
	return connector.Config(obj, func(at int) (string, bool) {
		value, known := reference.Value[[]byte](s.Refs, referenceSecrets, at)
		return string(value), known
	})
}

// connectorItem is the connector in the list of its service.
func connectorItem(obj *v1alpha1.KafkaConnector) aiven.Item {
	list := aiven.ListKey{Project: obj.Spec.Project, Service: obj.Spec.ServiceName, Operation: "ServiceKafkaConnectList"}
	return aiven.Item{List: list, Key: obj.Name}
}

// connectors lists those of a service, without their states. A 404 is no absence of any.
func connectors(ctx context.Context, s resource.Scope, item aiven.Item) (*avnconnect.ServiceKafkaConnectListOut, error) {
	return aiven.List(ctx, s.Client, item.List, aiven.ListSource[*avnconnect.ServiceKafkaConnectListOut]{
		Read: func(ctx context.Context) (*avnconnect.ServiceKafkaConnectListOut, error) {
			all, err := s.Client.API().ServiceKafkaConnectList(ctx, s.Project, s.ServiceName)
			if fault.Is(err, fault.NotFound) {
				err = fault.NotYet("Kafka Connect isn't known to Aiven (404 ServiceKafkaConnectList)")
			}
			return all, err
		},
		Items: connector.ByName,
	}, item.Key)
}

// findConnector reads the list, which all connectors of a service share and which has no states, and then the state.
func findConnector(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaConnector) (*connector.Remote, error) {
	deleting := !obj.DeletionTimestamp.IsZero()
	if _, err := connectorConfig(s, obj); err != nil && !deleting {
		return nil, err
	}
	waits, off := connector.Pending(s.Service)
	if waits != "" {
		recordConnector(s, obj, nil)
		return &connector.Remote{Waits: waits, Off: off}, nil
	}
	all, err := connectors(ctx, s, connectorItem(obj))
	if err != nil {
		return unanswered(s, obj, err)
	}
	found := connector.Choose(obj, all)
	if deleting {
		return found, nil
	}
	if found != nil && !found.Partial {
		out, err := s.Client.API().ServiceKafkaConnectGetConnectorStatus(ctx, s.Project, s.ServiceName, obj.Name)
		switch {
		case err == nil:
			found.State, found.Tasks = string(out.State), out.Tasks
		case !fault.Is(err, fault.NotFound, fault.NotReady): // a new one has no state for a while
			return unanswered(s, obj, err)
		}
	}
	recordConnector(s, obj, found)
	return found, nil
}

// unanswered is a wait for a Kafka Connect that hasn't started yet. Where the connector was seen before, it is an error.
func unanswered(s resource.Scope, obj *v1alpha1.KafkaConnector, err error) (*connector.Remote, error) {
	starts := fault.Is(err, fault.NotReady, fault.Conflict, fault.Server)
	if !starts || obj.Status.State != "" || !obj.DeletionTimestamp.IsZero() {
		return nil, fmt.Errorf("reading connector: %w", err)
	}
	return &connector.Remote{Waits: "Waiting for Kafka Connect to start: " + s.Refs.Secrets(connector.Credentials(obj)...).Of(err).Message}, nil
}

// recordConnector fills the status without secrets: neither those of the spec, nor those that Aiven has from before.
func recordConnector(s resource.Scope, obj *v1alpha1.KafkaConnector, found *connector.Remote) {
	secrets := connector.Credentials(obj)
	if found != nil {
		wanted, _ := connectorConfig(s, obj)
		secrets = append(secrets, connector.FormerSecrets(obj, wanted, found)...)
	}
	connector.Record(obj, found, s.Refs.Secrets(secrets...))
}
