package serviceintegration

import (
	"fmt"
	"slices"
	"time"

	client "github.com/aiven/go-client-codegen/handler/service"
)

// Integration is one as Aiven shows it. It connects a source with a destination, each of which is a service or an endpoint.
// It is never changed in place.
type Integration struct {
	Active               bool           `json:"active"`
	Description          string         `json:"description"`
	DestEndpoint         *string        `json:"dest_endpoint"`
	DestEndpointID       *string        `json:"dest_endpoint_id"`
	DestProject          string         `json:"dest_project"`
	DestService          *string        `json:"dest_service"`
	DestServiceType      string         `json:"dest_service_type"`
	Enabled              bool           `json:"enabled"`
	IntegrationStatus    Status         `json:"integration_status"`
	IntegrationType      string         `json:"integration_type"`
	ServiceIntegrationID string         `json:"service_integration_id"`
	SourceEndpoint       *string        `json:"source_endpoint"`
	SourceEndpointID     *string        `json:"source_endpoint_id"`
	SourceProject        string         `json:"source_project"`
	SourceService        *string        `json:"source_service"`
	SourceServiceType    string         `json:"source_service_type"`
	UserConfig           map[string]any `json:"user_config"`

	// Ready is when it is active: until then it is starting. Zero is always.
	Ready time.Time `json:"-"`

	// Source and Dest are its ends.
	Source Side `json:"-"`
	Dest   Side `json:"-"`
}

// Touches reports whether the service is at an end.
func (i *Integration) Touches(svc Service) bool {
	return i.Source.Service == svc || i.Dest.Service == svc
}

// In reports whether an end is in the project.
func (i *Integration) In(p Project) bool { return i.Source.Project == p || i.Dest.Project == p }

// same reports whether both connect the same in the same way.
func (i *Integration) same(other *Integration) bool {
	return i.IntegrationType == other.IntegrationType && i.Source.same(other.Source) && i.Dest.same(other.Dest)
}

// Status is integration_status.
type Status struct {
	State          State  `json:"state"`
	StatusUserDesc string `json:"status_user_desc"`
}

// State is the state in integration_status.
type State struct {
	Errors           []string       `json:"errors"`
	LikelyErrorCause *string        `json:"likely_error_cause"`
	Nodes            map[string]any `json:"nodes"`
	Status           string         `json:"status"`
}

// StatusOf is integration_status in a state of the integration.
func StatusOf(state, description string, errors []string) Status {
	return Status{
		StatusUserDesc: description,
		State:          State{Errors: append([]string{}, errors...), Nodes: map[string]any{}, Status: state},
	}
}

// Starting reports whether the integration is not active yet.
func (i Integration) Starting(now time.Time) bool { return now.Before(i.Ready) }

// At is the integration as it is shown at a time.
func (i Integration) At(now time.Time) Integration {
	if i.Starting(now) {
		i.Active = false
		i.IntegrationStatus = StatusOf(string(client.IntegrationStatusTypeStarting), "Integration is starting", nil)
	}
	return i
}

// Connects reports whether it makes a service of Kafka Connect work.
func (i Integration) Connects(project, service string) bool {
	return i.Active && i.IntegrationType == KafkaConnect && i.DestProject == project && i.DestService != nil && *i.DestService == service
}

// Change is what a user of the console sets.
type Change struct {
	Active      *bool          `json:"active"`
	Enabled     *bool          `json:"enabled"`
	Status      *string        `json:"status"`
	Description *string        `json:"status_user_desc"`
	Errors      []string       `json:"errors"`
	UserConfig  map[string]any `json:"user_config"`
}

// Check reports what is wrong with the change.
func (c Change) Check() error {
	if c.Status != nil && !slices.Contains(client.IntegrationStatusTypeChoices(), *c.Status) {
		return fmt.Errorf("Invalid status '%s': must be one of %v", *c.Status, client.IntegrationStatusTypeChoices())
	}
	return nil
}

// On is the integration with the change. It isn't starting any longer.
func (c Change) On(i Integration) Integration {
	i.Ready = time.Time{}
	set(&i.Active, c.Active)
	set(&i.Enabled, c.Enabled)
	status := i.IntegrationStatus
	i.IntegrationStatus = StatusOf(status.State.Status, status.StatusUserDesc, status.State.Errors)
	set(&i.IntegrationStatus.State.Status, c.Status)
	set(&i.IntegrationStatus.StatusUserDesc, c.Description)
	if c.Errors != nil {
		i.IntegrationStatus.State.Errors = c.Errors
	}
	if c.UserConfig != nil {
		i.UserConfig = c.UserConfig
	}
	return i
}

func set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}
