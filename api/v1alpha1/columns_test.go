package v1alpha1_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/reason"
)

// widest is how wide a table of kubectl may be, with the namespace.
const widest = 140

// widths of typical values in a table, where they differ from that of other values. Ready and its reason have their longest ones.
var widths = map[string]int{
	"namespace": len("team-orders"), "name": 30,
	".spec.cloudName":             len("google-europe-west1"),
	".spec.connectorClass":        len("io.aiven.kafka.connect.http.HttpSinkConnector"),
	".spec.endpointType":          len("external_postgresql"),
	".spec.integrationType":       len("kafka_connect"),
	".spec.networkCidr":           len("192.168.0.0/24"),
	".spec.organizationId":        len("org9af211329b2f"),
	".spec.parentId":              len("org9af211329b2f"),
	".spec.plan":                  len("premium-6x-16"),
	".spec.resource":              len("Subject:orders-*"),
	".spec.subjectName":           len("orders-value"),
	".spec.topic":                 len("orders.*"),
	readyPath + ".status":         len("Unknown"),
	readyPath + ".reason":         longestReason(),
	".metadata.creationTimestamp": len("100d"),
}

// longestReason is how wide the longest reason of Ready is.
func longestReason() int {
	longest := 0
	for _, r := range reason.All() {
		if r.Ready != "" {
			longest = max(longest, len(r.Name))
		}
	}
	return longest
}

const (
	// otherWidth is that of other values, such as my-project and orders-app.
	otherWidth   = 10
	columnGap    = 3
	readyPath    = `.status.conditions[?(@.type=="Ready")]`
	secretOfSpec = ".spec.connInfoSecretTarget.name"
	binding      = ".status.binding.name"
)

// ownColumns are those that every kind has behind aiven-operator's; the wide ones have the priority 1.
var ownColumns = []map[string]any{
	{"name": "Ready", "type": "string", "jsonPath": readyPath + ".status"},
	{"name": "Reason", "type": "string", "jsonPath": readyPath + ".reason"},
	{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
	{"name": "Phase", "type": "string", "jsonPath": ".status.phase", "priority": 1.0},
	{"name": "Message", "type": "string", "jsonPath": readyPath + ".message", "priority": 1.0},
}

func TestColumnsAreThoseOfAivenOperatorAndThenOurs(t *testing.T) {
	references := loadReferences(t)
	for kind, ours := range loadDefinitions(t) {
		t.Run(kind, func(t *testing.T) {
			want, hasSecret := theirColumns(references[kind])
			publishes := asMap(asMap(ours.properties()["spec"])["properties"])["connInfoSecretTarget"] != nil
			want = append(want, ownColumns...)
			if publishes && !hasSecret {
				want = append(want, map[string]any{"name": "Secret", "type": "string", "jsonPath": binding, "priority": 1.0})
			}
			want = append(want, noticeColumns(ours)...)
			columns := ours.Spec.Versions[0].PrinterColumns
			require.Len(t, columns, len(want))
			for i, column := range columns {
				got := deepCopy(column)
				if want[i]["priority"] == nil {
					delete(got, "priority") // a column that makes the table too wide has one
				}
				assert.Equal(t, want[i], got)
			}
		})
	}
}

// noticeColumns are those of what Aiven reports, which only wide tables have.
func noticeColumns(ours definition) []map[string]any {
	status := asMap(asMap(ours.properties()["status"])["properties"])
	switch {
	case status["version"] != nil && status["consoleURL"] != nil:
		return []map[string]any{{"name": "Version", "type": "string", "jsonPath": ".status.version", "priority": 1.0}}
	case ours.Spec.Names["kind"] == "ServiceUser":
		return []map[string]any{{"name": "Certificate Until", "type": "string", "jsonPath": ".status.credentials.certificateNotAfter", "priority": 1.0}}
	default:
		return nil
	}
}

// theirColumns are aiven-operator's, and whether the Secret is among them: ours shows it also where the spec doesn't name it.
func theirColumns(ref reference) (columns []map[string]any, hasSecret bool) {
	for _, column := range ref.PrinterColumns {
		if column["jsonPath"] == secretOfSpec {
			column, hasSecret = map[string]any{"name": "Secret", "type": "string", "jsonPath": binding}, true
		}
		if ref.Names["kind"] == "ServiceIntegration" && column["jsonPath"] == ".spec.sourceEndpointId" {
			column = deepCopy(column)
			column["jsonPath"] = ".spec.sourceEndpointID" // the name of the field: aiven-operator's column is always empty
		}
		if ref.Names["kind"] == "ServiceIntegration" && column["jsonPath"] == ".spec.destinationEndpointId" {
			column = deepCopy(column)
			column["jsonPath"] = ".status.destinationEndpointId" // also of an endpoint that the spec names by its object
		}
		columns = append(columns, column)
	}
	return columns, hasSecret
}

func TestATableOfAllNamespacesFitsInto140Columns(t *testing.T) {
	for kind, ours := range allDefinitions(t) {
		width := widths["namespace"] + columnGap + widths["name"]
		for _, column := range ours.Spec.Versions[0].PrinterColumns {
			if column["priority"] != nil {
				continue
			}
			typical, known := widths[column["jsonPath"].(string)]
			if !known {
				typical = otherWidth
			}
			width += columnGap + max(typical, len(column["name"].(string)))
		}
		assert.LessOrEqual(t, width, widest, "%s: give columns of aiven-operator the priority 1", kind)
	}
}
