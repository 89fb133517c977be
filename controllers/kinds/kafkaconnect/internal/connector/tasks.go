package connector

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	avnconnect "github.com/aiven/go-client-codegen/handler/kafkaconnect"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// States of connectors and of their tasks.
const (
	stateRunning    = string(avnconnect.TaskStateTypeRunning)
	stateFailed     = string(avnconnect.TaskStateTypeFailed)
	statePaused     = string(avnconnect.TaskStateTypePaused)
	stateStopped    = string(avnconnect.TaskStateTypeStopped)
	stateUnassigned = string(avnconnect.TaskStateTypeUnassigned)
)

// Tasks are those of a connector.
type Tasks []avnconnect.ServiceKafkaConnectGetConnectorStatusTaskOut

// count is how many have one of some states.
func (all Tasks) count(states ...string) int {
	n := 0
	for _, t := range all {
		if slices.Contains(states, string(t.State)) {
			n++
		}
	}
	return n
}

// authentication begins a trace of a task that can't log in.
var authentication = regexp.MustCompile(`(?i)authenticat|unauthorized|authorizationexception|access denied|invalid credentials`)

func connectorTasks(found *Remote) *status.Members {
	m := &status.Members{Total: len(found.Tasks), Failed: found.Tasks.count(stateFailed), Message: found.Error}
	if found.State == stateFailed && m.Failed == 0 {
		m.Total = max(1, m.Total)
		m.Failed, m.Message = m.Total, "the connector itself has failed. Correct spec.userConfig, or restart it at Aiven"
	}
	if authentication.MatchString(m.Message) {
		m.Reason = "AuthFailed"
	}
	return m
}

// tasksStatus is what the status of an object shows. before is its stackTrace until now.
func tasksStatus(all Tasks, before string, secrets *fault.Secrets) *v1alpha1.KafkaConnectorTasksStatus {
	known := all.count(stateRunning, stateFailed, statePaused, stateUnassigned)
	return &v1alpha1.KafkaConnectorTasksStatus{
		Total: len(all), Running: ptr.To(all.count(stateRunning)), Failed: ptr.To(all.count(stateFailed)),
		Paused: ptr.To(all.count(statePaused)), Unassigned: ptr.To(all.count(stateUnassigned)),
		Unknown: ptr.To(len(all) - known), StackTrace: stackTrace(before, all, secrets),
	}
}

// longestTrace is in bytes, longestTasks those of its first line.
const longestTrace, longestTasks = 4 << 10, 256

// stackTrace names the tasks that have failed in its first line. It stays as it is while they are the same ones: their traces
// may have other times and offsets at each read, and each would be a write.
func stackTrace(before string, all Tasks, secrets *fault.Secrets) string {
	var ids, traces []string
	length := 0
	for _, t := range all {
		if string(t.State) != stateFailed {
			continue
		}
		ids = append(ids, fmt.Sprint(t.Id))
		if length < longestTrace {
			traces = append(traces, strings.TrimSpace(secrets.Hide(t.Trace)))
			length += len(traces[len(traces)-1])
		}
	}
	first := cut("Failed tasks: "+strings.Join(ids, ", "), longestTasks) + "\n"
	switch {
	case len(ids) == 0:
		return ""
	case strings.HasPrefix(before, first):
		return before
	default:
		return cut(first+strings.Join(traces, "\n"), longestTrace)
	}
}

// cut keeps the beginning of a text, and no half character.
func cut(text string, length int) string {
	if len(text) > length {
		text = strings.ToValidUTF8(text[:length], "")
	}
	return text
}
