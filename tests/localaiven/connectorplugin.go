package localaiven

import (
	"regexp"
	"strings"

	client "github.com/aiven/go-client-codegen/handler/kafkaconnect"
)

// plugin is what a connector runs.
type plugin struct {
	Author  string `json:"author"`
	Class   string `json:"class"`
	DocURL  string `json:"docURL"`
	Title   string `json:"title"`
	Type    string `json:"type"`
	Version string `json:"version"`
}

var javaClass = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*(\.[A-Za-z_$][A-Za-z0-9_$]*)+$`)

// plugins are some that are used often, with their author, title and version. Others get along without.
var plugins = map[string][3]string{
	"io.aiven.connect.jdbc.JdbcSinkConnector":                       {"Aiven", "JDBC sink", "6.10.0"},
	"io.aiven.connect.jdbc.JdbcSourceConnector":                     {"Aiven", "JDBC source", "6.10.0"},
	"io.aiven.kafka.connect.gcs.GcsSinkConnector":                   {"Aiven", "Google Cloud Storage sink", "3.4.1"},
	"io.aiven.kafka.connect.http.HttpSinkConnector":                 {"Aiven", "HTTP sink", "0.9.0"},
	"io.aiven.kafka.connect.opensearch.OpensearchSinkConnector":     {"Aiven", "OpenSearch sink", "3.1.1"},
	"io.aiven.kafka.connect.s3.AivenKafkaConnectS3SinkConnector":    {"Aiven", "Amazon S3 sink", "3.4.1"},
	"io.debezium.connector.mysql.MySqlConnector":                    {"Debezium", "Debezium - MySQL", "3.1.0"},
	"io.debezium.connector.postgresql.PostgresConnector":            {"Debezium", "Debezium - PostgreSQL", "3.1.0"},
	"com.mongodb.kafka.connect.MongoSinkConnector":                  {"MongoDB", "MongoDB sink", "1.15.0"},
	"com.mongodb.kafka.connect.MongoSourceConnector":                {"MongoDB", "MongoDB source", "1.15.0"},
	"com.snowflake.kafka.connector.SnowflakeSinkConnector":          {"Snowflake", "Snowflake sink", "2.5.0"},
	"com.wepay.kafka.connect.bigquery.BigQuerySinkConnector":        {"WePay", "Google BigQuery sink", "2.5.7"},
	"com.clickhouse.kafka.connect.ClickHouseSinkConnector":          {"ClickHouse", "ClickHouse sink", "1.3.1"},
	"com.couchbase.connect.kafka.CouchbaseSinkConnector":            {"Couchbase", "Couchbase sink", "4.2.8"},
	"io.confluent.connect.elasticsearch.ElasticsearchSinkConnector": {"Confluent", "Elasticsearch sink", "14.1.2"},
	"com.google.pubsub.kafka.source.CloudPubSubSourceConnector":     {"Google", "Google Cloud Pub/Sub source", "1.2.0"},
	"com.google.pubsub.kafka.sink.CloudPubSubSinkConnector":         {"Google", "Google Cloud Pub/Sub sink", "1.2.0"},
}

// pluginOf describes the plugin of a class. What isn't in the table is described by its name.
func pluginOf(class string) plugin {
	p := plugin{
		Author: "unknown", Class: class, DocURL: "https://aiven.io/docs/products/kafka/kafka-connect",
		Title: class[strings.LastIndex(class, ".")+1:], Version: "1.0.0", Type: string(client.PluginTypeUnknown),
	}
	if known, ok := plugins[class]; ok {
		p.Author, p.Title, p.Version = known[0], known[1], known[2]
	}
	switch {
	case strings.HasSuffix(class, "SinkConnector"):
		p.Type = string(client.PluginTypeSink)
	case strings.HasSuffix(class, "SourceConnector"), strings.HasPrefix(class, "io.debezium."):
		p.Type = string(client.PluginTypeSource)
	}
	return p
}
