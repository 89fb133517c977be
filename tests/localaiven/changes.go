package localaiven

import (
	"encoding/json"
	"net/http"
	"strings"

	client "github.com/aiven/go-client-codegen/handler/clickhouse"

	"github.com/aero-operator/aero/tests/localaiven/clickhousesql"
)

// Changes reports whether a call may change something. Not every POST does: version 2 of the API asks for a list of topics by
// one, and SQL may be a SELECT.
func Changes(method, path string, body []byte) bool {
	switch {
	case method == http.MethodGet, strings.HasPrefix(path, "/v2/"):
		return false
	case strings.HasSuffix(path, "/clickhouse/query"):
		var in client.ServiceClickHouseQueryIn
		return json.Unmarshal(body, &in) != nil || !clickhousesql.Reads(in.Query)
	}
	return true
}
