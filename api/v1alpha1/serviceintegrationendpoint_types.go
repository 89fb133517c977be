package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ServiceIntegrationEndpointSpec defines the desired state of ServiceIntegrationEndpoint.
type ServiceIntegrationEndpointSpec struct {
	ProjectDependant `json:",inline"`

	// Description missing.
	// +optional
	Autoscaler *ServiceIntegrationEndpointAutoscaler `json:"autoscaler,omitempty"`

	// Description missing.
	// +optional
	Datadog *ServiceIntegrationEndpointDatadog `json:"datadog,omitempty"`

	// Description missing. Immutable.
	// +kubebuilder:validation:MaxLength=36
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +optional
	EndpointName string `json:"endpointName,omitempty"`

	// Description missing. Immutable.
	// +kubebuilder:validation:Enum="autoscaler";"datadog";"external_aws_cloudwatch_logs";"external_aws_cloudwatch_metrics";"external_aws_s3";"external_clickhouse";"external_elasticsearch_logs";"external_google_cloud_bigquery";"external_google_cloud_logging";"external_kafka";"external_mysql";"external_opensearch_logs";"external_postgresql";"external_redis";"external_schema_registry";"external_sumologic_logs";"jolokia";"prometheus";"rsyslog"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	EndpointType string `json:"endpointType"`

	// Description missing.
	// +optional
	ExternalAWSCloudwatchLogs *ServiceIntegrationEndpointExternalAWSCloudwatchLogs `json:"externalAWSCloudwatchLogs,omitempty"`

	// Description missing.
	// +optional
	ExternalAWSCloudwatchMetrics *ServiceIntegrationEndpointExternalAWSCloudwatchMetrics `json:"externalAWSCloudwatchMetrics,omitempty"`

	// Description missing.
	// +optional
	ExternalElasticsearchLogs *ServiceIntegrationEndpointExternalElasticsearchLogs `json:"externalElasticsearchLogs,omitempty"`

	// Description missing.
	// +optional
	ExternalGoogleCloudBigquery *ServiceIntegrationEndpointExternalGoogleCloudBigquery `json:"externalGoogleCloudBigquery,omitempty"`

	// Description missing.
	// +optional
	ExternalGoogleCloudLogging *ServiceIntegrationEndpointExternalGoogleCloudLogging `json:"externalGoogleCloudLogging,omitempty"`

	// Description missing.
	// +optional
	ExternalKafka *ServiceIntegrationEndpointExternalKafka `json:"externalKafka,omitempty"`

	// Description missing.
	// +optional
	ExternalOpensearchLogs *ServiceIntegrationEndpointExternalOpensearchLogs `json:"externalOpensearchLogs,omitempty"`

	// Description missing.
	// +optional
	ExternalPostgresql *ServiceIntegrationEndpointExternalPostgresql `json:"externalPostgresql,omitempty"`

	// Description missing.
	// +optional
	ExternalSchemaRegistry *ServiceIntegrationEndpointExternalSchemaRegistry `json:"externalSchemaRegistry,omitempty"`

	// Description missing.
	// +optional
	Jolokia *ServiceIntegrationEndpointJolokia `json:"jolokia,omitempty"`

	// Description missing.
	// +optional
	Prometheus *ServiceIntegrationEndpointPrometheus `json:"prometheus,omitempty"`

	// Description missing.
	// +optional
	Rsyslog *ServiceIntegrationEndpointRsyslog `json:"rsyslog,omitempty"`
}

// ServiceIntegrationEndpointStatus is the observed state of ServiceIntegrationEndpoint.
type ServiceIntegrationEndpointStatus struct {
	CommonStatus `json:",inline"`

	// Description missing.
	// +optional
	ID string `json:"id,omitempty"`
}

// ServiceIntegrationEndpointAutoscaler is a part of ServiceIntegrationEndpoint.
type ServiceIntegrationEndpointAutoscaler struct {
	// Description missing.
	// +kubebuilder:validation:MaxItems=64
	Autoscaling []ServiceIntegrationEndpointAutoscaling `json:"autoscaling"`
}

// ServiceIntegrationEndpointDatadog is a part of ServiceIntegrationEndpoint.
type ServiceIntegrationEndpointDatadog struct {
	// Description missing.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]{1,256}$`
	DatadogAPIKey string `json:"datadog_api_key"`

	// Description missing.
	// +kubebuilder:validation:MaxItems=32
	// +optional
	DatadogTags []ServiceIntegrationEndpointDatadogTags `json:"datadog_tags,omitempty"`

	// Description missing.
	// +optional
	DisableConsumerStats *bool `json:"disable_consumer_stats,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MinLength=0
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9\-]{0,64}$`
	// +optional
	ExtraTagsPrefix string `json:"extra_tags_prefix,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	KafkaConsumerCheckInstances *int `json:"kafka_consumer_check_instances,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=298
	// +optional
	KafkaConsumerStatsTimeout *int `json:"kafka_consumer_stats_timeout,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=200
	// +kubebuilder:validation:Maximum=200000
	// +optional
	MaxPartitionContexts *int `json:"max_partition_contexts,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Enum="ap1.datadoghq.com";"ap2.datadoghq.com";"datadoghq.com";"datadoghq.eu";"ddog-gov.com";"us2.ddog-gov.com";"us3.datadoghq.com";"us5.datadoghq.com"
	// +optional
	Site string `json:"site,omitempty"`
}

// ServiceIntegrationEndpointExternalAWSCloudwatchLogs is a part of ServiceIntegrationEndpoint.
type ServiceIntegrationEndpointExternalAWSCloudwatchLogs struct {
	// Description missing.
	// +kubebuilder:validation:MaxLength=4096
	AccessKey string `json:"access_key"`

	// Description missing.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:Pattern=`^[\.\-_/#A-Za-z0-9]+$`
	// +optional
	LogGroupName string `json:"log_group_name,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=32
	Region string `json:"region"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=4096
	SecretKey string `json:"secret_key"`
}

// ServiceIntegrationEndpointExternalAWSCloudwatchMetrics is a part of ServiceIntegrationEndpoint.
type ServiceIntegrationEndpointExternalAWSCloudwatchMetrics struct {
	// Description missing.
	// +kubebuilder:validation:MaxLength=4096
	AccessKey string `json:"access_key"`

	// Description missing.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Namespace string `json:"namespace"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=32
	Region string `json:"region"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=4096
	SecretKey string `json:"secret_key"`
}

// ServiceIntegrationEndpointExternalElasticsearchLogs is a part of ServiceIntegrationEndpoint.
type ServiceIntegrationEndpointExternalElasticsearchLogs struct {
	// Description missing.
	// +kubebuilder:validation:MaxLength=16384
	// +optional
	Ca string `json:"ca,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	// +optional
	IndexDaysMax *int `json:"index_days_max,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1000
	// +kubebuilder:validation:Pattern=`^[a-z0-9][a-z0-9-_.]+$`
	IndexPrefix string `json:"index_prefix"`

	// Description missing.
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=120
	// +optional
	Timeout *float64 `json:"timeout,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MinLength=12
	// +kubebuilder:validation:MaxLength=2048
	URL string `json:"url"`
}

// ServiceIntegrationEndpointExternalGoogleCloudBigquery is a part of ServiceIntegrationEndpoint.
type ServiceIntegrationEndpointExternalGoogleCloudBigquery struct {
	// Description missing.
	// +kubebuilder:validation:MinLength=6
	// +kubebuilder:validation:MaxLength=30
	ProjectID string `json:"project_id"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=4096
	ServiceAccountCredentials string `json:"service_account_credentials"`
}

// ServiceIntegrationEndpointExternalGoogleCloudLogging is a part of ServiceIntegrationEndpoint.
type ServiceIntegrationEndpointExternalGoogleCloudLogging struct {
	// Description missing.
	// +kubebuilder:validation:MaxLength=512
	LogID string `json:"log_id"`

	// Description missing.
	// +kubebuilder:validation:MinLength=6
	// +kubebuilder:validation:MaxLength=30
	ProjectID string `json:"project_id"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=4096
	ServiceAccountCredentials string `json:"service_account_credentials"`
}

// ServiceIntegrationEndpointExternalKafka is a part of ServiceIntegrationEndpoint.
type ServiceIntegrationEndpointExternalKafka struct {
	// Description missing.
	// +kubebuilder:validation:MinLength=3
	// +kubebuilder:validation:MaxLength=256
	BootstrapServers string `json:"bootstrap_servers"`

	// Description missing.
	// +kubebuilder:validation:Enum="PLAIN";"SCRAM-SHA-256";"SCRAM-SHA-512"
	// +optional
	SaslMechanism string `json:"sasl_mechanism,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	// +optional
	SaslPlainPassword string `json:"sasl_plain_password,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	// +optional
	SaslPlainUsername string `json:"sasl_plain_username,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Enum="PLAINTEXT";"SASL_PLAINTEXT";"SASL_SSL";"SSL"
	SecurityProtocol string `json:"security_protocol"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=16384
	// +optional
	SslCaCert string `json:"ssl_ca_cert,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=16384
	// +optional
	SslClientCert string `json:"ssl_client_cert,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=16384
	// +optional
	SslClientKey string `json:"ssl_client_key,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Enum="https"
	// +optional
	SslEndpointIdentificationAlgorithm string `json:"ssl_endpoint_identification_algorithm,omitempty"`
}

// ServiceIntegrationEndpointExternalOpensearchLogs is a part of ServiceIntegrationEndpoint.
type ServiceIntegrationEndpointExternalOpensearchLogs struct {
	// Description missing.
	// +kubebuilder:validation:MaxLength=16384
	// +optional
	Ca string `json:"ca,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	// +optional
	IndexDaysMax *int `json:"index_days_max,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1000
	// +kubebuilder:validation:Pattern=`^[a-z0-9][a-z0-9-_.]+$`
	IndexPrefix string `json:"index_prefix"`

	// Description missing.
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=120
	// +optional
	Timeout *float64 `json:"timeout,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MinLength=12
	// +kubebuilder:validation:MaxLength=2048
	URL string `json:"url"`
}

// ServiceIntegrationEndpointExternalPostgresql is a part of ServiceIntegrationEndpoint.
type ServiceIntegrationEndpointExternalPostgresql struct {
	// Description missing.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[_A-Za-z0-9][-_A-Za-z0-9]{0,62}$`
	// +optional
	DefaultDatabase string `json:"default_database,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=255
	Host string `json:"host"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=256
	// +optional
	Password string `json:"password,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Port int `json:"port"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=16384
	// +optional
	SslClientCertificate string `json:"ssl_client_certificate,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=16384
	// +optional
	SslClientKey string `json:"ssl_client_key,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Enum="prefer";"require";"verify-ca";"verify-full"
	// +optional
	SslMode string `json:"ssl_mode,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=16384
	// +optional
	SslRootCert string `json:"ssl_root_cert,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=256
	Username string `json:"username"`
}

// ServiceIntegrationEndpointExternalSchemaRegistry is a part of ServiceIntegrationEndpoint.
type ServiceIntegrationEndpointExternalSchemaRegistry struct {
	// Description missing.
	// +kubebuilder:validation:Enum="basic";"none"
	Authentication string `json:"authentication"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=256
	// +optional
	BasicAuthPassword string `json:"basic_auth_password,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=256
	// +optional
	BasicAuthUsername string `json:"basic_auth_username,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=2048
	URL string `json:"url"`
}

// ServiceIntegrationEndpointJolokia is a part of ServiceIntegrationEndpoint.
type ServiceIntegrationEndpointJolokia struct {
	// Description missing.
	// +kubebuilder:validation:MinLength=8
	// +kubebuilder:validation:MaxLength=64
	// +optional
	BasicAuthPassword string `json:"basic_auth_password,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MinLength=5
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^[a-z0-9\-@_]{5,32}$`
	// +optional
	BasicAuthUsername string `json:"basic_auth_username,omitempty"`
}

// ServiceIntegrationEndpointPrometheus is a part of ServiceIntegrationEndpoint.
type ServiceIntegrationEndpointPrometheus struct {
	// Description missing.
	// +kubebuilder:validation:MinLength=8
	// +kubebuilder:validation:MaxLength=256
	// +optional
	BasicAuthPassword string `json:"basic_auth_password,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MinLength=5
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^[a-z0-9\-@_]{5,32}$`
	// +optional
	BasicAuthUsername string `json:"basic_auth_username,omitempty"`
}

// ServiceIntegrationEndpointRsyslog is a part of ServiceIntegrationEndpoint.
type ServiceIntegrationEndpointRsyslog struct {
	// Description missing.
	// +kubebuilder:validation:MaxLength=16384
	// +optional
	Ca string `json:"ca,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=16384
	// +optional
	Cert string `json:"cert,omitempty"`

	// Description missing.
	// +optional
	EscapeNewlines *bool `json:"escape_newlines,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Enum="custom";"rfc3164";"rfc5424"
	Format string `json:"format"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=16384
	// +optional
	Key string `json:"key,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:Pattern=`^[ -~\t]+$`
	// +optional
	Logline string `json:"logline,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=2048
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	MaxMessageSize *int `json:"max_message_size,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Port int `json:"port"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Sd string `json:"sd,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MinLength=4
	// +kubebuilder:validation:MaxLength=255
	Server string `json:"server"`

	// Description missing.
	Tls bool `json:"tls"`
}

// ServiceIntegrationEndpointAutoscaling is a part of ServiceIntegrationEndpoint.
type ServiceIntegrationEndpointAutoscaling struct {
	// Description missing.
	// +kubebuilder:validation:Minimum=50
	// +kubebuilder:validation:Maximum=9007199254740991
	CapGb int `json:"cap_gb"`

	// Description missing.
	// +kubebuilder:validation:Enum="autoscale_disk"
	Type string `json:"type"`
}

// ServiceIntegrationEndpointDatadogTags is a part of ServiceIntegrationEndpoint.
type ServiceIntegrationEndpointDatadogTags struct {
	// Description missing.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Comment string `json:"comment,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=200
	Tag string `json:"tag"`
}

// ServiceIntegrationEndpoint is a resource of Aiven. Description missing.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=serviceintegrationendpoints,singular=serviceintegrationendpoint,shortName=avnserviceintegrationendpoint,categories=aiven
// +kubebuilder:printcolumn:name="Project",type="string",JSONPath=".spec.project"
// +kubebuilder:printcolumn:name="Endpoint Name",type="string",JSONPath=".spec.endpointName"
// +kubebuilder:printcolumn:name="Endpoint Type",type="string",JSONPath=".spec.endpointType"
// +kubebuilder:printcolumn:name="ID",type="string",JSONPath=".status.id"
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Phase",type="string",JSONPath=".status.phase",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].message",priority=1
type ServiceIntegrationEndpoint struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Desired state of the ServiceIntegrationEndpoint.
	// +optional
	Spec ServiceIntegrationEndpointSpec `json:"spec,omitzero"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status ServiceIntegrationEndpointStatus `json:"status,omitzero"`
}

// ServiceIntegrationEndpointList is a list of ServiceIntegrationEndpoint objects.
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
