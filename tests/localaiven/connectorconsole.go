package localaiven

import (
	"maps"
	"net/http"
	"slices"
	"strconv"

	client "github.com/aiven/go-client-codegen/handler/kafkaconnect"
)

// consoleConnector sets states of a connector and of its tasks.
type consoleConnector struct {
	Name  string          `json:"name"`
	State string          `json:"state"`
	Tasks []connectorTask `json:"tasks"`
	// Failed is why its plugin can't be loaded; empty is that it is.
	Failed string `json:"failed"`
}

// checkConnectors reports whether what the console sets is there. The caller holds mu.
func (svc *service) checkConnectors(changes []consoleConnector) *apiError {
	for _, change := range changes {
		k := svc.kafka.connector(change.Name)
		if k == nil {
			return connectorNotFound(change.Name)
		}
		if !stateOf(change.State, client.ServiceKafkaConnectConnectorStateTypeChoices()) {
			return badRequest("Invalid state '%s' of connector '%s'", change.State, change.Name)
		}
		for _, t := range change.Tasks {
			if t.ID < 0 || t.ID >= taskCount(k.config) {
				return &apiError{http.StatusNotFound, "Task " + strconv.Itoa(t.ID) + " of connector '" + change.Name + "' does not exist"}
			}
			if !stateOf(t.State, client.TaskStateTypeChoices()) {
				return badRequest("Invalid state '%s' of task %d of connector '%s'", t.State, t.ID, change.Name)
			}
		}
	}
	return nil
}

// stateOf reports whether there is such a state; an empty one is the thing's own.
func stateOf(state string, choices []string) bool {
	return state == "" || slices.Contains(choices, state)
}

// patchConnectors applies what the console sets, after checkConnectors. The caller holds mu.
func (svc *service) patchConnectors(changes []consoleConnector) {
	for _, change := range changes {
		k := svc.kafka.connector(change.Name)
		k.forced, k.failed = change.State, change.Failed
		tasks := maps.Clone(k.tasks)
		if tasks == nil {
			tasks = map[int]connectorTask{}
		}
		for _, t := range change.Tasks {
			tasks[t.ID] = t
			if t.State == "" {
				delete(tasks, t.ID)
			}
		}
		k.tasks = tasks
	}
}
