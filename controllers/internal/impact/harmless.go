package impact

import "slices"

// harmless are paths whose changes disturb no client, or that aren't sent to Aiven, by kind; the empty one is every kind. Options that
// tune a service are harmless where their descriptions don't say that it restarts. A path that also has a row of the table is harmless
// where that doesn't count.
var harmless = map[string][]string{
	"": {
		"spec.authSecretRef.*", "spec.connInfoSecretTarget.*", "spec.maintenanceWindowDow", "spec.maintenanceWindowTime", "spec.technicalEmails",
		"spec.terminationProtection", "spec.userConfig.additional_backup_regions", "spec.userConfig.backup_hour", "spec.userConfig.backup_minute",
		"spec.userConfig.backup_interval_hours", "spec.userConfig.recovery_basebackup_name", "spec.userConfig.service_log",
	},
	"Clickhouse": {"spec.userConfig.server_settings.*", "spec.userConfig.session_settings.*", "spec.userConfig.tiered_storage_move_factor"},
	"Flink":      {"spec.userConfig.pekko_*"},
	"Grafana": {
		"spec.userConfig.alerting_*", "spec.userConfig.allow_embedding", "spec.userConfig.auth_*", "spec.userConfig.cookie_samesite",
		"spec.userConfig.dashboard_*", "spec.userConfig.dashboards_min_refresh_interval", "spec.userConfig.dataproxy_*", "spec.userConfig.date_formats.*",
		"spec.userConfig.disable_gravatar", "spec.userConfig.editors_can_admin", "spec.userConfig.external_image_storage.*",
		"spec.userConfig.google_analytics_ua_id", "spec.userConfig.metrics_*", "spec.userConfig.oauth_allow_insecure_email_lookup",
		"spec.userConfig.smtp_server.*", "spec.userConfig.unified_alerting_enabled", "spec.userConfig.user_auto_*",
		"spec.userConfig.viewers_can_edit", "spec.userConfig.wal",
	},
	"Kafka": {
		"spec.userConfig.aiven_kafka_topic_messages", "spec.userConfig.follower_fetching.*", "spec.userConfig.gcp_auth_allowed_urls",
		"spec.userConfig.kafka.*", "spec.userConfig.kafka_connect_config.*", "spec.userConfig.kafka_connect_secret_providers",
		"spec.userConfig.kafka_rest_config.*", "spec.userConfig.sasl_oauthbearer_allowed_urls", "spec.userConfig.schema_registry_config.*",
	},
	"KafkaConnect": {
		"spec.userConfig.gcp_auth_allowed_urls", "spec.userConfig.kafka_connect.*", "spec.userConfig.sasl_oauthbearer_allowed_urls",
		"spec.userConfig.secret_providers",
	},
	"KafkaTopic": {
		"spec.config.compression_type", "spec.config.file_delete_delay_ms", "spec.config.flush_*", "spec.config.index_interval_bytes",
		"spec.config.local_retention_*", "spec.config.message_timestamp_type", "spec.config.min_cleanable_dirty_ratio", "spec.config.preallocate",
		"spec.config.segment_*", "spec.termination_protection",
	},
	"KafkaSchema": {"spec.compatibilityLevel"},
	"MySQL":       {"spec.userConfig.mysql.*", "spec.userConfig.mysql_incremental_backup.*"},
	"OpenSearch": {
		"spec.userConfig.disable_replication_factor_adjustment", "spec.userConfig.index_rollup.*", "spec.userConfig.index_template.*",
		"spec.userConfig.jwt.*", "spec.userConfig.keep_index_refresh_interval", "spec.userConfig.openid.*", "spec.userConfig.opensearch.*",
		"spec.userConfig.opensearch_dashboards.*", "spec.userConfig.saml.*",
	},
	"OrganizationProject": {"spec.basePort"},
	"PostgreSQL": {
		"spec.userConfig.enable_ha_replica_dns", "spec.userConfig.pg.*", "spec.userConfig.pg_qualstats.*", "spec.userConfig.pg_read_replica",
		"spec.userConfig.pgaudit.*", "spec.userConfig.pgbouncer.*", "spec.userConfig.pglookout.*", "spec.userConfig.switchover_windows",
		"spec.userConfig.synchronous_replication", "spec.userConfig.work_mem",
	},
	"Project": {"spec.billingAddress", "spec.billingEmails", "spec.billingExtraText", "spec.cloud", "spec.countryCode"},
	// What an integration sends goes elsewhere, as the change says.
	"ServiceIntegrationEndpoint": {
		"spec.autoscaler.*", "spec.datadog.*", "spec.external*", "spec.jolokia.*", "spec.prometheus.*", "spec.rsyslog.*",
	},
	"ServiceIntegration": {
		"spec.autoscaler*", "spec.datadog.*", "spec.externalAWSCloudwatchMetrics.*", "spec.kafkaLogs.*", "spec.logs.*", "spec.metrics.*",
	},
	"UpgradePipelineStep": {"spec.autoValidationDelayDays"},
	"Valkey": {
		"spec.userConfig.frequent_snapshots", "spec.userConfig.valkey_acl_channels_default", "spec.userConfig.valkey_active*",
		"spec.userConfig.valkey_lfu_*", "spec.userConfig.valkey_notify_keyspace_events", "spec.userConfig.valkey_pubsub_client_output_buffer_limit",
		"spec.userConfig.valkey_timeout",
	},
}

func isHarmless(kind, path string) bool {
	return slices.ContainsFunc(slices.Concat(harmless[""], harmless[kind]), func(pattern string) bool { return matches(pattern, path) })
}
