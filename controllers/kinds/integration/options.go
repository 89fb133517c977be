package integration

import (
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
	"github.com/aero-operator/aero/controllers/kinds/integration/internal/remote"
)

// integrationOptions is the block of a spec for its type, and where it is; nil for types without options.
func integrationOptions(spec *v1alpha1.ServiceIntegrationSpec) (path string, options any) {
	switch spec.IntegrationType {
	case "autoscaler":
		return "spec.autoscaler", spec.Autoscaler
	case "clickhouse_kafka":
		return "spec.clickhouseKafka", spec.ClickhouseKafka
	case "clickhouse_postgresql":
		return "spec.clickhousePostgresql", spec.ClickhousePostgresql
	case "datadog":
		return "spec.datadog", spec.Datadog
	case "external_aws_cloudwatch_metrics":
		return "spec.externalAWSCloudwatchMetrics", spec.ExternalAWSCloudwatchMetrics
	case "kafka_connect":
		return "spec.kafkaConnect", spec.KafkaConnect
	case "kafka_logs":
		return "spec.kafkaLogs", spec.KafkaLogs
	case "kafka_mirrormaker":
		return "spec.kafkaMirrormaker", spec.KafkaMirrormaker
	case "logs":
		return "spec.logs", spec.Logs
	case "metrics":
		return "spec.metrics", spec.Metrics
	}
	return "", nil
}

// endpointOptions is the block of a spec for its type, and where it is; nil for types without options.
func endpointOptions(spec *v1alpha1.ServiceIntegrationEndpointSpec) (path string, options any) {
	switch spec.EndpointType {
	case "autoscaler":
		return "spec.autoscaler", spec.Autoscaler
	case "datadog":
		return "spec.datadog", spec.Datadog
	case "external_aws_cloudwatch_logs":
		return "spec.externalAWSCloudwatchLogs", spec.ExternalAWSCloudwatchLogs
	case "external_aws_cloudwatch_metrics":
		return "spec.externalAWSCloudwatchMetrics", spec.ExternalAWSCloudwatchMetrics
	case "external_elasticsearch_logs":
		return "spec.externalElasticsearchLogs", spec.ExternalElasticsearchLogs
	case "external_google_cloud_bigquery":
		return "spec.externalGoogleCloudBigquery", spec.ExternalGoogleCloudBigquery
	case "external_google_cloud_logging":
		return "spec.externalGoogleCloudLogging", spec.ExternalGoogleCloudLogging
	case "external_kafka":
		return "spec.externalKafka", spec.ExternalKafka
	case "external_opensearch_logs":
		return "spec.externalOpensearchLogs", spec.ExternalOpensearchLogs
	case "external_postgresql":
		return "spec.externalPostgresql", spec.ExternalPostgresql
	case "external_schema_registry":
		return "spec.externalSchemaRegistry", spec.ExternalSchemaRegistry
	case "jolokia":
		return "spec.jolokia", spec.Jolokia
	case "prometheus":
		return "spec.prometheus", spec.Prometheus
	case "rsyslog":
		return "spec.rsyslog", spec.Rsyslog
	}
	return "", nil
}

// anyDestination are the fields of which an integration needs one.
const anyDestination = "spec.destinationServiceName, spec.destinationEndpointId or " + remote.PathEndpointRef

// integrationFields are the fields of an integration by the parameters that they are sent as.
func integrationFields(spec *v1alpha1.ServiceIntegrationSpec) fault.Fields {
	path, _ := integrationOptions(spec)
	fields := fault.Fields{
		"integration_type":   fault.Fixed("spec.integrationType"),
		"source_project":     fault.Fixed("spec.sourceProjectName"),
		"source_service":     fault.Fixed("spec.sourceServiceName"),
		"source_endpoint_id": fault.Fixed("spec.sourceEndpointID"),
		"dest_project":       fault.Fixed("spec.destinationProjectName"),
		"dest_service":       fault.Fixed("spec.destinationServiceName"),
		"dest_endpoint_id":   fault.Fixed("spec.destinationEndpointId"),
		"user_config":        {Path: path, Tree: true},
	}
	if spec.DestinationEndpointRef != nil {
		fields["dest_endpoint_id"] = fault.Fixed(remote.PathEndpointRef)
	}
	if spec.DestinationServiceName == "" && spec.DestinationEndpointID == "" && spec.DestinationEndpointRef == nil {
		none := fault.Field{Path: anyDestination, Remedy: "Recreate the object with one of them"}
		fields["dest_service"], fields["dest_endpoint_id"] = none, none
	}
	for name, field := range map[string]string{spec.SourceServiceName: "source_service", spec.DestinationServiceName: "dest_service"} {
		if name != "" && spec.SourceServiceName != spec.DestinationServiceName {
			fields[name] = fields[field] // the text may begin with the service, and name the type behind it
		}
	}
	fields["integration_endpoint"] = fields["dest_endpoint_id"]
	if spec.SourceEndpointID != "" {
		fields["integration_endpoint"] = fields["source_endpoint_id"]
	}
	return fields
}

// endpointFields are the fields of an endpoint by the parameters that they are sent as.
func endpointFields(spec *v1alpha1.ServiceIntegrationEndpointSpec) fault.Fields {
	path, _ := endpointOptions(spec)
	return fault.Fields{
		"endpoint_name": fault.Fixed(pathName), "endpoint_type": fault.Fixed(pathType), "user_config": {Path: path, Tree: true},
	}
}

// isFree is about a type without credentials: such an endpoint is nothing but its spec. What is in one that exists isn't known from the list.
func isFree(obj *v1alpha1.ServiceIntegrationEndpoint) bool {
	_, options := endpointOptions(&obj.Spec)
	return options != nil && !userconfig.MayHoldSecrets(options)
}
