package charts_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"

	"github.com/aero-operator/aero/tests/helm"
)

var update = flag.Bool("update", false, "write what the charts render as what they should")

const (
	folder     = "../../charts/aero"
	kindFolder = "../../charts/aero-crds"
	// Namespaces to work in, in the modes.
	teamA = "team-a"
	teamB = "team-b"
	// Where the reference operator may be.
	reference = "aiven-operator-system"
)

// demo is the release of the modes.
var demo = helm.Release{Name: "aero", Namespace: "aero-system"}

// modes are ways to install, each with what a file in testdata says that it renders.
var modes = map[string]helm.Values{
	"default":    {},
	"namespaced": {"watchedNamespaces": []any{teamA, teamB}, "referenceNamespaces": []any{teamB, reference}},
	"unscoped":   {"watchedNamespaces": []any{teamA}, "rbac": helm.Values{"clusterScope": false}},
	"everything": {
		"image": helm.Values{"repository": "registry.example.com/aero", "digest": "sha256:" + strings.Repeat("0a", 32)},

		"imagePullSecrets":   []any{helm.Values{"name": "registry"}},
		"serviceAccount":     helm.Values{"annotations": helm.Values{"team": "platform"}},
		"defaultTokenSecret": helm.Values{"name": "aiven-token"},
		"metricsBindAddress": ":9090", "healthProbeBindAddress": ":9091",
		"logging":   helm.Values{"level": "debug", "encoder": "console"},
		"args":      []any{"--poll-interval=5m"},
		"extraEnvs": []any{helm.Values{"name": "HTTPS_PROXY", "value": "http://proxy:3128"}},

		"podAnnotations": helm.Values{"note": "yes"}, "podLabels": helm.Values{"tier": "control"},
		"nodeSelector":      helm.Values{"kubernetes.io/os": "linux"},
		"tolerations":       []any{helm.Values{"key": "infra", "operator": "Exists"}},
		"affinity":          helm.Values{"nodeAffinity": helm.Values{}},
		"priorityClassName": "system-cluster-critical",
		"topologySpreadConstraints": []any{helm.Values{
			"topologyKey": "kubernetes.io/hostname", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule",
			"labelSelector": helm.Values{"matchLabels": helm.Values{"app.kubernetes.io/name": "aero"}},
		}},
		"networkPolicy": helm.Values{
			"enabled":     true,
			"apiServer":   helm.Values{"cidrs": []any{"10.0.0.1/32"}, "ports": []any{6443}},
			"metricsFrom": []any{helm.Values{"namespaceSelector": helm.Values{"matchLabels": helm.Values{"name": "monitoring"}}}},
		},
		"serviceMonitor": helm.Values{"enabled": true, "labels": helm.Values{"prometheus": "main"}},
	},
}

// load reads the chart of a folder.
func load(t *testing.T, folder string) *chart.Chart {
	t.Helper()
	loaded, err := helm.Load(folder)
	require.NoError(t, err)
	return loaded
}

func TestHelmFindsNothingToComplainAbout(t *testing.T) {
	t.Parallel()
	require.NoError(t, helm.Lint(kindFolder, nil))
	for name, values := range modes {
		t.Run(name, func(t *testing.T) { require.NoError(t, helm.Lint(folder, values)) })
	}
}

func TestEachModeRendersWhatItShould(t *testing.T) {
	t.Parallel()
	for name, values := range modes {
		t.Run(name, func(t *testing.T) {
			manifests, notes, err := demo.Render(t.Context(), load(t, folder), values)
			require.NoError(t, err)
			got := strings.TrimSpace(manifests) + "\n---\n" + notes + "\n"
			path := filepath.Join("testdata", name+".golden")
			if *update {
				require.NoError(t, os.WriteFile(path, []byte(got), 0o600))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(want), got, "if it should be so: go test ./charts -run Renders -update")
		})
	}
}

func TestNothingIsOutsideOfNamespacesWithoutClusterScope(t *testing.T) {
	t.Parallel()
	clustered := func(mode string) []string {
		var found []string
		for _, object := range objects(t, mode) {
			if object.GetNamespace() == "" {
				found = append(found, object.GetKind()+" "+object.GetName())
			}
		}
		return found
	}
	assert.Empty(t, clustered("unscoped"))
	assert.Contains(t, clustered("namespaced"), "ClusterRole aero-view", "what others than the operator need")
	assert.NotContains(t, clustered("namespaced"), "ClusterRole aero-system-aero", "the operator's own rights")
	assert.NotContains(t, clustered("namespaced"), "ClusterRoleBinding aero-system-aero")
	assert.Contains(t, clustered("default"), "ClusterRoleBinding aero-system-aero")
}

func TestOneReplicaNeedsNoBudget(t *testing.T) {
	t.Parallel()
	manifests, _, err := demo.Render(t.Context(), load(t, folder), helm.Values{"replicaCount": 1})
	require.NoError(t, err)
	assert.NotContains(t, manifests, "PodDisruptionBudget")
}

func TestWithoutMetricsThereIsNoPortForThem(t *testing.T) {
	t.Parallel()
	manifests, _, err := demo.Render(t.Context(), load(t, folder), helm.Values{
		"metricsBindAddress": "0", "networkPolicy": helm.Values{"enabled": true},
	})
	require.NoError(t, err)
	assert.NotContains(t, manifests, "name: metrics")
	assert.NotContains(t, manifests, "port: metrics")
	assert.Contains(t, manifests, "port: probes")
}

func TestAlertsAndDashboardAreThoseOfTheirFiles(t *testing.T) {
	t.Parallel()
	loaded := load(t, folder)
	loaded.Files = append(loaded.Files,
		&common.File{Name: "monitoring/alerts.yaml", Data: []byte("groups:\n- name: aero\n  rules: []\n")},
		&common.File{Name: "monitoring/dashboard.json", Data: []byte("{\n  \"title\": \"{{ aero }}\"\n}\n")})
	on := helm.Values{"enabled": true}
	manifests, _, err := demo.Render(t.Context(), loaded, helm.Values{"prometheusRule": on, "dashboard": on})
	require.NoError(t, err)
	rendered := parse(t, manifests)
	assert.Equal(t, map[string]any{"groups": []any{map[string]any{"name": "aero", "rules": []any{}}}},
		find(t, rendered, "PrometheusRule").Object["spec"])
	dashboard := find(t, rendered, "ConfigMap")
	assert.Equal(t, "1", dashboard.GetLabels()["grafana_dashboard"])
	assert.JSONEq(t, `{"title": "{{ aero }}"}`, dashboard.Object["data"].(map[string]any)["aero.json"].(string))
}
