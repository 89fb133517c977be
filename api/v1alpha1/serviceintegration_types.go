package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	autoscaleroptions "github.com/aero-operator/aero/api/v1alpha1/userconfig/integration/autoscaler"
	clickhousekafkaoptions "github.com/aero-operator/aero/api/v1alpha1/userconfig/integration/clickhouse_kafka"
	clickhousepostgresqloptions "github.com/aero-operator/aero/api/v1alpha1/userconfig/integration/clickhouse_postgresql"
	datadogoptions "github.com/aero-operator/aero/api/v1alpha1/userconfig/integration/datadog"
	externalawscloudwatchmetricsoptions "github.com/aero-operator/aero/api/v1alpha1/userconfig/integration/external_aws_cloudwatch_metrics"
	kafkaconnectoptions "github.com/aero-operator/aero/api/v1alpha1/userconfig/integration/kafka_connect"
	kafkalogsoptions "github.com/aero-operator/aero/api/v1alpha1/userconfig/integration/kafka_logs"
	kafkamirrormakeroptions "github.com/aero-operator/aero/api/v1alpha1/userconfig/integration/kafka_mirrormaker"
	logsoptions "github.com/aero-operator/aero/api/v1alpha1/userconfig/integration/logs"
	metricsoptions "github.com/aero-operator/aero/api/v1alpha1/userconfig/integration/metrics"
)

// ServiceIntegrationSpec defines the desired state of a service integration.
// +kubebuilder:validation:XValidation:rule="!(has(self.destinationEndpointRef) && has(self.destinationEndpointId) && self.destinationEndpointId != \"\")",message="destinationEndpointId and destinationEndpointRef are mutually exclusive"
// +kubebuilder:validation:XValidation:rule="(has(self.sourceServiceName) && self.sourceServiceName != \"\") || (has(self.destinationServiceName) && self.destinationServiceName != \"\")",message="an integration connects at least one service: set sourceServiceName or destinationServiceName"
// +kubebuilder:validation:XValidation:rule="!(has(self.sourceServiceName) && self.sourceServiceName != \"\" && has(self.sourceEndpointID) && self.sourceEndpointID != \"\")",message="sourceServiceName and sourceEndpointID are mutually exclusive"
// +kubebuilder:validation:XValidation:rule="!(has(self.destinationServiceName) && self.destinationServiceName != \"\" && (has(self.destinationEndpointRef) || has(self.destinationEndpointId) && self.destinationEndpointId != \"\"))",message="destinationServiceName excludes destinationEndpointId and destinationEndpointRef"
// +kubebuilder:validation:XValidation:rule="!has(self.sourceServiceName) || self.sourceServiceName == \"\" || !has(self.destinationServiceName) || self.sourceServiceName != self.destinationServiceName || (has(self.sourceProjectName) && self.sourceProjectName != \"\" ? self.sourceProjectName : self.project) != (has(self.destinationProjectName) && self.destinationProjectName != \"\" ? self.destinationProjectName : self.project)",message="must be another service than the source: create the object with the name of one",fieldPath=".destinationServiceName"
// +kubebuilder:validation:XValidation:rule="(has(oldSelf.destinationEndpointId) && oldSelf.destinationEndpointId != \"\") == (has(self.destinationEndpointId) && self.destinationEndpointId != \"\")",message="field can't be added or removed: create another object instead",fieldPath=".destinationEndpointId"
// +kubebuilder:validation:XValidation:rule="(has(oldSelf.destinationProjectName) && oldSelf.destinationProjectName != \"\") == (has(self.destinationProjectName) && self.destinationProjectName != \"\")",message="field can't be added or removed: create another object instead",fieldPath=".destinationProjectName"
// +kubebuilder:validation:XValidation:rule="(has(oldSelf.destinationServiceName) && oldSelf.destinationServiceName != \"\") == (has(self.destinationServiceName) && self.destinationServiceName != \"\")",message="field can't be added or removed: create another object instead",fieldPath=".destinationServiceName"
// +kubebuilder:validation:XValidation:rule="(has(oldSelf.sourceEndpointID) && oldSelf.sourceEndpointID != \"\") == (has(self.sourceEndpointID) && self.sourceEndpointID != \"\")",message="field can't be added or removed: create another object instead",fieldPath=".sourceEndpointID"
// +kubebuilder:validation:XValidation:rule="(has(oldSelf.sourceProjectName) && oldSelf.sourceProjectName != \"\") == (has(self.sourceProjectName) && self.sourceProjectName != \"\")",message="field can't be added or removed: create another object instead",fieldPath=".sourceProjectName"
// +kubebuilder:validation:XValidation:rule="(has(oldSelf.sourceServiceName) && oldSelf.sourceServiceName != \"\") == (has(self.sourceServiceName) && self.sourceServiceName != \"\")",message="field can't be added or removed: create another object instead",fieldPath=".sourceServiceName"
// +kubebuilder:validation:XValidation:rule="has(oldSelf.destinationEndpointRef) == has(self.destinationEndpointRef)",message="field can't be added or removed: create another object instead",fieldPath=".destinationEndpointRef"
// +kubebuilder:validation:XValidation:rule="!has(self.autoscaler) || self.integrationType == 'autoscaler'",message="is only for the type autoscaler: remove it, or create another object with that type",fieldPath=".autoscaler"
// +kubebuilder:validation:XValidation:rule="!has(self.clickhouseKafka) || self.integrationType == 'clickhouse_kafka'",message="is only for the type clickhouse_kafka: remove it, or create another object with that type",fieldPath=".clickhouseKafka"
// +kubebuilder:validation:XValidation:rule="!has(self.clickhousePostgresql) || self.integrationType == 'clickhouse_postgresql'",message="is only for the type clickhouse_postgresql: remove it, or create another object with that type",fieldPath=".clickhousePostgresql"
// +kubebuilder:validation:XValidation:rule="!has(self.datadog) || self.integrationType == 'datadog'",message="is only for the type datadog: remove it, or create another object with that type",fieldPath=".datadog"
// +kubebuilder:validation:XValidation:rule="!has(self.externalAWSCloudwatchMetrics) || self.integrationType == 'external_aws_cloudwatch_metrics'",message="is only for the type external_aws_cloudwatch_metrics: remove it, or create another object with that type",fieldPath=".externalAWSCloudwatchMetrics"
// +kubebuilder:validation:XValidation:rule="!has(self.kafkaConnect) || self.integrationType == 'kafka_connect'",message="is only for the type kafka_connect: remove it, or create another object with that type",fieldPath=".kafkaConnect"
// +kubebuilder:validation:XValidation:rule="!has(self.kafkaLogs) || self.integrationType == 'kafka_logs'",message="is only for the type kafka_logs: remove it, or create another object with that type",fieldPath=".kafkaLogs"
// +kubebuilder:validation:XValidation:rule="!has(self.kafkaMirrormaker) || self.integrationType == 'kafka_mirrormaker'",message="is only for the type kafka_mirrormaker: remove it, or create another object with that type",fieldPath=".kafkaMirrormaker"
// +kubebuilder:validation:XValidation:rule="!has(self.logs) || self.integrationType == 'logs'",message="is only for the type logs: remove it, or create another object with that type",fieldPath=".logs"
// +kubebuilder:validation:XValidation:rule="!has(self.metrics) || self.integrationType == 'metrics'",message="is only for the type metrics: remove it, or create another object with that type",fieldPath=".metrics"
type ServiceIntegrationSpec struct {
	ProjectDependant `json:",inline"`

	// Type of the integration. It decides which services and endpoints can be its ends. Immutable.
	// +kubebuilder:validation:Enum="alertmanager";"autoscaler";"caching";"cassandra_cross_service_cluster";"clickhouse_kafka";"clickhouse_postgresql";"dashboard";"datadog";"datasource";"external_aws_cloudwatch_logs";"external_aws_cloudwatch_metrics";"external_elasticsearch_logs";"external_google_cloud_logging";"external_opensearch_logs";"flink";"flink_external_kafka";"flink_external_postgresql";"internal_connectivity";"jolokia";"kafka_connect";"kafka_logs";"kafka_mirrormaker";"logs";"metrics";"opensearch_cross_cluster_replication";"opensearch_cross_cluster_search";"prometheus";"read_replica";"rsyslog";"schema_registry_proxy";"stresstester";"thanosquery";"thanosstore";"vmalert"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	IntegrationType string `json:"integrationType"`

	// Name of the service that is the source. Immutable.
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +kubebuilder:validation:XValidation:rule="self != '.' && self != '..'",message="must not be . or ..: choose another name"
	// +optional
	SourceServiceName string `json:"sourceServiceName,omitempty"`

	// Project of the source. Defaults to the project of the integration. Immutable.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +kubebuilder:validation:XValidation:rule="self != '.' && self != '..'",message="must not be . or ..: choose another name"
	// +optional
	SourceProjectName string `json:"sourceProjectName,omitempty"`

	// ID of the endpoint that is the source, in place of a service. Immutable.
	// +kubebuilder:validation:MaxLength=36
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +optional
	SourceEndpointID string `json:"sourceEndpointID,omitempty"`

	// Name of the service that is the destination. Immutable.
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +kubebuilder:validation:XValidation:rule="self != '.' && self != '..'",message="must not be . or ..: choose another name"
	// +optional
	DestinationServiceName string `json:"destinationServiceName,omitempty"`

	// Project of the destination. Defaults to the project of the integration. Immutable.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +kubebuilder:validation:XValidation:rule="self != '.' && self != '..'",message="must not be . or ..: choose another name"
	// +optional
	DestinationProjectName string `json:"destinationProjectName,omitempty"`

	// ID of the endpoint that is the destination, in place of a service. Immutable.
	// +kubebuilder:validation:MaxLength=36
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +optional
	DestinationEndpointID string `json:"destinationEndpointId,omitempty"`

	// ServiceIntegrationEndpoint that is the destination, in place of a service or an ID. It must be in the same project. Immutable.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +kubebuilder:validation:XValidation:rule="!self.name.contains('/')",message="destinationEndpointRef.name must not contain a namespace"
	// +optional
	DestinationEndpointRef *EndpointReference `json:"destinationEndpointRef,omitempty"`

	// Options of an autoscaler integration, which has none.
	// +optional
	Autoscaler *autoscaleroptions.AutoscalerUserConfig `json:"autoscaler,omitempty"`

	// Options of a clickhouse_kafka integration: the tables of ClickHouse that read from Kafka topics.
	// +optional
	ClickhouseKafka *clickhousekafkaoptions.ClickhouseKafkaUserConfig `json:"clickhouseKafka,omitempty"`

	// Options of a clickhouse_postgresql integration: the PostgreSQL databases that ClickHouse shows.
	// +optional
	ClickhousePostgresql *clickhousepostgresqloptions.ClickhousePostgresqlUserConfig `json:"clickhousePostgresql,omitempty"`

	// Options of a datadog integration: tags, and the metrics that are sent.
	// +optional
	Datadog *datadogoptions.DatadogUserConfig `json:"datadog,omitempty"`

	// Options of an external_aws_cloudwatch_metrics integration: metrics that are left out or added.
	// +optional
	ExternalAWSCloudwatchMetrics *externalawscloudwatchmetricsoptions.ExternalAwsCloudwatchMetricsUserConfig `json:"externalAWSCloudwatchMetrics,omitempty"`

	// Options of a kafka_connect integration: the group and the internal topics of Kafka Connect.
	// +optional
	KafkaConnect *kafkaconnectoptions.KafkaConnectUserConfig `json:"kafkaConnect,omitempty"`

	// Options of a kafka_logs integration: the topic and fields of the log messages.
	// +optional
	KafkaLogs *kafkalogsoptions.KafkaLogsUserConfig `json:"kafkaLogs,omitempty"`

	// Options of a kafka_mirrormaker integration: the alias of the cluster, and the settings of its clients.
	// +optional
	KafkaMirrormaker *kafkamirrormakeroptions.KafkaMirrormakerUserConfig `json:"kafkaMirrormaker,omitempty"`

	// Options of a logs integration: the indexes and fields of the log messages.
	// +optional
	Logs *logsoptions.LogsUserConfig `json:"logs,omitempty"`

	// Options of a metrics integration: the database and users for the metrics, and their retention.
	// +optional
	Metrics *metricsoptions.MetricsUserConfig `json:"metrics,omitempty"`
}

// EndpointReference names a ServiceIntegrationEndpoint.
type EndpointReference struct {
	// Name of the ServiceIntegrationEndpoint, in the namespace of this object.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
}

// ServiceIntegrationStatus is the observed state of a service integration.
type ServiceIntegrationStatus struct {
	CommonStatus `json:",inline"`

	// ID of the integration at Aiven.
	// +optional
	ID string `json:"id,omitempty"`

	// ID of the endpoint that is the destination, as destinationEndpointId or destinationEndpointRef of the spec has it.
	// +optional
	DestinationEndpointID string `json:"destinationEndpointId,omitempty"`
}

// ServiceIntegration connects an Aiven service with another one, or with an endpoint outside of Aiven: logs, metrics, data.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:validation:XValidation:rule="has(self.spec) || !has(oldSelf.spec)",message="spec can't be removed: delete the object instead"
// +kubebuilder:resource:path=serviceintegrations,singular=serviceintegration,shortName=avnintegration,categories=aiven
// +kubebuilder:printcolumn:name="Project",type="string",JSONPath=".spec.project"
// +kubebuilder:printcolumn:name="Type",type="string",JSONPath=".spec.integrationType"
// +kubebuilder:printcolumn:name="Source Service Name",type="string",JSONPath=".spec.sourceServiceName"
// +kubebuilder:printcolumn:name="Destination Service Name",type="string",JSONPath=".spec.destinationServiceName",priority=1
// +kubebuilder:printcolumn:name="Source Endpoint ID",type="string",JSONPath=".spec.sourceEndpointID",priority=1
// +kubebuilder:printcolumn:name="Destination Endpoint ID",type="string",JSONPath=".status.destinationEndpointId",priority=1
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Phase",type="string",JSONPath=".status.phase",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].message",priority=1
type ServiceIntegration struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Desired state of the service integration.
	// +optional
	Spec ServiceIntegrationSpec `json:"spec,omitzero"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status ServiceIntegrationStatus `json:"status,omitzero"`
}

// ServiceIntegrationList is a list of service integrations.
// +kubebuilder:object:root=true
type ServiceIntegrationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ServiceIntegration `json:"items"`
}

// GetAuthSecretRef returns the Secret key that holds the token, nil for the operator's default token.
func (s *ServiceIntegration) GetAuthSecretRef() *AuthSecretReference { return s.Spec.AuthSecretRef }

// GetProjectDependant returns the project that the resource belongs to and its token.
func (s *ServiceIntegration) GetProjectDependant() *ProjectDependant { return &s.Spec.ProjectDependant }

// GetCommonStatus returns the status that every kind has.
func (s *ServiceIntegration) GetCommonStatus() *CommonStatus { return &s.Status.CommonStatus }

func init() {
	register(&ServiceIntegration{}, &ServiceIntegrationList{})
}
