package service

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	avnservice "github.com/aiven/go-client-codegen/handler/service"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/plan"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
)

// Paths in the spec that are used in more than one place.
const (
	pathPlan    = "spec.plan"
	pathCloud   = "spec.cloudName"
	pathVPC     = "spec.projectVpcId"
	pathVPCRef  = "spec.projectVPCRef"
	pathDisk    = "spec.disk_space"
	pathPowered = "spec.powered"
	pathTags    = "spec.tags"
	pathOptions = "spec.userConfig"

	pathDay        = "spec.maintenanceWindowDow"
	pathTime       = "spec.maintenanceWindowTime"
	pathProtection = "spec.terminationProtection"
	pathEmails     = "spec.technicalEmails"

	pathIntegrations = "spec.serviceIntegrations"
)

// namePattern is Aiven's rule for names of services. Names of objects may be longer, begin with a digit and have dots.
var namePattern = regexp.MustCompile(`^[a-z][-a-z0-9]{0,63}$`)

// desired is what a spec asks for, in Aiven's terms. What the spec leaves open is empty or nil.
type desired struct {
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

func (c *controller[T]) desired(obj T) (desired, error) {
	spec := obj.GetBaseServiceFields()
	if !namePattern.MatchString(obj.GetName()) {
		return desired{}, fault.InvalidSpec("metadata.name", "must begin with a letter, and have at most 64 lower-case letters, "+
			"digits and dashes, as it names the service. Recreate the object under another name")
	}
	disk, err := diskMB(diskSpace(obj))
	if err != nil {
		return desired{}, err
	}
	w := desired{
		project: spec.Project, name: obj.GetName(), plan: spec.Plan, cloud: spec.CloudName,
		vpc: cmp.Or(spec.ProjectVPCID, c.env.Refs.ID(referenceVPC)), diskMB: disk,
		day: spec.MaintenanceWindowDow, time: spec.MaintenanceWindowTime,
		powered: spec.Powered == nil || *spec.Powered, protection: spec.TerminationProtection,
		tags: map[string]string{}, integrations: integrationsOf(spec),
		create: userconfig.Encode(c.Options(obj), userconfig.Create), update: userconfig.Encode(c.Options(obj), userconfig.Update),
	}
	maps.Copy(w.tags, spec.Tags)
	for _, contact := range spec.TechnicalEmails {
		w.emails = append(w.emails, contact.Email)
	}
	return w, c.addMigration(&w, obj)
}

func integrationsOf(spec *v1alpha1.BaseServiceFields) []avnservice.ServiceIntegrationIn {
	var out []avnservice.ServiceIntegrationIn
	for _, item := range spec.ServiceIntegrations {
		out = append(out, avnservice.ServiceIntegrationIn{
			IntegrationType: avnservice.IntegrationType(item.IntegrationType), SourceService: &item.SourceServiceName,
		})
	}
	return out
}

// diskSpace is the size of the disk that the spec asks for; empty for kinds without a disk.
func diskSpace(obj Object) string {
	if stored, hasDisk := obj.(diskOwner); hasDisk {
		return stored.GetServiceCommonSpec().DiskSpace
	}
	return ""
}

const mbPerGiB = 1024

// diskMB parses a size such as 90GiB, 90G or 90, in GiB.
func diskMB(size string) (int, error) {
	if size == "" {
		return 0, nil
	}
	digits := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(size), "ib"), "g")
	gib, err := strconv.ParseInt(digits, 10, 32)
	if err != nil || gib < 1 {
		return 0, fault.InvalidSpec(pathDisk, "must be a size in GiB, such as 90GiB")
	}
	return int(gib) * mbPerGiB, nil
}

// compare finds the differences between the spec and the service, and the options that Aiven doesn't report. The disk of
// a service that an autoscaler resizes isn't compared.
func (w *desired) compare(s *aiven.Service) (controllers.Diff, []string) {
	var d controllers.Diff
	isOff := s.State == aiven.StatePoweroff
	diffValue(&d, pathPlan, w.plan, s.Plan)
	diffValue(&d, pathCloud, w.cloud, s.Cloud)
	diffValue(&d, pathVPC, w.vpc, s.ProjectVPCID)
	if !autoscales(s) {
		diffValue(&d, pathDisk, w.diskMB, s.DiskSpaceMB)
	}
	diffValue(&d, pathDay, w.day, s.Maintenance.Dow)
	diffValue(&d, pathTime, clock(w.time), clock(s.Maintenance.Time))
	if w.protection != nil && *w.protection != s.TerminationProtection {
		d.Add(pathProtection, *w.protection, s.TerminationProtection)
	}
	if w.powered == isOff {
		d.Add(pathPowered, w.powered, !isOff)
	}
	if !maps.Equal(w.tags, s.Tags) {
		d.Add(pathTags, plan.Printed{Text: tagText(w.tags), Value: w.tags}, plan.Printed{Text: tagText(s.Tags), Value: s.Tags})
	}
	if w.emails != nil && !slices.Equal(addresses(w.emails), addresses(s.TechEmails)) {
		d.Add(pathEmails, w.emails, s.TechEmails)
	}
	options := userconfig.Compare(pathOptions, w.update, s.UserConfig)
	return append(d, options.Diff...), options.WriteOnly
}

// contradiction finds what the spec can't ask of a service, or of a new one, for which s is nil.
func (w *desired) contradiction(s *aiven.Service) error {
	isOff := s != nil && s.State == aiven.StatePoweroff
	switch {
	case s != nil && w.diskMB > 0 && autoscales(s):
		return fault.InvalidSpec(pathDisk, "can't be set, as an autoscaler integration changes the disk. Remove the field, or the integration")
	case !w.powered && !isOff && ptr.Deref(w.protection, false):
		return fault.InvalidSpec(pathPowered, "can't be false while spec.terminationProtection is true: Aiven doesn't power off a protected "+
			"service. Set terminationProtection to false, or powered to true")
	case s == nil && w.replicates(w.name):
		return fault.InvalidSpec(pathIntegrations, "a service can't be a replica of itself. Remove the field, or recreate the object with "+
			"another source")
	case s == nil && w.forksItself() != "":
		return fault.InvalidSpec(pathOptions+"."+w.forksItself(), "a service can't be a fork of itself. Remove the field, or recreate the object "+
			"with another source")
	default:
		return nil
	}
}

// replicates reports whether the spec asks for a replica of a service.
func (w *desired) replicates(name string) bool {
	return slices.ContainsFunc(w.integrations, func(i avnservice.ServiceIntegrationIn) bool { return *i.SourceService == name })
}

// forksItself returns the option that asks for a fork of the service itself; empty if none does. In another project, a service may have
// the same name.
func (w *desired) forksItself() string {
	for _, option := range []string{"service_to_fork_from", "pg_service_to_fork_from"} {
		if project := w.create["project_to_fork_from"]; w.create[option] == w.name && (project == nil || project == "" || project == w.project) {
			return option
		}
	}
	return ""
}

// autoscales reports whether an integration changes the size of the disk.
func autoscales(s *aiven.Service) bool {
	return slices.ContainsFunc(s.Integrations, func(i aiven.Integration) bool {
		return i.IntegrationType == avnservice.IntegrationTypeAutoscaler
	})
}

// appliedAsync reports whether Aiven applies a change after it has accepted it: the service may seem unchanged for a
// moment.
func appliedAsync(path string) bool {
	switch path {
	case pathPlan, pathCloud, pathVPC, pathDisk, pathPowered:
		return true
	default:
		option, isOption := strings.CutPrefix(path, pathOptions+".")
		return isOption && isVersion(option)
	}
}

// diffValue adds a difference for a value that the spec sets and the service has otherwise.
func diffValue[V comparable](d *controllers.Diff, path string, wanted, found V) {
	var open V
	if wanted != open && wanted != found {
		d.Add(path, wanted, found)
	}
}

// tagText writes tags as a manifest could have them.
func tagText(tags map[string]string) string {
	pairs := make([]string, 0, len(tags))
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		pairs = append(pairs, fmt.Sprintf("%s: %q", name, tags[name]))
	}
	return "{" + strings.Join(pairs, ", ") + "}"
}

var timeOfDay = regexp.MustCompile(`^\d+(:\d+){0,2}$`)

// clock writes a time of day in full: 9:00 is 09:00:00. What is none stays as it is, as Aiven's rejection quotes it.
func clock(t string) string {
	if !timeOfDay.MatchString(t) {
		return t
	}
	parts := append(strings.Split(t, ":"), "00", "00")[:3]
	for i, part := range parts {
		if len(part) == 1 {
			parts[i] = "0" + part
		}
	}
	return strings.Join(parts, ":")
}

// addresses writes mail addresses so that the same ones make the same list: their case and order mean nothing.
func addresses(list []string) []string {
	out := make([]string, 0, len(list))
	for _, address := range list {
		out = append(out, strings.ToLower(address))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
