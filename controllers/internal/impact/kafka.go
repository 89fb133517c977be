package impact

const (
	sooner  = "messages are deleted sooner, those that are there as well"
	deleted = "messages that were kept may be deleted"
)

// kafka are a broker, and what lives in one.
var kafka = []row{
	{of("Kafka"), "spec.karapace", off, does(AccessLost), assumed, "the schema registry and the REST proxy go away"},
	{of("Kafka"), "spec.userConfig.kafka_rest", off, does(AccessLost), described, "the REST proxy goes away"},
	{of("Kafka"), "spec.userConfig.schema_registry", off, does(AccessLost), described, "the schema registry goes away"},
	{of("Kafka"), "spec.userConfig.kafka_connect", off, does(AccessLost), described, "Kafka Connect goes away, and its connectors with it"},
	{of("Kafka"), "spec.userConfig.kafka_authentication_methods*", off, does(AccessLost), described, "clients that log in with this method no longer can"},
	{of("Kafka"), "spec.userConfig.kafka_sasl_mechanisms*", off, does(AccessLost), described, "clients that log in with this mechanism no longer can"},
	{of("Kafka"), "spec.userConfig.kafka_rest_authorization", to(true), does(AccessLost), described, "the REST proxy checks the permissions of its users"},
	{of("Kafka"), "spec.userConfig.letsencrypt_sasl*", nil, does(AddressesChanged), documented, "SASL has another certificate, at another port"},
	{of("Kafka"), "spec.userConfig.tiered_storage*", nil, does(Cost, Irreversible), documented, "tiered storage is charged, and can't be turned off while topics use it"},
	{of("Kafka"), "spec.userConfig.kafka_diskless*", nil, does(Cost, Irreversible), documented, "diskless topics are charged by object storage, and can't be turned into others"},
	{of("Kafka"), "spec.userConfig.kafka.log_retention_bytes", less, does(DataLoss), described, sooner},
	{of("Kafka"), "spec.userConfig.kafka.log_retention_hours", less, does(DataLoss), described, sooner},
	{of("Kafka"), "spec.userConfig.kafka.log_retention_ms", less, does(DataLoss), described, sooner},
	{of("Kafka"), "spec.userConfig.kafka.log_cleanup_policy", nil, does(DataLoss), described, deleted},
	{of("Kafka"), "spec.userConfig.kafka.offsets_retention_minutes", less, does(DataLoss), product, "consumers that pause for longer lose their position"},
	{of("Kafka"), "spec.userConfig.kafka.message_max_bytes", less, does(AccessLost), described, "producers of larger messages are refused"},
	{of("Kafka"), "spec.userConfig.kafka.min_insync_replicas", more, does(AccessLost), described, "producers with acks=all are refused while fewer replicas are in sync"},
	{of("Kafka"), "spec.userConfig.kafka.max_connections_per_ip", less, does(AccessLost), described, "clients above the number of connections are refused"},
	{of("Kafka"), "spec.userConfig.kafka.auto_create_topics_enable", off, does(AccessLost), described, "a producer to a topic that doesn't exist is refused"},

	{of("KafkaTopic"), "spec.partitions", nil, does(Irreversible), described, "partitions can't be removed, and messages with a key go to other partitions than before"},
	{of("KafkaTopic"), "spec.replication", nil, does(DataMoved), product, "replicas are copied to other nodes, or deleted there"},
	{of("KafkaTopic"), "spec.config.cleanup_policy", nil, does(DataLoss), product, deleted},
	{of("KafkaTopic"), "spec.config.retention_bytes", less, does(DataLoss), described, sooner},
	{of("KafkaTopic"), "spec.config.retention_ms", less, does(DataLoss), described, sooner},
	{of("KafkaTopic"), "spec.config.delete_retention_ms", less, does(DataLoss), described, "consumers that are behind may miss the deletion of a key"},
	{of("KafkaTopic"), "spec.config.max_compaction_lag_ms", less, does(DataLoss), product, "former values of a key are deleted sooner"},
	{of("KafkaTopic"), "spec.config.min_compaction_lag_ms", less, does(DataLoss), product, "former values of a key are deleted sooner"},
	{of("KafkaTopic"), "spec.config.max_message_bytes", less, does(AccessLost), described, "producers of larger messages are refused"},
	{of("KafkaTopic"), "spec.config.min_insync_replicas", more, does(AccessLost), described, "producers with acks=all are refused while fewer replicas are in sync"},
	{of("KafkaTopic"), "spec.config.message_timestamp_difference_max_ms", less, does(AccessLost), product, "producers whose clocks differ more are refused"},
	{of("KafkaTopic"), "spec.config.message_format_version", nil, does(AccessLost), product, "old clients may not read the other format"},
	{of("KafkaTopic"), "spec.config.message_downconversion_enable", off, does(AccessLost), described, "old clients can't read the newer format"},
	{of("KafkaTopic"), "spec.config.unclean_leader_election_enable", to(true), does(DataLoss), described, "messages may be lost when nodes fail"},
	{of("KafkaTopic"), "spec.config.remote_storage_enable", nil, does(Cost, Irreversible), documented, "tiered storage of a topic can't be turned off"},
	{of("KafkaTopic"), "spec.config.diskless_enable", nil, does(Cost, Irreversible), documented, "a diskless topic can't be turned into another one"},
	{of("KafkaQuota"), "spec.consumerByteRate", less, does(Throttled), described, "consumers are slowed down"},
	{of("KafkaQuota"), "spec.producerByteRate", less, does(Throttled), described, "producers are slowed down"},
	{of("KafkaQuota"), "spec.requestPercentage", less, does(Throttled), described, "clients are slowed down"},
	{of("KafkaSchema"), "spec.schema", nil, does(Irreversible), described, "a new version is registered, which producers and consumers may use at once"},
	{of("KafkaSchema"), "spec.references", nil, does(Irreversible), operator, "a new version is registered, which producers and consumers may use at once"},
	{of("KafkaConnector"), "spec.connectorClass", nil, does(Restart), product, "the connector restarts as another one"},
	{of("KafkaConnector"), "spec.userConfig*", nil, does(Restart), product, "the tasks of the connector restart"},

	{of("ServiceIntegration"), "spec.kafkaConnect*", nil, does(Restart, DataLoss), assumed, "connectors start over: their positions are in the former topics"},
	{of("ServiceIntegration"), "spec.kafkaMirrormaker.cluster_alias", nil, does(DataMoved), product, "topics are replicated again, under other names"},
	{of("ServiceIntegration"), "spec.kafkaMirrormaker*", nil, does(Restart), assumed, "the replication restarts"},
	{of("ServiceIntegration"), "spec.clickhouseKafka*", nil, does(Restart), assumed, "tables that change are made again"},
	{of("ServiceIntegration"), "spec.clickhousePostgresql*", nil, does(AccessLost), assumed, "databases that are no longer in the list go away in ClickHouse"},
}
