package serviceintegration

import (
	"fmt"
	"slices"
	"strings"
)

const (
	// ReadReplica is the type that makes a service a copy of another one.
	ReadReplica = "read_replica"
	// KafkaConnect is the type that lets a service of Kafka Connect work with a Kafka.
	KafkaConnect = "kafka_connect"
)

// What may be at an end of an integration: a type of service, or one of endpoint behind this mark. The wildcard is any.
const (
	EndpointMark = "@"
	wildcard     = "*"
)

// Ends are what an integration of some type connects.
type Ends struct{ Source, Dest []string }

// integrationEnds are those of the types whose ends are known from Aiven's documentation.
var integrationEnds = map[string]Ends{
	"autoscaler":                           {[]string{wildcard}, []string{"@autoscaler"}},
	"autoscaler_service":                   {[]string{wildcard}, []string{"@autoscaler_service"}},
	"clickhouse_credentials":               {[]string{"@*"}, []string{"clickhouse"}},
	"clickhouse_kafka":                     {[]string{"kafka"}, []string{"clickhouse"}},
	"clickhouse_postgresql":                {[]string{"pg"}, []string{"clickhouse"}},
	"dashboard":                            {[]string{"grafana"}, []string{wildcard}},
	"datadog":                              {[]string{wildcard}, []string{"@datadog"}},
	"external_aws_cloudwatch_logs":         {[]string{wildcard}, []string{"@external_aws_cloudwatch_logs"}},
	"external_aws_cloudwatch_metrics":      {[]string{wildcard}, []string{"@external_aws_cloudwatch_metrics"}},
	"external_elasticsearch_logs":          {[]string{wildcard}, []string{"@external_elasticsearch_logs"}},
	"external_google_cloud_logging":        {[]string{wildcard}, []string{"@external_google_cloud_logging"}},
	"external_opensearch_logs":             {[]string{wildcard}, []string{"@external_opensearch_logs"}},
	"flink":                                {[]string{wildcard}, []string{"flink"}},
	"flink_external_bigquery":              {[]string{"@external_google_cloud_bigquery"}, []string{"flink"}},
	"flink_external_kafka":                 {[]string{"@external_kafka"}, []string{"flink"}},
	"flink_external_postgresql":            {[]string{"@external_postgresql"}, []string{"flink"}},
	"jolokia":                              {[]string{wildcard}, []string{"@jolokia"}},
	"kafka_connect":                        {[]string{"kafka", "@external_kafka"}, []string{"kafka_connect"}},
	"kafka_logs":                           {[]string{wildcard}, []string{"kafka"}},
	"kafka_mirrormaker":                    {[]string{"kafka", "@external_kafka"}, []string{"kafka_mirrormaker"}},
	"logs":                                 {[]string{wildcard}, []string{"opensearch"}},
	"metrics":                              {[]string{wildcard}, []string{"pg", "thanos"}},
	"opensearch_cross_cluster_replication": {[]string{"opensearch"}, []string{"opensearch"}},
	"opensearch_cross_cluster_search":      {[]string{"opensearch"}, []string{"opensearch"}},
	"prometheus":                           {[]string{wildcard}, []string{"@prometheus"}},
	ReadReplica:                            {[]string{"pg", "mysql", "valkey"}, []string{"pg", "mysql", "valkey"}},
	"rsyslog":                              {[]string{wildcard}, []string{"@rsyslog"}},
}

// EndsOf are those of a type; where they aren't known, anything goes.
func EndsOf(integrationType string) Ends {
	if known, ok := integrationEnds[integrationType]; ok {
		return known
	}
	return Ends{[]string{wildcard, "@*"}, []string{wildcard, "@*"}}
}

// Takes reports whether a service type, or a marked endpoint type, can be at the end.
func Takes(end []string, candidate string) bool {
	anyOf := wildcard
	if strings.HasPrefix(candidate, EndpointMark) {
		anyOf = EndpointMark + wildcard
	}
	return slices.Contains(end, candidate) || slices.Contains(end, anyOf)
}

// End is how a request names an end of an integration. Its role is source or dest.
type End struct{ Role, Project, Service, Endpoint string }

// Check reports what is wrong with the name of an end: a service or an endpoint is needed, as the end takes them.
func (r End) Check(end []string) error {
	services := slices.ContainsFunc(end, func(t string) bool { return !strings.HasPrefix(t, EndpointMark) })
	endpoints := slices.ContainsFunc(end, func(t string) bool { return strings.HasPrefix(t, EndpointMark) })
	service, endpoint := r.Role+"_service", r.Role+"_endpoint_id"
	switch {
	case r.Service != "" && r.Endpoint != "":
		return invalid("only one of %s and %s can be given", service, endpoint)
	case r.Service != "" && !services:
		return invalid("this integration_type takes %s, not %s", endpoint, service)
	case r.Endpoint != "" && !endpoints:
		return invalid("this integration_type takes %s, not %s", service, endpoint)
	case r.Service != "" || r.Endpoint != "":
		return nil
	case services && endpoints:
		return invalid("%s or %s is required", service, endpoint)
	case services:
		return invalid("%s is required", service)
	}
	return invalid("%s is required", endpoint)
}

// invalid is a refusal as Aiven writes it.
func invalid(format string, args ...any) error { return fmt.Errorf("Invalid input: "+format, args...) }
