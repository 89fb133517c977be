package kafkaconnect

import (
	"context"
	"fmt"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/kinds/kafkaconnect/internal/connector"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=kafkaconnectors,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=kafkaconnectors/status,verbs=patch

// Connector is a connector, in a Kafka service or in a Kafka Connect service.
var Connector = resource.Definition[*v1alpha1.KafkaConnector, connector.Remote]{
	Object: &v1alpha1.KafkaConnector{},
	Place:  resource.InService(aiven.TypeKafka, serviceType),
	Identity: func(obj *v1alpha1.KafkaConnector) controllers.Identity {
		return controllers.Identity{Name: obj.Spec.Project + "/" + obj.Spec.ServiceName + "/" + obj.Name}
	},
	Reads:          func(*v1alpha1.KafkaConnector) []aiven.Entry { return []aiven.Entry{aiven.AnyIntegration} },
	Item:           connectorItem,
	References:     []reference.Declaration{connectorSecrets},
	Secrets:        connector.Credentials,
	LookupOnDelete: true,
	Forget:         func(obj *v1alpha1.KafkaConnector) { connector.Record(obj, nil, nil) },
	Find:           findConnector,
	State:          connector.State,
	Diff: func(s resource.Scope, obj *v1alpha1.KafkaConnector, found *connector.Remote) controllers.Diff {
		wanted, _ := connectorConfig(s, obj) // findConnector has refused what can't be sent
		return connector.Diff(obj, wanted, found)
	},
	WriteOnly: connector.WriteOnly,
	Create:    createConnector,
	Update:    updateConnector,
	Delete:    deleteConnector,
}.Kind()

func createConnector(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaConnector) (*connector.Remote, error) {
	config, err := connectorConfig(s, obj)
	if err != nil {
		return nil, err
	}
	out, err := s.Client.API().ServiceKafkaConnectCreateConnector(ctx, s.Project, s.ServiceName, &config)
	if err != nil {
		return nil, fmt.Errorf("creating connector: %w", connector.Fields(obj).Of(err))
	}
	return started(obj, out.Config), nil
}

// updateConnector replaces the whole config, and the tasks start again.
func updateConnector(
	ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaConnector, _ *connector.Remote, _ controllers.Diff,
) (*connector.Remote, error) {
	config, err := connectorConfig(s, obj)
	if err != nil {
		return nil, err
	}
	out, err := s.Client.API().ServiceKafkaConnectEditConnector(ctx, s.Project, s.ServiceName, obj.Name, &config)
	if err != nil {
		return nil, fmt.Errorf("changing connector: %w", connector.Fields(obj).Of(err))
	}
	return started(obj, out.Config), nil
}

// started is a connector after a write, whose tasks have no state yet: what they failed of before is over.
func started(obj *v1alpha1.KafkaConnector, config map[string]string) *connector.Remote {
	obj.Status.TasksStatus = nil
	if config == nil {
		return nil // it is read
	}
	return &connector.Remote{Config: config}
}

// deleteConnector has nothing to do where Kafka Connect is off: its connectors went with it.
func deleteConnector(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaConnector, found *connector.Remote) error {
	switch {
	case found == nil:
		return s.LookupErr
	case found.Off:
		service, err := deletion.LiveService(ctx, s.Client, s.Project, s.ServiceName)
		if err != nil {
			return fmt.Errorf("reading service: %w", err)
		}
		if service == nil {
			return nil
		}
		if _, off := connector.Pending(service); off {
			return nil
		}
		fallthrough // it is back
	case found.Waits != "":
		return deletion.SwitchedOff(found.Waits)
	}
	if err := s.Client.API().ServiceKafkaConnectDeleteConnector(ctx, s.Project, s.ServiceName, obj.Name); err != nil {
		return fmt.Errorf("deleting connector: %w", err)
	}
	return nil
}
