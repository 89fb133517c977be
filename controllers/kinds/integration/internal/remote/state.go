package remote

import (
	"cmp"
	"strings"

	avnservice "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// State is that of an integration, or of the one that Aiven makes with a read replica and that isn't there yet.
func State(found *aiven.Integration) status.Remote {
	if found.ServiceIntegrationId == "" {
		return status.Remote{Message: "Waiting for the service that is the read replica: Aiven makes this integration together with it, " +
			"by its spec.serviceIntegrations"}
	}
	r := status.Remote{Exists: true, Active: found.Active}
	if reported := found.IntegrationStatus; reported != nil {
		r.State = string(reported.State.Status)
		if reported.State.Status == avnservice.IntegrationStatusTypeFailed {
			r.Active, r.Failure = false, failureOf(reported)
			return r
		}
	}
	if !r.Active {
		r.Message = "Waiting for Aiven to start the integration"
	}
	return r
}

// failureOf is what Aiven reports of an integration that failed.
func failureOf(reported *avnservice.IntegrationStatusOut) string {
	text := strings.Join(append([]string{cmp.Or(reported.StatusUserDesc, "Aiven reported no description")}, reported.State.Errors...), ": ")
	return fault.Redact("The integration failed: " + text)
}
