package localaiven

import (
	"encoding/json"
	"net/http"
	"strings"

	client "github.com/aiven/go-client-codegen/handler/clickhouse"

	"github.com/aero-operator/aero/tests/localaiven/clickhousesql"
)

// MethodPreface is what opens a connection of HTTP/2, which net/http hands on to handlers. It is no call: another server's client, as
// kube-apiserver is one of etcd, sends it to a port that this server has now.
const MethodPreface = "PRI"

// Changes reports whether a call may change something. Not every POST does: version 2 of the API asks for a list of topics by
// one, and SQL may be a SELECT.
func Changes(method, path string, body []byte) bool {
	switch {
	case method == http.MethodGet, method == MethodPreface, strings.HasPrefix(path, "/v2/"):
		return false
	case strings.HasSuffix(path, "/clickhouse/query"):
		var in client.ServiceClickHouseQueryIn
		return json.Unmarshal(body, &in) != nil || !clickhousesql.Reads(in.Query)
	}
	return true
}
