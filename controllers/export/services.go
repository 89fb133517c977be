package export

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	avnproject "github.com/aiven/go-client-codegen/handler/project"
	avnservice "github.com/aiven/go-client-codegen/handler/service"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/oneshot"
	"github.com/aero-operator/aero/controllers/kinds/clickhouse"
	"github.com/aero-operator/aero/controllers/kinds/flink"
	"github.com/aero-operator/aero/controllers/kinds/grafana"
	"github.com/aero-operator/aero/controllers/kinds/kafka"
	"github.com/aero-operator/aero/controllers/kinds/kafkaconnect"
	"github.com/aero-operator/aero/controllers/kinds/mysql"
	"github.com/aero-operator/aero/controllers/kinds/opensearch"
	"github.com/aero-operator/aero/controllers/kinds/postgres"
	"github.com/aero-operator/aero/controllers/kinds/valkey"
	"github.com/aero-operator/aero/controllers/service"
)

// serviceType is how services of a type are exported, and what is in them.
type serviceType struct {
	service func(ctx context.Context, e *exporter, s *aiven.Service)
	inside  []func(ctx context.Context, e *exporter, s *aiven.Service)
}

type inside = []func(ctx context.Context, e *exporter, s *aiven.Service)

// serviceTypes are by Aiven's code of the type.
var serviceTypes = map[string]serviceType{
	"clickhouse":    {of(clickhouse.Service), inside{clickhouseContents}},
	"flink":         {of(flink.Service), nil},
	"grafana":       {of(grafana.Service), inside{users}},
	"kafka":         {of(kafka.Service), inside{users, topics, kafkaRules, quotas, schemas, connectors}},
	"kafka_connect": {of(kafkaconnect.Service), inside{connectors}},
	"mysql":         {of(mysql.Service), inside{databases, users}},
	"opensearch":    {of(opensearch.Service), inside{users, searchRules}},
	"pg":            {of(postgres.Service), inside{databases, users, pools}},
	"valkey":        {of(valkey.Service), inside{users}},
}

// serviceNames are those of the services to export, sorted.
func (e *exporter) serviceNames(ctx context.Context) ([]string, error) {
	if e.Service != "" {
		return []string{e.Service}, nil
	}
	listed, err := oneshot.Repeat(ctx, func(ctx context.Context) ([]avnservice.ServiceOut, error) {
		return e.client.API().ServiceList(ctx, e.Project)
	})
	if err != nil {
		return nil, fmt.Errorf("listing the services of project %s: %s", e.Project, withRemedy(err))
	}
	var all []string
	for i := range listed {
		all = append(all, listed[i].ServiceName)
	}
	slices.Sort(all)
	return all, nil
}

// service exports a service and what is in it.
func (e *exporter) service(ctx context.Context, s *aiven.Service) {
	for _, user := range s.Users {
		e.remember(user.Password, ptr.Deref(user.AccessKey, ""))
	}
	e.remember(s.URI, s.URIParams["password"])
	kind, served := serviceTypes[s.Type]
	if !served {
		e.leave("service "+s.Name, "no kind serves services of type "+s.Type)
		return
	}
	kind.service(ctx, e, s)
	for _, contents := range kind.inside {
		contents(ctx, e, s)
	}
}

// of exports the services of a kind.
func of[T service.Object](kind controllers.Kind[T]) func(ctx context.Context, e *exporter, s *aiven.Service) {
	return func(ctx context.Context, e *exporter, s *aiven.Service) {
		if !e.wants(kindOf(kind.Object)) {
			e.rememberOptions(kind.Object, s)
			return
		}
		obj := kind.Object.DeepCopyObject().(T)
		d := draft{service: s.Name, what: "service " + s.Name, real: s.Name, fixed: true}
		fillService(obj.GetBaseServiceFields(), s)
		if stored, hasDisk := any(obj).(interface {
			GetServiceCommonSpec() *v1alpha1.ServiceCommonSpec
		}); hasDisk {
			stored.GetServiceCommonSpec().DiskSpace = e.disk(ctx, &d, s)
		}
		e.fillOptions(&d, obj, s, e.defaults(ctx, s))
		if slices.ContainsFunc(s.Integrations, func(i aiven.Integration) bool {
			return i.IntegrationType == avnservice.IntegrationTypeReadReplica && ptr.Deref(i.DestService, "") == s.Name
		}) {
			d.note("spec.serviceIntegrations", reasonCreation)
		}
		add(e, kind, obj, d)
	}
}

// rememberOptions keeps the secrets of a service that isn't exported itself, but for what is in it.
func (e *exporter) rememberOptions(empty any, s *aiven.Service) {
	d := decoder{creation: true, leave: func(string, string) {}, remember: e.remember}
	options := reflect.ValueOf(empty).Elem().FieldByName("Spec").FieldByName("UserConfig")
	d.tree("", reflect.New(options.Type().Elem()).Elem(), s.UserConfig, nil, true)
}

// fillService fills what all services have. What has its default stays out.
func fillService(spec *v1alpha1.BaseServiceFields, s *aiven.Service) {
	spec.Project, spec.Plan, spec.CloudName, spec.ProjectVPCID = s.Project, s.Plan, s.Cloud, s.ProjectVPCID
	if dow := s.Maintenance.Dow; dow != "" && dow != "never" {
		spec.MaintenanceWindowDow, spec.MaintenanceWindowTime = dow, s.Maintenance.Time
	}
	if s.TerminationProtection {
		spec.TerminationProtection = ptr.To(true)
	}
	spec.Powered = ptr.To(s.State != aiven.StatePoweroff)
	if len(s.Tags) > 0 {
		spec.Tags = maps.Clone(s.Tags)
	}
	for _, address := range s.TechEmails {
		spec.TechnicalEmails = append(spec.TechnicalEmails, v1alpha1.ServiceTechEmail{Email: address})
	}
}

const mbPerGiB = 1024

// disk is the size of a disk that isn't the plan's own, nor an autoscaler's to choose.
func (e *exporter) disk(ctx context.Context, d *draft, s *aiven.Service) string {
	const path = "spec.disk_space"
	scaled := slices.ContainsFunc(s.Integrations, func(i aiven.Integration) bool { return i.IntegrationType == avnservice.IntegrationTypeAutoscaler })
	switch {
	case s.DiskSpaceMB == 0 || scaled:
		return ""
	case s.DiskSpaceMB%mbPerGiB != 0:
		d.note(path, fmt.Sprintf("not exported, as %d MiB aren't whole GiB", s.DiskSpaceMB))
		return ""
	}
	plan, err := oneshot.Repeat(ctx, func(ctx context.Context) (*avnproject.ProjectServicePlanSpecsGetOut, error) {
		return e.client.API().ProjectServicePlanSpecsGet(ctx, s.Project, s.Type, s.Plan)
	})
	switch {
	case err != nil:
		d.note(path, "may be the plan's own size, which isn't known, as Aiven doesn't return the plan. Remove the field then")
	case plan.DiskSpaceMb == s.DiskSpaceMB && !e.IncludeDefaults:
		return ""
	}
	return fmt.Sprintf("%dGiB", s.DiskSpaceMB/mbPerGiB)
}

// defaults is the schema of the options of a type; nil where Aiven doesn't return it, and where all options are asked for.
func (e *exporter) defaults(ctx context.Context, s *aiven.Service) map[string]any {
	if e.IncludeDefaults {
		return nil
	}
	if known, read := e.schemas[s.Type]; read {
		return known
	}
	out, err := oneshot.Repeat(ctx, func(ctx context.Context) (*avnproject.ProjectServiceTypesGetOut, error) {
		return e.client.API().ProjectServiceTypesGet(ctx, s.Project, s.Type)
	})
	if err != nil {
		out = &avnproject.ProjectServiceTypesGetOut{}
		e.leave("options of type "+s.Type, "their defaults aren't known, as Aiven doesn't return the schema: options that have them are exported, too")
	}
	e.schemas[s.Type] = out.UserConfigSchema
	return out.UserConfigSchema
}

// fillOptions fills the options of a service.
func (e *exporter) fillOptions(d *draft, obj any, s *aiven.Service, schema map[string]any) {
	options := reflect.ValueOf(obj).Elem().FieldByName("Spec").FieldByName("UserConfig")
	tree := reflect.New(options.Type().Elem())
	decode := decoder{creation: true, leave: d.note, remember: e.remember}
	decode.tree("spec.userConfig", tree.Elem(), s.UserConfig, schema, true)
	if !tree.Elem().IsZero() {
		options.Set(tree)
	}
}

// in is the place of what is in a service.
func in(s *aiven.Service) v1alpha1.ServiceDependant {
	var at v1alpha1.ServiceDependant
	at.Project, at.ServiceName = s.Project, s.Name
	return at
}

// about describes something in a service.
func about(s *aiven.Service, what, name string) draft {
	return draft{service: s.Name, what: "service " + s.Name + ": " + what + " " + name, real: name}
}
