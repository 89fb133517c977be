package service

import (
	"cmp"

	avnservice "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/controllers/internal/aiven"
)

func (w *desired) createRequest(serviceType string) *avnservice.ServiceCreateIn {
	in := &avnservice.ServiceCreateIn{
		ServiceName: w.name, ServiceType: serviceType, Plan: w.plan,
		Cloud: aiven.Optional(w.cloud), ProjectVpcId: aiven.Optional(w.vpc), DiskSpaceMb: aiven.Optional(w.diskMB),
		Maintenance: w.maintenance(aiven.Maintenance{}), TechEmails: w.contacts(), TerminationProtection: w.protection,
	}
	if len(w.tags) > 0 {
		in.Tags = &w.tags
	}
	if len(w.create) > 0 {
		in.UserConfig = &w.create
	}
	if len(w.integrations) > 0 {
		in.ServiceIntegrations = &w.integrations
	}
	return in
}

// updateRequest holds everything that the spec sets. The VPC is always named: without it, the service would leave the
// one that it is in. Left out is what Aiven would refuse although nothing changes: the disk of a service that an autoscaler
// resizes, or may resize, and the power of one that is off already, and may be protected.
func (w *desired) updateRequest(s *aiven.Service) *avnservice.ServiceUpdateIn {
	in := &avnservice.ServiceUpdateIn{
		Plan: aiven.Optional(w.plan), Cloud: aiven.Optional(w.cloud),
		ProjectVpcId: aiven.Optional(cmp.Or(w.vpc, s.ProjectVPCID)), Maintenance: w.maintenance(s.Maintenance),
		TechEmails: w.contacts(), TerminationProtection: w.protection,
	}
	if s.Lists(aiven.AnyIntegration) && !autoscales(s) {
		in.DiskSpaceMb = aiven.Optional(w.diskMB)
	}
	if w.powered || s.State != aiven.StatePoweroff {
		in.Powered = &w.powered
	}
	if w.keepNewer(s); len(w.update) > 0 {
		in.UserConfig = &w.update
	}
	return in
}

// maintenance completes a window of which the spec gives one half with the half that Aiven has.
func (w *desired) maintenance(have aiven.Maintenance) *avnservice.MaintenanceIn {
	if w.day == "" && w.time == "" {
		return nil
	}
	return &avnservice.MaintenanceIn{
		Dow: avnservice.DowType(cmp.Or(w.day, have.Dow)), Time: aiven.Optional(clock(cmp.Or(w.time, have.Time))),
	}
}

func (w *desired) contacts() *[]avnservice.TechEmailIn {
	if w.emails == nil {
		return nil
	}
	out := make([]avnservice.TechEmailIn, 0, len(w.emails))
	for _, email := range w.emails {
		out = append(out, avnservice.TechEmailIn{Email: email})
	}
	return &out
}
