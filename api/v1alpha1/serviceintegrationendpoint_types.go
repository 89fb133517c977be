package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	autoscalerendpoint "github.com/aero-operator/aero/api/v1alpha1/userconfig/integrationendpoints/autoscaler"
	datadogendpoint "github.com/aero-operator/aero/api/v1alpha1/userconfig/integrationendpoints/datadog"
	externalawscloudwatchlogsendpoint "github.com/aero-operator/aero/api/v1alpha1/userconfig/integrationendpoints/external_aws_cloudwatch_logs"
	externalawscloudwatchmetricsendpoint "github.com/aero-operator/aero/api/v1alpha1/userconfig/integrationendpoints/external_aws_cloudwatch_metrics"
	externalelasticsearchlogsendpoint "github.com/aero-operator/aero/api/v1alpha1/userconfig/integrationendpoints/external_elasticsearch_logs"
	externalgooglecloudbigqueryendpoint "github.com/aero-operator/aero/api/v1alpha1/userconfig/integrationendpoints/external_google_cloud_bigquery"
	externalgooglecloudloggingendpoint "github.com/aero-operator/aero/api/v1alpha1/userconfig/integrationendpoints/external_google_cloud_logging"
	externalkafkaendpoint "github.com/aero-operator/aero/api/v1alpha1/userconfig/integrationendpoints/external_kafka"
	externalopensearchlogsendpoint "github.com/aero-operator/aero/api/v1alpha1/userconfig/integrationendpoints/external_opensearch_logs"
	externalpostgresqlendpoint "github.com/aero-operator/aero/api/v1alpha1/userconfig/integrationendpoints/external_postgresql"
	externalschemaregistryendpoint "github.com/aero-operator/aero/api/v1alpha1/userconfig/integrationendpoints/external_schema_registry"
	jolokiaendpoint "github.com/aero-operator/aero/api/v1alpha1/userconfig/integrationendpoints/jolokia"
	prometheusendpoint "github.com/aero-operator/aero/api/v1alpha1/userconfig/integrationendpoints/prometheus"
	rsyslogendpoint "github.com/aero-operator/aero/api/v1alpha1/userconfig/integrationendpoints/rsyslog"
)

// ServiceIntegrationEndpointSpec defines the desired state of a service integration endpoint.
// +kubebuilder:validation:XValidation:rule="has(self.endpointName) && self.endpointName != \"\"",message="is required: set it to the name that the endpoint has, or is to have, at Aiven",fieldPath=".endpointName"
// +kubebuilder:validation:XValidation:rule="!has(self.autoscaler) || self.endpointType == 'autoscaler'",message="is only for the type autoscaler: remove it, or create another object with that type",fieldPath=".autoscaler"
// +kubebuilder:validation:XValidation:rule="!has(self.datadog) || self.endpointType == 'datadog'",message="is only for the type datadog: remove it, or create another object with that type",fieldPath=".datadog"
// +kubebuilder:validation:XValidation:rule="!has(self.externalAWSCloudwatchLogs) || self.endpointType == 'external_aws_cloudwatch_logs'",message="is only for the type external_aws_cloudwatch_logs: remove it, or create another object with that type",fieldPath=".externalAWSCloudwatchLogs"
// +kubebuilder:validation:XValidation:rule="!has(self.externalAWSCloudwatchMetrics) || self.endpointType == 'external_aws_cloudwatch_metrics'",message="is only for the type external_aws_cloudwatch_metrics: remove it, or create another object with that type",fieldPath=".externalAWSCloudwatchMetrics"
// +kubebuilder:validation:XValidation:rule="!has(self.externalElasticsearchLogs) || self.endpointType == 'external_elasticsearch_logs'",message="is only for the type external_elasticsearch_logs: remove it, or create another object with that type",fieldPath=".externalElasticsearchLogs"
// +kubebuilder:validation:XValidation:rule="!has(self.externalGoogleCloudBigquery) || self.endpointType == 'external_google_cloud_bigquery'",message="is only for the type external_google_cloud_bigquery: remove it, or create another object with that type",fieldPath=".externalGoogleCloudBigquery"
// +kubebuilder:validation:XValidation:rule="!has(self.externalGoogleCloudLogging) || self.endpointType == 'external_google_cloud_logging'",message="is only for the type external_google_cloud_logging: remove it, or create another object with that type",fieldPath=".externalGoogleCloudLogging"
// +kubebuilder:validation:XValidation:rule="!has(self.externalKafka) || self.endpointType == 'external_kafka'",message="is only for the type external_kafka: remove it, or create another object with that type",fieldPath=".externalKafka"
// +kubebuilder:validation:XValidation:rule="!has(self.externalOpensearchLogs) || self.endpointType == 'external_opensearch_logs'",message="is only for the type external_opensearch_logs: remove it, or create another object with that type",fieldPath=".externalOpensearchLogs"
// +kubebuilder:validation:XValidation:rule="!has(self.externalPostgresql) || self.endpointType == 'external_postgresql'",message="is only for the type external_postgresql: remove it, or create another object with that type",fieldPath=".externalPostgresql"
// +kubebuilder:validation:XValidation:rule="!has(self.externalSchemaRegistry) || self.endpointType == 'external_schema_registry'",message="is only for the type external_schema_registry: remove it, or create another object with that type",fieldPath=".externalSchemaRegistry"
// +kubebuilder:validation:XValidation:rule="!has(self.jolokia) || self.endpointType == 'jolokia'",message="is only for the type jolokia: remove it, or create another object with that type",fieldPath=".jolokia"
// +kubebuilder:validation:XValidation:rule="!has(self.prometheus) || self.endpointType == 'prometheus'",message="is only for the type prometheus: remove it, or create another object with that type",fieldPath=".prometheus"
// +kubebuilder:validation:XValidation:rule="!has(self.rsyslog) || self.endpointType == 'rsyslog'",message="is only for the type rsyslog: remove it, or create another object with that type",fieldPath=".rsyslog"
type ServiceIntegrationEndpointSpec struct {
	ProjectDependant `json:",inline"`

	// Name of the endpoint at Aiven. Required. Immutable.
	// +kubebuilder:validation:MaxLength=36
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +optional
	EndpointName string `json:"endpointName,omitempty"`

	// Type of the endpoint: what it connects services with. Immutable.
	// +kubebuilder:validation:Enum="autoscaler";"datadog";"external_aws_cloudwatch_logs";"external_aws_cloudwatch_metrics";"external_aws_s3";"external_clickhouse";"external_elasticsearch_logs";"external_google_cloud_bigquery";"external_google_cloud_logging";"external_kafka";"external_mysql";"external_opensearch_logs";"external_postgresql";"external_redis";"external_schema_registry";"external_sumologic_logs";"jolokia";"prometheus";"rsyslog"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	EndpointType string `json:"endpointType"`

	// Options of an autoscaler endpoint: what is scaled, and up to which size.
	// +optional
	Autoscaler *autoscalerendpoint.AutoscalerUserConfig `json:"autoscaler,omitempty"`

	// Options of a datadog endpoint: the site, its API key, tags.
	// +optional
	Datadog *datadogendpoint.DatadogUserConfig `json:"datadog,omitempty"`

	// Options of an external_aws_cloudwatch_logs endpoint: the AWS region, log group and credentials.
	// +optional
	ExternalAWSCloudwatchLogs *externalawscloudwatchlogsendpoint.ExternalAwsCloudwatchLogsUserConfig `json:"externalAWSCloudwatchLogs,omitempty"`

	// Options of an external_aws_cloudwatch_metrics endpoint: the AWS region, namespace and credentials.
	// +optional
	ExternalAWSCloudwatchMetrics *externalawscloudwatchmetricsendpoint.ExternalAwsCloudwatchMetricsUserConfig `json:"externalAWSCloudwatchMetrics,omitempty"`

	// Options of an external_elasticsearch_logs endpoint: the URL with its credentials, and the indexes.
	// +optional
	ExternalElasticsearchLogs *externalelasticsearchlogsendpoint.ExternalElasticsearchLogsUserConfig `json:"externalElasticsearchLogs,omitempty"`

	// Options of an external_google_cloud_bigquery endpoint: the Google Cloud project and its credentials.
	// +optional
	ExternalGoogleCloudBigquery *externalgooglecloudbigqueryendpoint.ExternalGoogleCloudBigqueryUserConfig `json:"externalGoogleCloudBigquery,omitempty"`

	// Options of an external_google_cloud_logging endpoint: the Google Cloud project, log and credentials.
	// +optional
	ExternalGoogleCloudLogging *externalgooglecloudloggingendpoint.ExternalGoogleCloudLoggingUserConfig `json:"externalGoogleCloudLogging,omitempty"`

	// Options of an external_kafka endpoint: the brokers and how to log in to them.
	// +optional
	ExternalKafka *externalkafkaendpoint.ExternalKafkaUserConfig `json:"externalKafka,omitempty"`

	// Options of an external_opensearch_logs endpoint: the URL with its credentials, and the indexes.
	// +optional
	ExternalOpensearchLogs *externalopensearchlogsendpoint.ExternalOpensearchLogsUserConfig `json:"externalOpensearchLogs,omitempty"`

	// Options of an external_postgresql endpoint: the address of the database and how to log in to it.
	// +optional
	ExternalPostgresql *externalpostgresqlendpoint.ExternalPostgresqlUserConfig `json:"externalPostgresql,omitempty"`

	// Options of an external_schema_registry endpoint: the URL of the registry and how to log in to it.
	// +optional
	ExternalSchemaRegistry *externalschemaregistryendpoint.ExternalSchemaRegistryUserConfig `json:"externalSchemaRegistry,omitempty"`

	// Options of a jolokia endpoint: the user and password for its HTTP endpoint.
	// +optional
	Jolokia *jolokiaendpoint.JolokiaUserConfig `json:"jolokia,omitempty"`

	// Options of a prometheus endpoint: the user and password for its HTTP endpoint.
	// +optional
	Prometheus *prometheusendpoint.PrometheusUserConfig `json:"prometheus,omitempty"`

	// Options of an rsyslog endpoint: the server, its format and TLS.
	// +optional
	Rsyslog *rsyslogendpoint.RsyslogUserConfig `json:"rsyslog,omitempty"`
}

// ServiceIntegrationEndpointStatus is the observed state of a service integration endpoint.
type ServiceIntegrationEndpointStatus struct {
	CommonStatus `json:",inline"`

	// ID of the endpoint at Aiven.
	// +optional
	ID string `json:"id,omitempty"`
}

// ServiceIntegrationEndpoint is a system outside of Aiven that services can be integrated with, and how to log in to it.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:validation:XValidation:rule="has(self.spec) || !has(oldSelf.spec)",message="spec can't be removed: delete the object instead"
// +kubebuilder:resource:path=serviceintegrationendpoints,singular=serviceintegrationendpoint,shortName=avnendpoint,categories=aiven
// +kubebuilder:printcolumn:name="Project",type="string",JSONPath=".spec.project"
// +kubebuilder:printcolumn:name="Endpoint Name",type="string",JSONPath=".spec.endpointName"
// +kubebuilder:printcolumn:name="Endpoint Type",type="string",JSONPath=".spec.endpointType"
// +kubebuilder:printcolumn:name="ID",type="string",JSONPath=".status.id",priority=1
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Phase",type="string",JSONPath=".status.phase",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].message",priority=1
type ServiceIntegrationEndpoint struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Desired state of the endpoint.
	// +optional
	Spec ServiceIntegrationEndpointSpec `json:"spec,omitzero"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status ServiceIntegrationEndpointStatus `json:"status,omitzero"`
}

// ServiceIntegrationEndpointList is a list of service integration endpoints.
// +kubebuilder:object:root=true
type ServiceIntegrationEndpointList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ServiceIntegrationEndpoint `json:"items"`
}

// GetAuthSecretRef returns the Secret key that holds the token, nil for the operator's default token.
func (s *ServiceIntegrationEndpoint) GetAuthSecretRef() *AuthSecretReference {
	return s.Spec.AuthSecretRef
}

// GetProjectDependant returns the project that the resource belongs to and its token.
func (s *ServiceIntegrationEndpoint) GetProjectDependant() *ProjectDependant {
	return &s.Spec.ProjectDependant
}

// GetCommonStatus returns the status that every kind has.
func (s *ServiceIntegrationEndpoint) GetCommonStatus() *CommonStatus { return &s.Status.CommonStatus }

func init() {
	register(&ServiceIntegrationEndpoint{}, &ServiceIntegrationEndpointList{})
}
