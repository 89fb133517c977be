package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ServiceIntegrationSpec defines the desired state of ServiceIntegration.
// +kubebuilder:validation:XValidation:rule="!(has(self.destinationEndpointRef) && has(self.destinationEndpointId) && self.destinationEndpointId != \"\")",message="destinationEndpointId and destinationEndpointRef are mutually exclusive"
type ServiceIntegrationSpec struct {
	ProjectDependant `json:",inline"`

	// Description missing.
	// +optional
	Autoscaler *ServiceIntegrationAutoscaler `json:"autoscaler,omitempty"`

	// Description missing.
	// +optional
	ClickhouseKafka *ServiceIntegrationClickhouseKafka `json:"clickhouseKafka,omitempty"`

	// Description missing.
	// +optional
	ClickhousePostgresql *ServiceIntegrationClickhousePostgresql `json:"clickhousePostgresql,omitempty"`

	// Description missing.
	// +optional
	Datadog *ServiceIntegrationDatadog `json:"datadog,omitempty"`

	// Description missing. Immutable.
	// +kubebuilder:validation:MaxLength=36
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +optional
	DestinationEndpointID string `json:"destinationEndpointId,omitempty"`

	// Description missing. Immutable.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +kubebuilder:validation:XValidation:rule="!self.name.contains('/')",message="destinationEndpointRef.name must not contain a namespace"
	// +optional
	DestinationEndpointRef *ServiceIntegrationDestinationEndpointRef `json:"destinationEndpointRef,omitempty"`

	// Description missing. Immutable.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +optional
	DestinationProjectName string `json:"destinationProjectName,omitempty"`

	// Description missing. Immutable.
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +optional
	DestinationServiceName string `json:"destinationServiceName,omitempty"`

	// Description missing.
	// +optional
	ExternalAWSCloudwatchMetrics *ServiceIntegrationExternalAWSCloudwatchMetrics `json:"externalAWSCloudwatchMetrics,omitempty"`

	// Description missing. Immutable.
	// +kubebuilder:validation:Enum="alertmanager";"autoscaler";"caching";"cassandra_cross_service_cluster";"clickhouse_kafka";"clickhouse_postgresql";"dashboard";"datadog";"datasource";"external_aws_cloudwatch_logs";"external_aws_cloudwatch_metrics";"external_elasticsearch_logs";"external_google_cloud_logging";"external_opensearch_logs";"flink";"flink_external_kafka";"flink_external_postgresql";"internal_connectivity";"jolokia";"kafka_connect";"kafka_logs";"kafka_mirrormaker";"logs";"metrics";"opensearch_cross_cluster_replication";"opensearch_cross_cluster_search";"prometheus";"read_replica";"rsyslog";"schema_registry_proxy";"stresstester";"thanosquery";"thanosstore";"vmalert"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	IntegrationType string `json:"integrationType"`

	// Description missing.
	// +optional
	KafkaConnect *ServiceIntegrationKafkaConnect `json:"kafkaConnect,omitempty"`

	// Description missing.
	// +optional
	KafkaLogs *ServiceIntegrationKafkaLogs `json:"kafkaLogs,omitempty"`

	// Description missing.
	// +optional
	KafkaMirrormaker *ServiceIntegrationKafkaMirrormaker `json:"kafkaMirrormaker,omitempty"`

	// Description missing.
	// +optional
	Logs *ServiceIntegrationLogs `json:"logs,omitempty"`

	// Description missing.
	// +optional
	Metrics *ServiceIntegrationMetrics `json:"metrics,omitempty"`

	// Description missing. Immutable.
	// +kubebuilder:validation:MaxLength=36
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +optional
	SourceEndpointID string `json:"sourceEndpointID,omitempty"`

	// Description missing. Immutable.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +optional
	SourceProjectName string `json:"sourceProjectName,omitempty"`

	// Description missing. Immutable.
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +optional
	SourceServiceName string `json:"sourceServiceName,omitempty"`
}

// ServiceIntegrationStatus is the observed state of ServiceIntegration.
type ServiceIntegrationStatus struct {
	CommonStatus `json:",inline"`

	// Description missing.
	// +optional
	ID string `json:"id,omitempty"`
}

// ServiceIntegrationAutoscaler is a part of ServiceIntegration.
type ServiceIntegrationAutoscaler struct{}

// ServiceIntegrationClickhouseKafka is a part of ServiceIntegration.
type ServiceIntegrationClickhouseKafka struct {
	// Description missing.
	// +kubebuilder:validation:MaxItems=400
	// +optional
	Tables []ServiceIntegrationTables `json:"tables,omitempty"`
}

// ServiceIntegrationClickhousePostgresql is a part of ServiceIntegration.
type ServiceIntegrationClickhousePostgresql struct {
	// Description missing.
	// +kubebuilder:validation:MaxItems=10
	// +optional
	Databases []ServiceIntegrationDatabases `json:"databases,omitempty"`
}

// ServiceIntegrationDatadog is a part of ServiceIntegration.
type ServiceIntegrationDatadog struct {
	// Description missing.
	// +optional
	DatadogDbmEnabled *bool `json:"datadog_dbm_enabled,omitempty"`

	// Description missing.
	// +optional
	DatadogPgbouncerEnabled *bool `json:"datadog_pgbouncer_enabled,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxItems=32
	// +optional
	DatadogTags []ServiceIntegrationDatadogTags `json:"datadog_tags,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxItems=1024
	// +optional
	ExcludeConsumerGroups []string `json:"exclude_consumer_groups,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxItems=1024
	// +optional
	ExcludeTopics []string `json:"exclude_topics,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxItems=1024
	// +optional
	IncludeConsumerGroups []string `json:"include_consumer_groups,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxItems=1024
	// +optional
	IncludeTopics []string `json:"include_topics,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxItems=1024
	// +optional
	KafkaCustomMetrics []string `json:"kafka_custom_metrics,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=100000
	// +optional
	MaxJmxMetrics *int `json:"max_jmx_metrics,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxItems=1024
	// +optional
	MirrormakerCustomMetrics []string `json:"mirrormaker_custom_metrics,omitempty"`

	// Description missing.
	// +optional
	Opensearch *ServiceIntegrationOpensearch `json:"opensearch,omitempty"`

	// Description missing.
	// +optional
	Redis *ServiceIntegrationRedis `json:"redis,omitempty"`
}

// ServiceIntegrationDestinationEndpointRef is a part of ServiceIntegration.
type ServiceIntegrationDestinationEndpointRef struct {
	// Description missing.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
}

// ServiceIntegrationExternalAWSCloudwatchMetrics is a part of ServiceIntegration.
type ServiceIntegrationExternalAWSCloudwatchMetrics struct {
	// Description missing.
	// +kubebuilder:validation:MaxItems=1024
	// +optional
	DroppedMetrics []ServiceIntegrationDroppedMetrics `json:"dropped_metrics,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxItems=1024
	// +optional
	ExtraMetrics []ServiceIntegrationExtraMetrics `json:"extra_metrics,omitempty"`
}

// ServiceIntegrationKafkaConnect is a part of ServiceIntegration.
type ServiceIntegrationKafkaConnect struct {
	// Description missing.
	// +optional
	KafkaConnect *ServiceIntegrationKafkaConnectServiceIntegrationKafkaConnect `json:"kafka_connect,omitempty"`
}

// ServiceIntegrationKafkaLogs is a part of ServiceIntegration.
type ServiceIntegrationKafkaLogs struct {
	// Description missing.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=249
	KafkaTopic string `json:"kafka_topic"`

	// Description missing.
	// +kubebuilder:validation:MaxItems=5
	// +optional
	SelectedLogFields []string `json:"selected_log_fields,omitempty"`
}

// ServiceIntegrationKafkaMirrormaker is a part of ServiceIntegration.
type ServiceIntegrationKafkaMirrormaker struct {
	// Description missing.
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:Pattern=`^[a-zA-Z0-9_.-]+$`
	// +optional
	ClusterAlias string `json:"cluster_alias,omitempty"`

	// Description missing.
	// +optional
	KafkaMirrormaker *ServiceIntegrationKafkaMirrormakerServiceIntegrationKafkaMirrormaker `json:"kafka_mirrormaker,omitempty"`
}

// ServiceIntegrationLogs is a part of ServiceIntegration.
type ServiceIntegrationLogs struct {
	// Description missing.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	// +optional
	ElasticsearchIndexDaysMax *int `json:"elasticsearch_index_days_max,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:Pattern=`^[a-z0-9][a-z0-9-_.]+$`
	// +optional
	ElasticsearchIndexPrefix string `json:"elasticsearch_index_prefix,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxItems=5
	// +optional
	SelectedLogFields []string `json:"selected_log_fields,omitempty"`
}

// ServiceIntegrationMetrics is a part of ServiceIntegration.
type ServiceIntegrationMetrics struct {
	// Description missing.
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:Pattern=`^[_A-Za-z0-9][-_A-Za-z0-9]{0,39}$`
	// +optional
	Database string `json:"database,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10000
	// +optional
	RetentionDays *int `json:"retention_days,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:Pattern=`^[_A-Za-z0-9][-._A-Za-z0-9]{0,39}$`
	// +optional
	RoUsername string `json:"ro_username,omitempty"`

	// Description missing.
	// +optional
	SourceMysql *ServiceIntegrationSourceMysql `json:"source_mysql,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:Pattern=`^[_A-Za-z0-9][-._A-Za-z0-9]{0,39}$`
	// +optional
	Username string `json:"username,omitempty"`
}

// ServiceIntegrationTables is a part of ServiceIntegration.
type ServiceIntegrationTables struct {
	// Description missing.
	// +kubebuilder:validation:Enum="beginning";"earliest";"end";"largest";"latest";"smallest"
	// +optional
	AutoOffsetReset string `json:"auto_offset_reset,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	AutoOffsetResetByDurationMs *int `json:"auto_offset_reset_by_duration_ms,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxItems=100
	Columns []ServiceIntegrationColumns `json:"columns"`

	// Description missing.
	// +kubebuilder:validation:Enum="Avro";"AvroConfluent";"CSV";"JSONAsString";"JSONCompactEachRow";"JSONCompactStringsEachRow";"JSONEachRow";"JSONStringsEachRow";"MsgPack";"Parquet";"RawBLOB";"TSKV";"TSV";"TabSeparated"
	DataFormat string `json:"data_format"`

	// Description missing.
	// +kubebuilder:validation:Enum="basic";"best_effort";"best_effort_us"
	// +optional
	DateTimeInputFormat string `json:"date_time_input_format,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=249
	GroupName string `json:"group_name"`

	// Description missing.
	// +kubebuilder:validation:Enum="dead_letter_queue";"default";"stream"
	// +optional
	HandleErrorMode string `json:"handle_error_mode,omitempty"`

	// Description missing.
	// +optional
	MaterializedView *ServiceIntegrationMaterializedView `json:"materialized_view,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000000
	// +optional
	MaxBlockSize *int `json:"max_block_size,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000
	// +optional
	MaxRowsPerMessage *int `json:"max_rows_per_message,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=40
	Name string `json:"name"`

	// Description missing.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10
	// +optional
	NumConsumers *int `json:"num_consumers,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000000
	// +optional
	PollMaxBatchSize *int `json:"poll_max_batch_size,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=30000
	// +optional
	PollMaxTimeoutMs *int `json:"poll_max_timeout_ms,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	// +optional
	ProducerBatchNumMessages *int `json:"producer_batch_num_messages,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	ProducerBatchSize *int `json:"producer_batch_size,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Enum="gzip";"lz4";"none";"snappy";"zstd"
	// +optional
	ProducerCompressionCodec string `json:"producer_compression_codec,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=12
	// +optional
	ProducerCompressionLevel *int `json:"producer_compression_level,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=900000
	// +optional
	ProducerLingerMs *int `json:"producer_linger_ms,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	ProducerQueueBufferingMaxKbytes *int `json:"producer_queue_buffering_max_kbytes,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	ProducerQueueBufferingMaxMessages *int `json:"producer_queue_buffering_max_messages,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=1000
	// +optional
	ProducerRequestRequiredAcks *int `json:"producer_request_required_acks,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000000
	// +optional
	SkipBrokenMessages *int `json:"skip_broken_messages,omitempty"`

	// Description missing.
	// +optional
	ThreadPerConsumer *bool `json:"thread_per_consumer,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxItems=100
	Topics []ServiceIntegrationTopics `json:"topics"`
}

// ServiceIntegrationDatabases is a part of ServiceIntegration.
type ServiceIntegrationDatabases struct {
	// Description missing.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +optional
	Database string `json:"database,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +optional
	Schema string `json:"schema,omitempty"`
}

// ServiceIntegrationDatadogTags is a part of ServiceIntegration.
type ServiceIntegrationDatadogTags struct {
	// Description missing.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Comment string `json:"comment,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=200
	Tag string `json:"tag"`
}

// ServiceIntegrationOpensearch is a part of ServiceIntegration.
type ServiceIntegrationOpensearch struct {
	// Description missing.
	// +optional
	ClusterStatsEnabled *bool `json:"cluster_stats_enabled,omitempty"`

	// Description missing.
	// +optional
	IndexStatsEnabled *bool `json:"index_stats_enabled,omitempty"`

	// Description missing.
	// +optional
	PendingTaskStatsEnabled *bool `json:"pending_task_stats_enabled,omitempty"`

	// Description missing.
	// +optional
	PshardStatsEnabled *bool `json:"pshard_stats_enabled,omitempty"`
}

// ServiceIntegrationRedis is a part of ServiceIntegration.
type ServiceIntegrationRedis struct {
	// Description missing.
	// +optional
	CommandStatsEnabled *bool `json:"command_stats_enabled,omitempty"`
}

// ServiceIntegrationDroppedMetrics is a part of ServiceIntegration.
type ServiceIntegrationDroppedMetrics struct {
	// Description missing.
	// +kubebuilder:validation:MaxLength=1000
	Field string `json:"field"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=1000
	Metric string `json:"metric"`
}

// ServiceIntegrationExtraMetrics is a part of ServiceIntegration.
type ServiceIntegrationExtraMetrics struct {
	// Description missing.
	// +kubebuilder:validation:MaxLength=1000
	Field string `json:"field"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=1000
	Metric string `json:"metric"`
}

// ServiceIntegrationKafkaConnectServiceIntegrationKafkaConnect is a part of ServiceIntegration.
type ServiceIntegrationKafkaConnectServiceIntegrationKafkaConnect struct {
	// Description missing.
	// +kubebuilder:validation:MaxLength=249
	// +optional
	ConfigStorageTopic string `json:"config_storage_topic,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=249
	// +optional
	GroupID string `json:"group_id,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=249
	// +optional
	OffsetStorageTopic string `json:"offset_storage_topic,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=249
	// +optional
	StatusStorageTopic string `json:"status_storage_topic,omitempty"`
}

// ServiceIntegrationKafkaMirrormakerServiceIntegrationKafkaMirrormaker is a part of ServiceIntegration.
type ServiceIntegrationKafkaMirrormakerServiceIntegrationKafkaMirrormaker struct {
	// Description missing.
	// +kubebuilder:validation:Enum="earliest";"latest"
	// +optional
	ConsumerAutoOffsetReset string `json:"consumer_auto_offset_reset,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=104857600
	// +optional
	ConsumerFetchMaxBytes *int `json:"consumer_fetch_max_bytes,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=600000
	// +optional
	ConsumerFetchMaxWaitMs *int `json:"consumer_fetch_max_wait_ms,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=5242880
	// +optional
	ConsumerFetchMinBytes *int `json:"consumer_fetch_min_bytes,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=104857600
	// +optional
	ConsumerMaxPartitionFetchBytes *int `json:"consumer_max_partition_fetch_bytes,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=100
	// +kubebuilder:validation:Maximum=20000
	// +optional
	ConsumerMaxPollRecords *int `json:"consumer_max_poll_records,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=104857600
	// +optional
	ConsumerReceiveBufferBytes *int `json:"consumer_receive_buffer_bytes,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=600000
	// +optional
	ConsumerRequestTimeoutMs *int `json:"consumer_request_timeout_ms,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=5242880
	// +optional
	ProducerBatchSize *int `json:"producer_batch_size,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=5242880
	// +kubebuilder:validation:Maximum=134217728
	// +optional
	ProducerBufferMemory *int `json:"producer_buffer_memory,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Enum="gzip";"lz4";"none";"snappy";"zstd"
	// +optional
	ProducerCompressionType string `json:"producer_compression_type,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=5000
	// +optional
	ProducerLingerMs *int `json:"producer_linger_ms,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=268435456
	// +optional
	ProducerMaxRequestSize *int `json:"producer_max_request_size,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=600000
	// +optional
	ProducerRequestTimeoutMs *int `json:"producer_request_timeout_ms,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=104857600
	// +optional
	ProducerSendBufferBytes *int `json:"producer_send_buffer_bytes,omitempty"`
}

// ServiceIntegrationSourceMysql is a part of ServiceIntegration.
type ServiceIntegrationSourceMysql struct {
	// Description missing.
	// +optional
	Telegraf *ServiceIntegrationTelegraf `json:"telegraf,omitempty"`
}

// ServiceIntegrationColumns is a part of ServiceIntegration.
type ServiceIntegrationColumns struct {
	// Description missing.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=40
	Name string `json:"name"`

	// Description missing.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1000
	Type string `json:"type"`
}

// ServiceIntegrationMaterializedView is a part of ServiceIntegration.
type ServiceIntegrationMaterializedView struct {
	// Description missing.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=40
	// +optional
	DatabaseName string `json:"database_name,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Enum="AggregatingMergeTree";"CollapsingMergeTree";"MergeTree";"ReplacingMergeTree";"SummingMergeTree";"VersionedCollapsingMergeTree"
	// +optional
	Engine string `json:"engine,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxItems=10
	// +optional
	EngineParams []string `json:"engine_params,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=36500
	// +optional
	LocalDiskTtlDays *int `json:"local_disk_ttl_days,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxItems=100
	OrderBy []string `json:"order_by"`

	// Description missing.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=40
	// +optional
	TtlColumn string `json:"ttl_column,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=36500
	// +optional
	TtlDays *int `json:"ttl_days,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=40
	ViewName string `json:"view_name"`
}

// ServiceIntegrationTopics is a part of ServiceIntegration.
type ServiceIntegrationTopics struct {
	// Description missing.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=249
	Name string `json:"name"`
}

// ServiceIntegrationTelegraf is a part of ServiceIntegration.
type ServiceIntegrationTelegraf struct {
	// Description missing.
	// +optional
	GatherEventWaits *bool `json:"gather_event_waits,omitempty"`

	// Description missing.
	// +optional
	GatherFileEventsStats *bool `json:"gather_file_events_stats,omitempty"`

	// Description missing.
	// +optional
	GatherIndexIoWaits *bool `json:"gather_index_io_waits,omitempty"`

	// Description missing.
	// +optional
	GatherInfoSchemaAutoInc *bool `json:"gather_info_schema_auto_inc,omitempty"`

	// Description missing.
	// +optional
	GatherInnodbMetrics *bool `json:"gather_innodb_metrics,omitempty"`

	// Description missing.
	// +optional
	GatherPerfEventsStatements *bool `json:"gather_perf_events_statements,omitempty"`

	// Description missing.
	// +optional
	GatherProcessList *bool `json:"gather_process_list,omitempty"`

	// Description missing.
	// +optional
	GatherReplicaStatus *bool `json:"gather_replica_status,omitempty"`

	// Description missing.
	// +optional
	GatherSlaveStatus *bool `json:"gather_slave_status,omitempty"`

	// Description missing.
	// +optional
	GatherTableIoWaits *bool `json:"gather_table_io_waits,omitempty"`

	// Description missing.
	// +optional
	GatherTableLockWaits *bool `json:"gather_table_lock_waits,omitempty"`

	// Description missing.
	// +optional
	GatherTableSchema *bool `json:"gather_table_schema,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2048
	// +optional
	PerfEventsStatementsDigestTextLimit *int `json:"perf_events_statements_digest_text_limit,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4000
	// +optional
	PerfEventsStatementsLimit *int `json:"perf_events_statements_limit,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2592000
	// +optional
	PerfEventsStatementsTimeLimit *int `json:"perf_events_statements_time_limit,omitempty"`
}

// ServiceIntegration is a resource of Aiven. Description missing.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=serviceintegrations,singular=serviceintegration,shortName=avnserviceintegration,categories=aiven
// +kubebuilder:printcolumn:name="Project",type="string",JSONPath=".spec.project"
// +kubebuilder:printcolumn:name="Type",type="string",JSONPath=".spec.integrationType"
// +kubebuilder:printcolumn:name="Source Service Name",type="string",JSONPath=".spec.sourceServiceName"
// +kubebuilder:printcolumn:name="Destination Service Name",type="string",JSONPath=".spec.destinationServiceName",priority=1
// +kubebuilder:printcolumn:name="Source Endpoint ID",type="string",JSONPath=".spec.sourceEndpointId",priority=1
// +kubebuilder:printcolumn:name="Destination Endpoint ID",type="string",JSONPath=".spec.destinationEndpointId",priority=1
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Phase",type="string",JSONPath=".status.phase",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].message",priority=1
type ServiceIntegration struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Desired state of the ServiceIntegration.
	// +optional
	Spec ServiceIntegrationSpec `json:"spec,omitzero"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status ServiceIntegrationStatus `json:"status,omitzero"`
}

// ServiceIntegrationList is a list of ServiceIntegration objects.
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
