package isolation_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

// call is a call of Aiven.
type call struct{ token, method, path, query, body string }

func (c call) String() string { return c.method + " " + c.path + " " + c.query + " " + c.body }

// project is the one that a call is about; empty for none.
func (c call) project() string {
	if found := projectInPath.FindStringSubmatch(c.path); found != nil {
		return found[1]
	}
	return ""
}

var projectInPath = regexp.MustCompile(`/project/([^/]+)`)

// projects are all that a call names.
func (c call) projects() []string {
	var named []string
	if project := c.project(); project != "" {
		named = append(named, project)
	}
	if strings.Contains(c.path, "/connectors") {
		return named // the options of a connector aren't Aiven's
	}
	for _, found := range projectInBody.FindAllStringSubmatch(c.body, -1) {
		named = append(named, found[1])
	}
	return named
}

// projectInBody finds the projects that the body of a call names.
var projectInBody = regexp.MustCompile(`"[a-z_]*project(?:_name|_to_fork_from|_id)?":"([^"]+)"`)

func (c call) writes() bool { return localaiven.Changes(c.method, c.path, []byte(c.body)) }

// serveAiven is Aiven, which refuses the tokens of tenants outside of their projects, also where a call of an organization names one.
func (w *world) serveAiven(rw http.ResponseWriter, r *http.Request) {
	if r.Method == localaiven.MethodPreface {
		w.aiven.ServeHTTP(rw, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		rw.WriteHeader(http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	call := call{strings.TrimPrefix(r.Header.Get("Authorization"), "aivenv1 "), r.Method, r.URL.Path, r.URL.RawQuery, string(body)}
	w.mu.Lock()
	w.journal = append(w.journal, call)
	w.mu.Unlock()
	status := w.refusal(call)
	if status == 0 {
		status = w.disturbance(call)
	}
	if status == http.StatusBadGateway {
		w.aiven.ServeHTTP(httptest.NewRecorder(), r) // what the answer is lost of has happened
	}
	if status == 0 {
		w.aiven.ServeHTTP(rw, r)
		return
	}
	message := http.StatusText(status)
	rw.WriteHeader(status)
	_ = json.NewEncoder(rw).Encode(map[string]any{"message": message, "errors": []any{map[string]any{"message": message, "status": status}}})
}

// refusal is the status by which Aiven refuses a call; 0 for none.
func (w *world) refusal(call call) int {
	switch call.token {
	case defaultToken, bankToken:
		return 0
	case namespaceToken, tenantToken:
		if slices.ContainsFunc(call.projects(), func(project string) bool {
			return !strings.HasPrefix(project, "team") && project != commons && project != legacy
		}) {
			return http.StatusForbidden
		}
		return 0
	default:
		return http.StatusUnauthorized
	}
}

// disturbance is what seldom happens to a write with a token of tenants: its answer is lost, or it has to wait for its turn. 0 is nothing.
// Of the others none does, so that they are at rest.
func (w *world) disturbance(call call) int {
	if !slices.Contains([]string{namespaceToken, tenantToken}, call.token) || !call.writes() {
		return 0
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	status := map[int]int{0: http.StatusBadGateway, 1: http.StatusTooManyRequests}[w.disturbs.IntN(10)]
	w.disturbed[status] = true
	return status
}

// makeServices makes at the console of Aiven what the objects of a tenant may live in.
func (w *world) makeServices(project string) {
	w.t.Helper()
	for name, kind := range map[string]string{"my-pg": "pg", "my-kafka": "kafka", "my-clickhouse": "clickhouse", "my-opensearch": "opensearch"} {
		body := fmt.Sprintf(`{"service_name": %q, "service_type": %q, "plan": "business-4"`, name, kind)
		if kind == "kafka" {
			body += `, "user_config": {"kafka_connect": true, "schema_registry": true}`
		}
		answer := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, "/v1/project/"+project+"/service", strings.NewReader(body+"}"))
		r.Header.Set("Authorization", "aivenv1 "+bankToken)
		w.aiven.ServeHTTP(answer, r)
		require.Equal(w.t, http.StatusOK, answer.Code, answer.Body)
	}
}

// resourcesByID are those with an id, by that.
func (w *world) resourcesByID() map[string]string {
	all := map[string]string{}
	for _, r := range w.aiven.Resources() {
		if name, id, found := strings.Cut(r.ID, "#"); found {
			all[id] = r.Type + " " + name
		}
	}
	return all
}

// resources are how many there are of each at Aiven.
func (w *world) resources() map[string]int {
	all := map[string]int{}
	for _, r := range w.aiven.Resources() {
		id, _, _ := strings.Cut(r.ID, "#")
		all[r.Type+" "+id]++
	}
	return all
}
