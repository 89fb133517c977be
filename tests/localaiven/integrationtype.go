package localaiven

import (
	"slices"
	"strings"
)

// integrationReadReplica is the type that makes a service a copy of another one.
const integrationReadReplica = "read_replica"

// What may be at an end of an integration: a type of service, or one of endpoint behind this mark. The wildcard is any.
const (
	endpointMark = "@"
	wildcard     = "*"
)

// ends are what an integration of some type connects.
type ends struct{ source, dest []string }

// integrationEnds are those of the types whose ends are known from Aiven's documentation.
var integrationEnds = map[string]ends{
	"autoscaler":                           {[]string{wildcard}, []string{"@autoscaler"}},
	"autoscaler_service":                   {[]string{wildcard}, []string{"@autoscaler_service"}},
	"clickhouse_credentials":               {[]string{"@*"}, []string{kindClickHouse}},
	"clickhouse_kafka":                     {[]string{kindKafka}, []string{kindClickHouse}},
	"clickhouse_postgresql":                {[]string{kindPostgreSQL}, []string{kindClickHouse}},
	"dashboard":                            {[]string{kindGrafana}, []string{wildcard}},
	"datadog":                              {[]string{wildcard}, []string{"@datadog"}},
	"external_aws_cloudwatch_logs":         {[]string{wildcard}, []string{"@external_aws_cloudwatch_logs"}},
	"external_aws_cloudwatch_metrics":      {[]string{wildcard}, []string{"@external_aws_cloudwatch_metrics"}},
	"external_elasticsearch_logs":          {[]string{wildcard}, []string{"@external_elasticsearch_logs"}},
	"external_google_cloud_logging":        {[]string{wildcard}, []string{"@external_google_cloud_logging"}},
	"external_opensearch_logs":             {[]string{wildcard}, []string{"@external_opensearch_logs"}},
	"flink":                                {[]string{wildcard}, []string{kindFlink}},
	"flink_external_bigquery":              {[]string{"@external_google_cloud_bigquery"}, []string{kindFlink}},
	"flink_external_kafka":                 {[]string{"@external_kafka"}, []string{kindFlink}},
	"flink_external_postgresql":            {[]string{"@external_postgresql"}, []string{kindFlink}},
	"jolokia":                              {[]string{wildcard}, []string{"@jolokia"}},
	"kafka_connect":                        {[]string{kindKafka, "@external_kafka"}, []string{kindKafkaConnect}},
	"kafka_logs":                           {[]string{wildcard}, []string{kindKafka}},
	"kafka_mirrormaker":                    {[]string{kindKafka, "@external_kafka"}, []string{"kafka_mirrormaker"}},
	"logs":                                 {[]string{wildcard}, []string{kindOpenSearch}},
	"metrics":                              {[]string{wildcard}, []string{kindPostgreSQL, "thanos"}},
	"opensearch_cross_cluster_replication": {[]string{kindOpenSearch}, []string{kindOpenSearch}},
	"opensearch_cross_cluster_search":      {[]string{kindOpenSearch}, []string{kindOpenSearch}},
	"prometheus":                           {[]string{wildcard}, []string{"@prometheus"}},
	integrationReadReplica:                 {[]string{kindPostgreSQL, kindMySQL, kindValkey}, []string{kindPostgreSQL, kindMySQL, kindValkey}},
	"rsyslog":                              {[]string{wildcard}, []string{"@rsyslog"}},
}

// endsOf are those of a type; where they aren't known, anything goes.
func endsOf(integrationType string) ends {
	if known, ok := integrationEnds[integrationType]; ok {
		return known
	}
	return ends{[]string{wildcard, "@*"}, []string{wildcard, "@*"}}
}

// takes reports whether a service type, or a marked endpoint type, can be at the end.
func takes(end []string, candidate string) bool {
	anyOf := wildcard
	if strings.HasPrefix(candidate, endpointMark) {
		anyOf = endpointMark + wildcard
	}
	return slices.Contains(end, candidate) || slices.Contains(end, anyOf)
}

// named checks that a request names what this end needs: a service or an endpoint, of those that it takes.
func (r endName) named(end []string) *apiError {
	services := slices.ContainsFunc(end, func(t string) bool { return !strings.HasPrefix(t, endpointMark) })
	endpoints := slices.ContainsFunc(end, func(t string) bool { return strings.HasPrefix(t, endpointMark) })
	service, endpoint := r.role+"_service", r.role+"_endpoint_id"
	switch {
	case r.service != "" && r.endpoint != "":
		return badRequest("Invalid input: only one of %s and %s can be given", service, endpoint)
	case r.service != "" && !services:
		return badRequest("Invalid input: this integration_type takes %s, not %s", endpoint, service)
	case r.endpoint != "" && !endpoints:
		return badRequest("Invalid input: this integration_type takes %s, not %s", service, endpoint)
	case r.service != "" || r.endpoint != "":
		return nil
	case services && endpoints:
		return badRequest("Invalid input: %s or %s is required", service, endpoint)
	case services:
		return badRequest("Invalid input: %s is required", service)
	}
	return badRequest("Invalid input: %s is required", endpoint)
}
