package export

import (
	"cmp"
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"

	avnservice "github.com/aiven/go-client-codegen/handler/service"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/kinds/integration"
)

// links are the integrations of services, each once, by their ids.
type links map[string]aiven.Integration

func (l links) add(s *aiven.Service) {
	for _, found := range s.Integrations {
		l[found.ServiceIntegrationId] = found
	}
}

// integrations exports what connects services. Of several with the same type and ends, the kind manages the one with the smallest id.
func (e *exporter) integrations(linked links) {
	if !e.wants("ServiceIntegration") {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(linked)) {
		found := linked[id]
		obj := exportIntegration(e.Project, found)
		ends := []string{
			cmp.Or(found.SourceService, ptr.Deref(found.SourceEndpointId, "")), cmp.Or(ptr.Deref(found.DestService, ""), ptr.Deref(found.DestEndpointId, "")),
		}
		what := "integration " + string(found.IntegrationType) + " from " + end(found.SourceProject, ends[0]) + " to " + end(found.DestProject, ends[1])
		d := draft{what: what, real: joined(ends[0], ends[1], string(found.IntegrationType)), twins: true}
		if !slices.Contains(integrationTypes, string(found.IntegrationType)) {
			e.leave(what, "no kind serves integrations of this type")
			continue
		}
		e.fillBlock(&d, &obj.Spec, string(found.IntegrationType), found.UserConfig)
		add(e, integration.Integration, obj, d)
	}
}

func end(project, name string) string { return project + "/" + name }

// integrationTypes are those that the kind has.
var integrationTypes = []string{
	"alertmanager", "autoscaler", "caching", "cassandra_cross_service_cluster", "clickhouse_kafka", "clickhouse_postgresql", "dashboard", "datadog",
	"datasource", "external_aws_cloudwatch_logs", "external_aws_cloudwatch_metrics", "external_elasticsearch_logs", "external_google_cloud_logging",
	"external_opensearch_logs", "flink", "flink_external_kafka", "flink_external_postgresql", "internal_connectivity", "jolokia", "kafka_connect",
	"kafka_logs", "kafka_mirrormaker", "logs", "metrics", "opensearch_cross_cluster_replication", "opensearch_cross_cluster_search", "prometheus",
	"read_replica", "rsyslog", "schema_registry_proxy", "stresstester", "thanosquery", "thanosstore", "vmalert",
}

func exportIntegration(project string, found aiven.Integration) *v1alpha1.ServiceIntegration {
	obj := &v1alpha1.ServiceIntegration{}
	spec := &obj.Spec
	spec.Project, spec.IntegrationType = project, string(found.IntegrationType)
	other := func(of string) string {
		if of == project {
			return ""
		}
		return of
	}
	if spec.SourceEndpointID = ptr.Deref(found.SourceEndpointId, ""); spec.SourceEndpointID == "" {
		spec.SourceServiceName, spec.SourceProjectName = found.SourceService, other(found.SourceProject)
	}
	if spec.DestinationEndpointID = ptr.Deref(found.DestEndpointId, ""); spec.DestinationEndpointID == "" {
		spec.DestinationServiceName, spec.DestinationProjectName = ptr.Deref(found.DestService, ""), other(found.DestProject)
	}
	return obj
}

// fillBlock fills the block of options of a type, of an integration or an endpoint: its field is called like the type. A block in
// which a secret is set stays out as a whole: what an update doesn't send, Aiven may reset.
func (e *exporter) fillBlock(d *draft, spec any, of string, found map[string]any) {
	field, name := block(reflect.ValueOf(spec).Elem(), of)
	if !field.IsValid() || len(found) == 0 {
		return
	}
	tree := reflect.New(field.Type().Elem())
	decode := decoder{leave: d.note, remember: e.remember}
	switch path := "spec." + name; {
	case decode.tree(path, tree.Elem(), found, nil, false):
		if !tree.Elem().IsZero() {
			field.Set(tree)
		}
	case holdsSecret(field.Type(), found):
		d.note(path, reasonHolder)
	default:
		d.note(path, reasonLacking)
	}
}

// block is the field of a spec for the options of a type, and its name.
func block(spec reflect.Value, of string) (reflect.Value, string) {
	for i := range spec.NumField() {
		name, _, _ := strings.Cut(spec.Type().Field(i).Tag.Get("json"), ",")
		if name != "" && strings.EqualFold(name, strings.ReplaceAll(of, "_", "")) {
			return spec.Field(i), name
		}
	}
	return reflect.Value{}, ""
}

// endpoints exports what is outside of Aiven, without credentials. Those are read only to keep them out.
func (e *exporter) endpoints(ctx context.Context) {
	if !e.wants("ServiceIntegrationEndpoint") {
		return
	}
	listed, _ := ask(ctx, e, "integration endpoints", func(ctx context.Context) ([]avnservice.ServiceIntegrationEndpointOut, error) {
		return e.client.API().ServiceIntegrationEndpointList(ctx, e.Project)
	})
	slices.SortFunc(listed, func(a, b avnservice.ServiceIntegrationEndpointOut) int {
		return cmp.Compare(a.EndpointId, b.EndpointId)
	})
	for _, l := range listed {
		of := string(l.EndpointType)
		d := draft{what: "integration endpoint " + of + " " + l.EndpointName, real: l.EndpointName}
		obj := &v1alpha1.ServiceIntegrationEndpoint{}
		if options, _ := block(reflect.ValueOf(&obj.Spec).Elem(), of); !options.IsValid() {
			e.leave(d.what, "the kind has no options for endpoints of this type")
			continue
		}
		found, read := ask(ctx, e, d.what, func(ctx context.Context) (*avnservice.ServiceIntegrationEndpointGetOut, error) {
			return e.client.API().ServiceIntegrationEndpointGet(ctx, e.Project, l.EndpointId, avnservice.ServiceIntegrationEndpointGetIncludeSecrets(true))
		})
		if !read {
			continue
		}
		obj.Spec.Project, obj.Spec.EndpointName, obj.Spec.EndpointType = e.Project, l.EndpointName, of
		e.fillBlock(&d, &obj.Spec, of, found.UserConfig)
		add(e, integration.Endpoint, obj, d)
	}
}
