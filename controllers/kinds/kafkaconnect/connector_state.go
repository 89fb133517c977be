package kafkaconnect

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/status"
	"github.com/aero-operator/aero/controllers/resource"
)

// remoteConnector is a connector as Kafka Connect shows it.
type remoteConnector struct {
	waits   string // why Kafka Connect can't be asked: nothing else is known then
	off     bool   // Kafka Connect is without a Kafka, and has no connectors
	config  map[string]string
	partial bool // Kafka Connect couldn't load it: the config holds what is known
	plugin  *v1alpha1.KafkaConnectorPluginStatus
	state   string // empty while it has none
	tasks   tasks
	error   string // of the first task that failed, or why it couldn't be loaded
}

// findConnector reads the list, which all connectors of a service share and which has no states, and then the state.
func findConnector(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaConnector) (*remoteConnector, error) {
	deleting := !obj.DeletionTimestamp.IsZero()
	if _, err := connectorConfig(s, obj); err != nil && !deleting {
		return nil, err
	}
	waits, off := connectPending(s.Service)
	if waits != "" {
		recordConnector(s, obj, nil)
		return &remoteConnector{waits: waits, off: off}, nil
	}
	all, err := connectors(ctx, s, connectorItem(obj))
	if err != nil {
		return unanswered(s, obj, err)
	}
	found := chooseConnector(obj, all)
	if deleting {
		return found, nil
	}
	if found != nil && !found.partial {
		out, err := s.Client.API().ServiceKafkaConnectGetConnectorStatus(ctx, s.Project, s.ServiceName, obj.Name)
		switch {
		case err == nil:
			found.state, found.tasks = string(out.State), out.Tasks
		case !fault.Is(err, fault.NotFound, fault.NotReady): // a new one has no state for a while
			return unanswered(s, obj, err)
		}
	}
	recordConnector(s, obj, found)
	return found, nil
}

// unanswered is a wait for a Kafka Connect that hasn't started yet. Where the connector was seen before, it is an error.
func unanswered(s resource.Scope, obj *v1alpha1.KafkaConnector, err error) (*remoteConnector, error) {
	starts := fault.Is(err, fault.NotReady, fault.Conflict, fault.Server)
	if !starts || obj.Status.State != "" || !obj.DeletionTimestamp.IsZero() {
		return nil, fmt.Errorf("reading connector: %w", err)
	}
	return &remoteConnector{waits: "Waiting for Kafka Connect to start: " + s.Refs.Secrets(credentialsIn(obj)...).Of(err).Message}, nil
}

// connectorState counts a connector with failed tasks as Active, so that its tasks decide.
func connectorState(found *remoteConnector) status.Remote {
	r := status.Remote{Exists: found.waits == "", State: found.state, Message: found.waits}
	switch starting := len(found.tasks) - found.tasks.count(stateRunning, stateFailed); {
	case found.waits != "":
	case found.partial:
		r.Failure = "Kafka Connect can't load the connector: " + found.error + ". Correct spec.connectorClass, or install its plugin"
	case found.state == statePaused || found.state == stateStopped:
		r.Reason, r.Failure = "Paused", "The connector is "+found.state+". Resume it at Aiven: no field of the spec does"
	case found.state != stateRunning && found.state != stateFailed:
		r.Message = "Waiting for Kafka Connect to assign the connector to a worker"
	case starting > 0 && found.tasks.count(stateFailed) == 0 && found.state == stateRunning:
		r.Message = fmt.Sprintf("Waiting for Kafka Connect: %d of %d tasks don't run", starting, len(found.tasks))
	default:
		r.Active, r.Members = true, connectorTasks(found)
	}
	return r
}

// recordConnector fills the status, and makes errors of Kafka Connect fit for one: they may quote the config.
func recordConnector(s resource.Scope, obj *v1alpha1.KafkaConnector, found *remoteConnector) {
	if found == nil {
		obj.Status.State, obj.Status.PluginStatus, obj.Status.TasksStatus = "", nil, nil
		return
	}
	secrets := s.Refs.Secrets(append(credentialsIn(obj), formerSecrets(s, obj, found)...)...)
	before := ptr.Deref(obj.Status.TasksStatus, v1alpha1.KafkaConnectorTasksStatus{}).StackTrace
	obj.Status.State, obj.Status.PluginStatus, obj.Status.TasksStatus = found.state, found.plugin, nil
	if found.state != "" && !found.partial {
		obj.Status.TasksStatus = tasksStatus(found.tasks, before, secrets)
		_, traces, _ := strings.Cut(obj.Status.TasksStatus.StackTrace, "\n")
		found.error, _, _ = strings.Cut(traces, "\n")
	}
	if found.error != "" {
		found.error = secrets.Of(errors.New(found.error)).Message
	}
}
