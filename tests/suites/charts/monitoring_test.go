package charts_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/aero-operator/aero/tests/harness/helm"
)

// monitoring is where the alerts and the dashboard are written.
const monitoring = "../../../monitoring"

// on switches something on.
var on = helm.Values{"enabled": true}

// render renders the chart.
func render(t *testing.T, values helm.Values) []*unstructured.Unstructured {
	t.Helper()
	manifests, _, err := demo.Render(t.Context(), load(t, folder), values)
	require.NoError(t, err)
	return parse(t, manifests)
}

// written is a file of alerts as data.
func written(t *testing.T) map[string]any {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(monitoring, "alerts.yaml"))
	require.NoError(t, err)
	alerts := map[string]any{}
	require.NoError(t, yaml.Unmarshal(content, &alerts))
	return alerts
}

func TestTheChartHasTheAlertsAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	rule := find(t, render(t, helm.Values{"prometheusRule": on}), "PrometheusRule")
	assert.Equal(t, written(t), rule.Object["spec"])
}

func TestPrometheusReadsTheAlertsOfTheChart(t *testing.T) {
	t.Parallel()
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool isn't installed: it is in Debian's package prometheus (bash tests/deps.sh all)")
	}
	for name, values := range map[string]helm.Values{
		"with a lease":    {},
		"without a lease": {"leaderElect": false, "replicaCount": 1},
	} {
		t.Run(name, func(t *testing.T) {
			values["prometheusRule"] = on
			rules, err := yaml.Marshal(find(t, render(t, values), "PrometheusRule").Object["spec"])
			require.NoError(t, err)
			file := filepath.Join(t.TempDir(), "alerts.yaml")
			require.NoError(t, os.WriteFile(file, rules, 0o600))
			output, err := exec.Command(promtool, "check", "rules", "--lint-fatal", file).CombinedOutput()
			require.NoError(t, err, "%s", output)
		})
	}
}

func TestWithoutALeaseNoAlertIsAboutItsHolder(t *testing.T) {
	t.Parallel()
	const missing = "AeroLeaderMissing"
	names := func(alerts any) (all []string) {
		for _, group := range alerts.(map[string]any)["groups"].([]any) {
			for _, rule := range group.(map[string]any)["rules"].([]any) {
				all = append(all, rule.(map[string]any)["alert"].(string))
			}
		}
		return all
	}
	rule := find(t, render(t, helm.Values{"prometheusRule": on, "leaderElect": false, "replicaCount": 1}), "PrometheusRule")
	require.Contains(t, names(written(t)), missing)
	assert.Equal(t, slices.DeleteFunc(names(written(t)), func(name string) bool { return name == missing }), names(rule.Object["spec"]))
}

func TestTheChartHasTheDashboardAsItIsWritten(t *testing.T) {
	t.Parallel()
	dashboard := find(t, render(t, helm.Values{"dashboard": on}), "ConfigMap")
	assert.Equal(t, "1", dashboard.GetLabels()["grafana_dashboard"])
	want, err := os.ReadFile(filepath.Join(monitoring, "dashboard.json"))
	require.NoError(t, err)
	got, found, err := unstructured.NestedString(dashboard.Object, "data", "aero.json")
	require.NoError(t, err)
	require.True(t, found)
	assert.True(t, json.Valid([]byte(got)))
	assert.JSONEq(t, string(want), got)
}

func TestHowMetricsAreServedFollowsFromWhoCanBeAsked(t *testing.T) {
	t.Parallel()
	namespaced := []any{teamA}
	for name, tc := range map[string]struct {
		values    helm.Values
		args      []string // about metrics
		reachable bool
	}{
		"the API server can be asked": {helm.Values{}, []string{"--metrics-bind-address=:8080", "--metrics-secure"}, true},
		"it can't, with permissions in namespaces only": {
			helm.Values{"watchedNamespaces": namespaced, "metricsBindAddress": ":9090"}, []string{"--metrics-bind-address=127.0.0.1:9090"}, false,
		},
		"so a client certificate is asked for": {
			helm.Values{"watchedNamespaces": namespaced, "metrics": at("clientCA.secret", "ca")},
			[]string{"--metrics-bind-address=:8080", "--metrics-secure", "--metrics-client-ca=/etc/aero/metrics-client-ca/ca.crt"}, true,
		},
		"or nothing at all": {
			helm.Values{"watchedNamespaces": namespaced, "metrics": at("secure", false)}, []string{"--metrics-bind-address=:8080"}, true,
		},
		"no metrics": {helm.Values{"metricsBindAddress": "0"}, []string{"--metrics-bind-address=0"}, false},
		"a certificate": {
			helm.Values{"metrics": at("certificateSecret", "tls")},
			[]string{"--metrics-bind-address=:8080", "--metrics-secure", "--metrics-cert-dir=/etc/aero/metrics-certificate"}, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			tc.values["networkPolicy"] = on
			rendered := render(t, tc.values)
			container := podIn(t, rendered).Spec.Containers[0]
			var args []string
			for _, arg := range container.Args {
				if len(arg) > 9 && arg[:9] == "--metrics" {
					args = append(args, arg)
				}
			}
			assert.Equal(t, tc.args, args)
			assert.Equal(t, tc.reachable, container.Ports[0].Name == "metrics")
			ingress, _, err := unstructured.NestedSlice(find(t, rendered, "NetworkPolicy").Object, "spec", "ingress")
			require.NoError(t, err)
			assert.Equal(t, tc.reachable, len(ingress) == 2, "the network policy lets scrapers in, or not")
		})
	}
}

// snippet is a piece of YAML in a page.
var snippet = regexp.MustCompile("(?s)```yaml\n(.*?)```")

func TestTheValuesInThePageOnMonitoringWork(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/user/monitoring.md")
	require.NoError(t, err)
	shown := map[string]bool{}
	for _, found := range snippet.FindAllStringSubmatch(string(page), -1) {
		values := helm.Values{}
		require.NoError(t, yaml.Unmarshal([]byte(found[1]), &values))
		if values["scrape_configs"] != nil || values["rule_files"] != nil {
			continue // for Prometheus
		}
		require.NoError(t, helm.Lint(folder, values), found[1])
		for _, object := range render(t, values) {
			shown[object.GetKind()] = true
		}
	}
	for _, kind := range []string{"ServiceMonitor", "PrometheusRule", "ConfigMap"} {
		assert.True(t, shown[kind], kind)
	}
}
