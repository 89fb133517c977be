package monitoring_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/localaiven/process"
)

const (
	serviceName = "my-pg" // in the examples
	// answered is how long a query may have no data.
	answered = 2 * time.Minute
	// maintenanceDay is the deadline of an update of the service.
	maintenanceDay = "2099-02-01"
)

// server is a real Prometheus.
type server struct {
	*testing.T
	url string
}

// watch starts a Prometheus that finds a manager and scrapes it as the page says, with the permissions that it says.
func watch(m *manager) *server {
	m.T.Helper()
	dir := m.T.TempDir()
	m.allow()
	rules, err := filepath.Abs(filepath.Join(root, "monitoring", "alerts.yaml"))
	require.NoError(m.T, err)
	config, token := filepath.Join(dir, "prometheus.yaml"), filepath.Join(dir, "token")
	require.NoError(m.T, os.WriteFile(token, []byte(m.token("prometheus")), 0o600))
	content, err := yaml.Marshal(m.outside(scrapes(m.T), token, rules))
	require.NoError(m.T, err)
	require.NoError(m.T, os.WriteFile(config, content, 0o600))
	p := &server{T: m.T}
	program, _, err := process.OnFreePorts(m.T.Context(), 1, func(ports []int) (*process.Program, error) {
		address := fmt.Sprintf("127.0.0.1:%d", ports[0])
		p.url = "http://" + address
		return process.Launch("Prometheus", filepath.Join(dir, "log"), exec.Command("prometheus", "--config.file="+config,
			"--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+address), syscall.SIGKILL)
	}, func(ctx context.Context, _ []int) error {
		if !process.Answers(ctx, p.url+"/-/ready") {
			return fmt.Errorf("%s isn't ready", p.url)
		}
		return nil
	})
	require.NoError(m.T, err)
	m.T.Cleanup(func() {
		assert.NoError(m.T, program.End(stopTime))
		if m.T.Failed() {
			m.T.Log(strings.Join(program.Lines(30), "\n"))
		}
	})
	return p
}

// allow types the page's commands, for the namespace of the test and a Prometheus in it.
func (m *manager) allow() {
	m.T.Helper()
	m.grant(metricsRoles, "aero-system-aero-metrics-reader")
	here := strings.NewReplacer("monitoring:", m.Namespace+":", "prometheus-reads-aero", "prometheus-reads-"+m.Namespace)
	for _, command := range commands(m.T) {
		for i, word := range command {
			if command[i] = here.Replace(word); word == "aero-system" {
				command[i] = m.Namespace
			}
		}
		m.Kubectl(command...)
	}
	for _, verb := range []string{"get", "list", "watch"} {
		m.Kubectl("auth", "can-i", verb, "pods", "--namespace", m.Namespace, "--as", "system:serviceaccount:"+m.Namespace+":prometheus")
	}
}

// outside changes a configuration for a Prometheus in a pod into one for a Prometheus on this machine. Debian's can't ask the
// API server for pods, so it gets the targets in its configuration.
func (m *manager) outside(config map[string]any, token, rules string) map[string]any {
	m.T.Helper()
	config["global"] = map[string]any{"scrape_interval": "1s", "evaluation_interval": "1s"}
	config["rule_files"] = []string{rules}
	job := config["scrape_configs"].([]any)[0].(map[string]any)
	job["authorization"] = map[string]any{"credentials_file": token}
	assert.Equal(m.T, []any{map[string]any{"role": "pod", "namespaces": map[string]any{"names": []any{"aero-system"}}}},
		job["kubernetes_sd_configs"])
	delete(job, "kubernetes_sd_configs")
	found := func(app, port string) map[string]any {
		return map[string]any{"targets": []string{m.address}, "labels": map[string]string{
			"__meta_kubernetes_pod_label_app_kubernetes_io_name": app, "__meta_kubernetes_pod_container_port_name": port,
		}}
	}
	job["static_configs"] = []any{found("aero", "metrics"), found("aero", "probes"), found("other", "metrics")}
	return config
}

// query asks as Grafana does, and returns the values, NaN left out. Its error says what Prometheus makes of the query.
func (p *server) query(query string) ([]float64, error) {
	query = strings.NewReplacer("$__rate_interval", "30s", "$job", ".+").Replace(query)
	request, err := http.NewRequestWithContext(p.Context(), http.MethodGet, p.url+"/api/v1/query?query="+url.QueryEscape(query), nil)
	require.NoError(p, err)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(p, err)
	var body struct {
		Status, Error string
		Data          struct {
			Result []struct{ Value [2]any }
		}
	}
	err = json.NewDecoder(answer.Body).Decode(&body)
	require.NoError(p, answer.Body.Close())
	require.NoError(p, err)
	if body.Status != "success" {
		return nil, fmt.Errorf("%s: %s", query, body.Error)
	}
	var values []float64
	for _, result := range body.Data.Result {
		value, err := strconv.ParseFloat(result.Value[1].(string), 64)
		require.NoError(p, err)
		if !math.IsNaN(value) {
			values = append(values, value)
		}
	}
	return values, nil
}

// live lets the objects of a test have a life that every panel has something to show of: some become ready, one is
// refused, one drifts, and Aiven asks for a pause.
func live(m *manager) {
	m.T.Helper()
	m.Aiven.Service(m.Project, serviceName)
	require.NoError(m.T, m.Aiven.Patch(m.Project, serviceName, map[string]any{"maintenance_updates": []map[string]any{{"deadline": maintenanceDay}}}))
	service := m.Example("postgresql")
	service.SetAnnotations(map[string]string{
		"controllers.aiven.io/adoption-policy": "Adopt", "controllers.aiven.io/deletion-policy": "Delete", "controllers.aiven.io/drift-policy": "Report",
	})
	m.Create(service)
	m.Wait(service, testenv.Condition("Drifted", metav1.ConditionTrue, "ReportOnly"))
	m.Aiven.Fail("ServiceDatabaseCreate", localaiven.Effect{
		Status: http.StatusBadRequest, Body: json.RawMessage(`{"message": "Invalid input for dbname"}`),
	}, 0)
	refused := m.Example("database")
	m.Create(refused)
	m.Wait(refused, testenv.Condition("Ready", metav1.ConditionFalse, "InvalidSpec"))
	m.Aiven.Fail("ServiceUserCreate", localaiven.Effect{
		Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": "1"},
	}, 1)
}

// more makes one more object, so that what is counted goes up between two scrapes.
func more(m *manager, n int) {
	m.T.Helper()
	user := m.Example("serviceuser").(*v1alpha1.ServiceUser)
	user.Name = fmt.Sprintf("user-%d", n)
	user.Spec.ConnInfoSecretTarget.Name = user.Name
	m.Create(user)
	m.Wait(user, testenv.Ready())
}

func TestEveryPanelOfTheDashboardShowsData(t *testing.T) {
	if _, err := exec.LookPath("prometheus"); err != nil {
		t.Skip("prometheus isn't installed: it is Debian's package of that name (bash tests/deps.sh all)")
	}
	t.Parallel()
	m := start(testenv.New(t, testenv.Options{Outside: true}), "--metrics-secure")
	p := watch(m)
	live(m)

	type open struct{ title, query string }
	var missing []open
	for _, panel := range panels(t) {
		for _, target := range panel.Targets {
			missing = append(missing, open{panel.Title, target.Expr})
		}
	}
	scrape := time.NewTicker(time.Second)
	defer scrape.Stop()
	deadline := time.Now().Add(answered)
	for n := 0; len(missing) > 0 && time.Now().Before(deadline); n++ {
		<-scrape.C
		more(m, n)
		var still []open
		for _, o := range missing {
			values, err := p.query(o.query)
			require.NoError(t, err, o.title)
			if len(values) == 0 {
				still = append(still, o)
			}
		}
		missing = still
	}
	for _, o := range missing {
		assert.Fail(t, "No data", "%s: %s", o.title, o.query)
	}
	found, err := p.query("up")
	require.NoError(t, err)
	assert.Equal(t, []float64{1}, found, "one target, the manager")
	for query, least := range map[string]float64{
		`sum(aero_objects{ready="True"})`:                             1,
		`sum(aero_objects{phase="Failed",reason="InvalidSpec"})`:      1,
		`sum(aero_aiven_rate_limit_paused_seconds_total)`:             1,
		`sum(aero_aiven_calls_total{code="429"})`:                     1,
		`sum(aero_drifted_fields{kind="PostgreSQL"})`:                 1,
		`aero_service_maintenance_timestamp_seconds{name="my-pg"}`:    4073587200, // 2099-02-01
		`sum(aero_pickup_duration_seconds_count{kind="ServiceUser"})`: 1,
		`sum(aero_time_to_ready_seconds_count{kind="ServiceUser"})`:   1,
		`sum(aero_secret_publishes_total{result="written"})`:          1,
	} {
		m.Until(func() bool {
			values, err := p.query(query)
			require.NoError(t, err)
			return len(values) == 1 && values[0] >= least
		}, func() string { return fmt.Sprintf("%s isn't at least %v", query, least) })
	}
}
