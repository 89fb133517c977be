package service

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	avnservice "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// Paths in the spec that more than one place speaks of.
const (
	pathTags    = "spec.tags"
	pathOptions = "spec.userConfig"
)

// wants is what a spec asks for, in Aiven's terms. What the spec leaves open is empty or nil.
type wants struct {
	project, name string
	plan, cloud   string
	vpc           string
	diskMB        int
	day, time     string
	powered       bool
	protection    *bool
	tags          map[string]string
	emails        []string
	integrations  []avnservice.ServiceIntegrationIn
	create        map[string]any // options for a new service
	update        map[string]any // options that can be changed
}

func (c *controller[T]) wants(obj T) (wants, error) {
	spec := obj.GetServiceCommonSpec()
	disk, err := diskMB(spec.DiskSpace)
	if err != nil {
		return wants{}, err
	}
	w := wants{
		project: spec.Project, name: obj.GetName(), plan: spec.Plan, cloud: spec.CloudName,
		vpc: cmp.Or(spec.ProjectVPCID, c.env.Refs.ID(referenceVPC)), diskMB: disk,
		day: spec.MaintenanceWindowDow, time: spec.MaintenanceWindowTime,
		powered: spec.Powered == nil || *spec.Powered, protection: spec.TerminationProtection,
		tags: map[string]string{}, integrations: integrationsOf(spec),
		create: options(c.Options(obj), groupCreate), update: options(c.Options(obj), groupUpdate),
	}
	maps.Copy(w.tags, spec.Tags)
	for _, contact := range spec.TechnicalEmails {
		w.emails = append(w.emails, contact.Email)
	}
	return w, nil
}

func integrationsOf(spec *v1alpha1.ServiceCommonSpec) []avnservice.ServiceIntegrationIn {
	var out []avnservice.ServiceIntegrationIn
	for _, item := range spec.ServiceIntegrations {
		out = append(out, avnservice.ServiceIntegrationIn{
			IntegrationType: avnservice.IntegrationType(item.IntegrationType), SourceService: &item.SourceServiceName,
		})
	}
	return out
}

const mbPerGiB = 1024

// diskMB reads a size such as 90GiB, 90G or 90, in GiB.
func diskMB(size string) (int, error) {
	if size == "" {
		return 0, nil
	}
	digits := strings.TrimRight(strings.ToLower(size), "gib")
	gib, err := strconv.Atoi(digits)
	if err != nil {
		return 0, fault.InvalidSpec("spec.disk_space", "is not a size in GiB, such as 90GiB")
	}
	return gib * mbPerGiB, nil
}

// compare finds what Aiven has otherwise than the spec asks, and the options that Aiven doesn't tell.
func (w *wants) compare(s *aiven.Service) (controllers.Diff, []string) {
	var d controllers.Diff
	isOff := s.State == aiven.StatePoweroff
	different(&d, "spec.plan", w.plan, s.Plan)
	different(&d, "spec.cloudName", w.cloud, s.Cloud)
	different(&d, "spec.projectVpcId", w.vpc, s.ProjectVPCID)
	different(&d, "spec.disk_space", w.diskMB, s.DiskSpaceMB)
	different(&d, "spec.maintenanceWindowDow", w.day, s.Maintenance.Dow)
	different(&d, "spec.maintenanceWindowTime", clock(w.time), clock(s.Maintenance.Time))
	if w.protection != nil && *w.protection != s.TerminationProtection {
		d.Add("spec.terminationProtection", *w.protection, s.TerminationProtection)
	}
	if w.powered == isOff {
		d.Add("spec.powered", w.powered, !isOff)
	}
	if !maps.Equal(w.tags, s.Tags) {
		d.Add(pathTags, w.tags, s.Tags)
	}
	if w.emails != nil && !slices.Equal(sorted(w.emails), sorted(s.TechEmails)) {
		d.Add("spec.technicalEmails", w.emails, s.TechEmails)
	}
	differences, untold := compareOptions(pathOptions, any(w.update), any(s.UserConfig))
	for _, o := range differences {
		d.Add(o.path, o.wanted, o.found)
	}
	return d, untold
}

// different notes a value that the spec sets and Aiven has otherwise.
func different[V comparable](d *controllers.Diff, path string, wanted, found V) {
	var open V
	if wanted != open && wanted != found {
		d.Add(path, wanted, found)
	}
}

// clock writes a time of day with seconds and without a leading zero's absence: 9:00 and 09:00:00 are the same.
func clock(t string) string {
	if t == "" {
		return ""
	}
	parts := append(strings.Split(t, ":"), "00", "00")[:3]
	for i, part := range parts {
		if len(part) == 1 {
			parts[i] = "0" + part
		}
	}
	return strings.Join(parts, ":")
}

func (w *wants) createRequest(serviceType string) *avnservice.ServiceCreateIn {
	in := &avnservice.ServiceCreateIn{
		ServiceName: w.name, ServiceType: serviceType, Plan: w.plan,
		Cloud: optional(w.cloud), ProjectVpcId: optional(w.vpc), DiskSpaceMb: optional(w.diskMB),
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

// updateRequest asks for everything that the spec sets. The VPC is always named: without it, the service would leave the
// one that it is in.
func (w *wants) updateRequest(s *aiven.Service) *avnservice.ServiceUpdateIn {
	in := &avnservice.ServiceUpdateIn{
		Plan: optional(w.plan), Cloud: optional(w.cloud), DiskSpaceMb: optional(w.diskMB), Powered: &w.powered,
		ProjectVpcId: optional(cmp.Or(w.vpc, s.ProjectVPCID)), Maintenance: w.maintenance(s.Maintenance),
		TechEmails: w.contacts(), TerminationProtection: w.protection,
	}
	if len(w.update) > 0 {
		in.UserConfig = &w.update
	}
	return in
}

// maintenance completes a window of which the spec gives one half with the half that Aiven has.
func (w *wants) maintenance(have aiven.Maintenance) *avnservice.MaintenanceIn {
	if w.day == "" && w.time == "" {
		return nil
	}
	return &avnservice.MaintenanceIn{
		Dow: avnservice.DowType(cmp.Or(w.day, have.Dow)), Time: optional(clock(cmp.Or(w.time, have.Time))),
	}
}

func (w *wants) contacts() *[]avnservice.TechEmailIn {
	if w.emails == nil {
		return nil
	}
	out := make([]avnservice.TechEmailIn, 0, len(w.emails))
	for _, email := range w.emails {
		out = append(out, avnservice.TechEmailIn{Email: email})
	}
	return &out
}

// optional is nil for what the spec leaves open.
func optional[V comparable](v V) *V {
	var open V
	if v == open {
		return nil
	}
	return &v
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

func sortedKeys(tree map[string]any) []string { return slices.Sorted(maps.Keys(tree)) }
