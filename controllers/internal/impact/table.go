package impact

import (
	"slices"
	"strings"
)

// row is a change that has impacts. The first row that matches, and whose condition holds, counts.
type row struct {
	kinds   []string // empty for all
	path    string   // in the spec; a star at its end matches any end
	when    when     // nil for each change
	impacts []Impact
	source  Source
	// message is a clause that says what happens.
	message string
}

func (r row) matches(kind, path string) bool {
	return (len(r.kinds) == 0 || slices.Contains(r.kinds, kind)) && matches(r.path, path)
}

func matches(pattern, path string) bool {
	if start, open := strings.CutSuffix(pattern, "*"); open {
		return strings.HasPrefix(path, start)
	}
	return pattern == path
}

func of(kinds ...string) []string { return kinds }

func does(impacts ...Impact) []Impact { return impacts }

const (
	restarts = "the service restarts, and connections are cut"
	excluded = "clients that connect this way no longer can"
)

// table has one row for each rule.
var table = slices.Concat(services, options, restarting, kafka, access, account)

// services are what services of all types have.
var services = []row{
	{nil, "spec.plan", nil, does(Cost, NodesReplaced), documented, "nodes of the new plan replace the present ones, and connections are cut when they take over"},
	{nil, "spec.cloudName", nil, does(Cost, NodesReplaced, DataMoved, AddressesChanged), documented, "the data is copied to nodes in the other cloud or region, which replace the present ones at other IP addresses"},
	{nil, "spec.projectVpcId", nil, does(NodesReplaced, DataMoved, AddressesChanged, AccessLost), documented, "nodes in the other network replace the present ones: clients need a route to it"},
	{nil, "spec.projectVPCRef*", nil, does(NodesReplaced, DataMoved, AddressesChanged, AccessLost), documented, "nodes in the other network replace the present ones: clients need a route to it"},
	{nil, "spec.disk_space", less, does(Cost, NodesReplaced, DataMoved), documented, "nodes with a smaller disk replace the present ones, if the data fits"},
	{nil, "spec.disk_space", nil, does(Cost), documented, "a larger disk is charged"},
	{of("Kafka"), "spec.powered", off, does(Cost, Outage, DataLoss, Irreversible), documented, "all messages are lost, which no backup has, and nothing can connect"},
	{nil, "spec.powered", off, does(Cost, Outage), documented, "nothing can connect, and what was written since the latest backup is lost. Aiven deletes a service that was off for 180 days"},
	{nil, "spec.powered", nil, does(Cost), documented, "the service is charged again"},
	{nil, "spec.tags", removed, does(TagsRemoved), operator, "what selects by a tag that is removed or changed, such as a report of costs, no longer finds it"},
}

// options are those of more than one type, and others that don't only tune the service.
var options = []row{
	{nil, "spec.userConfig.ip_filter", narrowed, does(AccessLost), described, "clients at addresses that are no longer in the list can't connect"},
	{nil, "spec.userConfig.public_access*", off, does(AccessLost), described, excluded},
	{nil, "spec.userConfig.private_access*", off, does(AccessLost), described, excluded},
	{nil, "spec.userConfig.privatelink_access*", off, does(AccessLost), described, excluded},
	{nil, "spec.userConfig.static_ips", nil, does(NodesReplaced, AddressesChanged), documented, "nodes at other IP addresses replace the present ones"},
	{nil, "spec.userConfig.custom_domain", nil, does(AddressesChanged), described, "clients that use the former domain can't connect"},
	{nil, "spec.userConfig.enable_ipv6", off, does(AccessLost), described, excluded},
	{nil, "spec.userConfig.preferred_zones", nil, does(NodesReplaced), assumed, "nodes in the zones replace those in others"},
	{nil, "spec.userConfig.single_zone*", nil, does(NodesReplaced), assumed, "nodes in other zones are replaced"},
	{nil, "spec.userConfig.node_count", nil, does(Cost, NodesReplaced), assumed, "nodes are added or removed, and are charged as they are"},
	{of("Valkey"), "spec.userConfig.shard_count", nil, does(Cost, DataMoved), assumed, "keys move between shards, which are charged"},
	{of("Valkey"), "spec.userConfig.replicas", nil, does(Cost), assumed, "replicas are charged"},
	{of("PostgreSQL"), "spec.userConfig.variant", nil, does(Irreversible, Restart), assumed, "a database of the other variant can't be changed back"},
	{of("PostgreSQL", "Kafka"), "spec.userConfig.backup_retention_days", less, does(DataLoss), described, "older backups are deleted"},
	{of("MySQL"), "spec.userConfig.binlog_retention_period", less, does(DataLoss), described, "older binary logs are deleted: a replica that is behind them has to start afresh"},
	{of("PostgreSQL", "MySQL", "Valkey"), "spec.userConfig.migration*", nil, does(DataMoved), documented, "a migration copies data into the service"},
	{of("PostgreSQL", "MySQL"), "spec.migrationSecretSource*", nil, does(DataMoved), documented, "a migration copies data into the service"},
	{of("OpenSearch"), "spec.userConfig.max_index_count", nil, does(DataLoss), documented, "the oldest indices above the number are deleted"},
	{of("OpenSearch"), "spec.userConfig.index_patterns", nil, does(DataLoss), documented, "the oldest indices of a pattern above its number are deleted"},
	{of("OpenSearch"), "spec.userConfig.azure_migration*", nil, does(DataMoved), documented, "a snapshot is restored into the service"},
	{of("OpenSearch"), "spec.userConfig.gcs_migration*", nil, does(DataMoved), documented, "a snapshot is restored into the service"},
	{of("OpenSearch"), "spec.userConfig.s3_migration*", nil, does(DataMoved), documented, "a snapshot is restored into the service"},
	{of("Grafana"), "spec.userConfig.dashboards_versions_to_keep", less, does(DataLoss), product, "older versions of dashboards are deleted"},
	{of("Grafana"), "spec.userConfig.auth_basic_enabled", off, does(AccessLost), described, "users can't log in with a password"},
	{of("Valkey"), "spec.userConfig.valkey_ssl", nil, does(AccessLost), described, "clients have to connect with or without TLS, as it says"},
	{of("Valkey"), "spec.userConfig.valkey_persistence", to("off"), does(DataLoss), described, "all data is lost when the service restarts or is powered off"},
	{of("Valkey"), "spec.userConfig.valkey_maxmemory_policy", nil, does(DataLoss), product, "what is deleted when the memory is full changes"},
	{of("Flink"), "spec.userConfig.number_of_task_slots", nil, does(Restart), assumed, "the task managers restart"},
	{nil, "spec.userConfig.pg_version", nil, does(Restart, Irreversible), documented, upgraded},
	{nil, "spec.userConfig.mysql_version", nil, does(Restart, Irreversible), documented, upgraded},
	{nil, "spec.userConfig.opensearch_version", nil, does(Restart, Irreversible), documented, upgraded},
	{nil, "spec.userConfig.valkey_version", nil, does(Restart, Irreversible), documented, upgraded},
	{nil, "spec.userConfig.clickhouse_version", nil, does(Restart, Irreversible), documented, upgraded},
	{nil, "spec.userConfig.grafana_version", nil, does(Restart, Irreversible), documented, upgraded},
	{nil, "spec.userConfig.kafka_version", nil, does(Restart, Irreversible), documented, upgraded},
	{nil, "spec.userConfig.karapace_version", nil, does(Restart, Irreversible), assumed, upgraded},
	{nil, "spec.userConfig.kafka_connect_plugin_versions", nil, does(Restart), assumed, "connectors restart with the other version of a plugin"},
	{nil, "spec.userConfig.plugin_versions", nil, does(Restart), assumed, "connectors restart with the other version of a plugin"},
	{nil, "spec.userConfig.custom_plugins", nil, does(Restart), assumed, "Kafka Connect restarts, and its connectors with it"},
}

const upgraded = "the upgrade begins at once, not in the maintenance window, and can't be undone"

// restarting are options whose descriptions say that a change restarts the service.
var restarting = restartOf(map[string][]string{
	"Clickhouse": {"session_settings.compatibility"},
	"MySQL": {
		"mysql.innodb_ft_max_token_size", "mysql.innodb_ft_min_token_size", "mysql.innodb_read_io_threads", "mysql.innodb_rollback_on_timeout",
		"mysql.innodb_write_io_threads", "mysql.net_buffer_length", "mysql.performance_schema_events_statements_history_size", "mysql.relay_log_space_limit",
	},
	"OpenSearch": {"opensearch.node.search.cache.size", "opensearch.reindex_remote_whitelist"},
	"PostgreSQL": {
		"pg.autovacuum_freeze_max_age", "pg.autovacuum_max_workers", "pg.io_max_combine_limit", "pg.io_max_concurrency", "pg.io_method",
		"pg.max_connections", "pg.max_files_per_process", "pg.max_locks_per_transaction", "pg.max_logical_replication_workers",
		"pg.max_pred_locks_per_transaction", "pg.max_prepared_transactions", "pg.max_replication_slots", "pg.max_wal_senders",
		"pg.max_worker_processes", "pg.pg_stat_monitor.pgsm_max_buckets", "pg.track_activity_query_size", "pg.track_commit_timestamp",
		"pg_stat_monitor_enable", "pg_stat_plans_enable", "shared_buffers_percentage", "timescaledb.max_background_workers",
	},
	"Valkey": {"valkey_io_threads", "valkey_number_of_databases"},
	"Kafka":  {"kafka.audit_log*"},
})

func restartOf(names map[string][]string) []row {
	var rows []row
	for kind, options := range names {
		for _, option := range options {
			rows = append(rows, row{of(kind), "spec.userConfig." + option, nil, does(Restart), described, restarts})
		}
	}
	return rows
}
