package connector

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// Remote is a connector as Kafka Connect shows it.
type Remote struct {
	Waits   string // why Kafka Connect can't be asked: nothing else is known then
	Off     bool   // Kafka Connect is without a Kafka, and has no connectors
	Config  map[string]string
	Partial bool // Kafka Connect couldn't load it: the config holds what is known
	Plugin  *v1alpha1.KafkaConnectorPluginStatus
	State   string // empty while it has none
	Tasks   Tasks
	Error   string // of the first task that failed, or why it couldn't be loaded
}

// State counts a connector with failed tasks as Active, so that its tasks decide.
func State(found *Remote) status.Remote {
	r := status.Remote{Exists: found.Waits == "", Unread: found.Waits != "", State: found.State, Message: found.Waits}
	switch starting := len(found.Tasks) - found.Tasks.count(stateRunning, stateFailed); {
	case found.Waits != "":
	case found.Partial:
		r.Failure = "Kafka Connect can't load the connector: " + found.Error + ". Correct spec.connectorClass, or install its plugin"
	case found.State == statePaused || found.State == stateStopped:
		r.Reason, r.Failure = "Paused", "The connector is "+found.State+". Resume it at Aiven: no field of the spec does"
	case found.State != stateRunning && found.State != stateFailed:
		r.Message = "Waiting for Kafka Connect to assign the connector to a worker"
	case starting > 0 && found.Tasks.count(stateFailed) == 0 && found.State == stateRunning:
		r.Message = fmt.Sprintf("Waiting for Kafka Connect: %d of %d tasks don't run", starting, len(found.Tasks))
	default:
		r.Active, r.Members = true, connectorTasks(found)
	}
	return r
}

// Record fills the status, and makes errors of Kafka Connect fit for one: they may quote the config, and so secrets.
func Record(obj *v1alpha1.KafkaConnector, found *Remote, secrets *fault.Secrets) {
	if found == nil {
		obj.Status.State, obj.Status.PluginStatus, obj.Status.TasksStatus = "", nil, nil
		return
	}
	before := ptr.Deref(obj.Status.TasksStatus, v1alpha1.KafkaConnectorTasksStatus{}).StackTrace
	obj.Status.State, obj.Status.PluginStatus, obj.Status.TasksStatus = found.State, found.Plugin, nil
	if found.State != "" && !found.Partial {
		obj.Status.TasksStatus = tasksStatus(found.Tasks, before, secrets)
		_, traces, _ := strings.Cut(obj.Status.TasksStatus.StackTrace, "\n")
		found.Error, _, _ = strings.Cut(traces, "\n")
	}
	if found.Error != "" {
		found.Error = secrets.Of(errors.New(found.Error)).Message
	}
}
