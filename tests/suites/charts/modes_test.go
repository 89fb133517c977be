package charts_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/aero-operator/aero/tests/harness/helm"
)

var update = flag.Bool("update", false, "write what the charts render as what they should")

const (
	folder     = "../../../charts/aero"
	kindFolder = "../../../charts/aero-crds"
	// Namespaces to work in, in the modes.
	teamA = "team-a"
	teamB = "team-b"
	// A namespace of aiven-operator.
	aivenOperator = "aiven-operator-system"
)

// demo is the release of the modes.
var demo = helm.Release{Name: "aero", Namespace: "aero-system"}

// modes are ways to install, each with what a file in testdata says that it renders.
var modes = map[string]helm.Values{
	"default":    {},
	"namespaced": {"watchedNamespaces": []any{teamA, teamB}, "aivenOperatorNamespaces": []any{teamB, aivenOperator}},
	"unscoped":   {"watchedNamespaces": []any{teamA}, "rbac": helm.Values{"clusterScope": false}},
	"certificates": {
		"watchedNamespaces": []any{teamA}, "rbac": helm.Values{"clusterScope": false},
		"caBundle":       helm.Values{"secret": "proxy-ca", "key": "bundle.pem"},
		"metrics":        helm.Values{"clientCA": helm.Values{"configMap": "scrapers"}},
		"serviceMonitor": helm.Values{"enabled": true, "clientCertificateSecret": "prometheus-certificate"},
	},
	"token": {"defaultTokenSecret": helm.Values{"name": "aiven-token"}},
	"everything": {
		"image": helm.Values{"repository": "registry.example.com/aero", "digest": "sha256:" + strings.Repeat("0a", 32)},

		"imagePullSecrets": []any{helm.Values{"name": "registry"}},
		"serviceAccount":   helm.Values{"annotations": helm.Values{"team": "platform"}},
		"rbac":             helm.Values{"deleteMigrationSecrets": true},
		"defaultTokenSecret": helm.Values{
			"name": "aiven-token", "namespaces": []any{teamA, teamB}, "namespaceSelector": "team in (c,d)", "fallback": false, "optional": true,
		},
		"admissionPolicies": helm.Values{"projectOfNamespace": true},
		"adoptionPolicy":    "AdoptOrCreate", "recreatePolicy": "Always", "changePolicy": "HoldDisruptive", "noCrossNamespaceRefs": true,
		"metricsBindAddress": ":9090", "healthProbeBindAddress": ":9091",
		"logging":   helm.Values{"level": "debug", "encoder": "console"},
		"tracing":   helm.Values{"endpoint": "http://otel-collector.monitoring:4318", "samplingRate": 0.05},
		"args":      []any{"--poll-interval=5m"},
		"extraEnvs": []any{helm.Values{"name": "HTTPS_PROXY", "value": "http://proxy:3128"}},
		"caBundle":  helm.Values{"configMap": "proxy-ca"},

		"extraVolumes":      []any{helm.Values{"name": "collector", "secret": helm.Values{"secretName": "collector-ca"}}},
		"extraVolumeMounts": []any{helm.Values{"name": "collector", "mountPath": "/etc/collector", "readOnly": true}},

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
			"tracing":     helm.Values{"cidrs": []any{"10.0.1.0/24"}},
			"metricsFrom": []any{helm.Values{"namespaceSelector": helm.Values{"matchLabels": helm.Values{"name": "monitoring"}}}},
		},
		"metrics": helm.Values{"certificateSecret": "metrics-certificate", "namespaceLabel": true},
		"serviceMonitor": helm.Values{
			"enabled": true, "labels": helm.Values{"prometheus": "main"}, "tokenSecret": helm.Values{"name": "prometheus-token"},
		},
		"prometheusRule": helm.Values{"enabled": true, "labels": helm.Values{"prometheus": "main"}},
		"dashboard":      helm.Values{"enabled": true},
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
			got := withoutDashboard(t, strings.TrimSpace(manifests)) + "\n---\n" + notes + "\n"
			path := filepath.Join("testdata", name+".golden")
			if *update {
				require.NoError(t, os.WriteFile(path, []byte(got), 0o600))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(want), got, "if it should be so: go test ./suites/charts -run Renders -update")
		})
	}
}

var policyName = regexp.MustCompile(`(?m)^kind: ValidatingAdmissionPolicy\nmetadata:\n  name: (.+)$`)

func TestTheFolderOfPoliciesHasThoseThatTheChartTurnsOn(t *testing.T) {
	t.Parallel()
	rendered, err := os.ReadFile(filepath.Join("testdata", "default.golden"))
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "config", "admission", "*.yaml"))
	require.NoError(t, err)
	policies := 0
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, name := range policyName.FindAllStringSubmatch(string(content), -1) {
			policies++
			require.True(t, strings.Contains(string(rendered), "\n  name: aero-system-aero-"+name[1]+"\nspec:\n"),
				"%s is applied with the folder, and by default the chart has no such policy", name[1])
		}
	}
	require.Positive(t, policies)
}

// withoutDashboard leaves the dashboard out, which has a test of its own.
func withoutDashboard(t *testing.T, manifests string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(monitoring, "dashboard.json"))
	require.NoError(t, err)
	lines := "    " + strings.ReplaceAll(strings.TrimSpace(string(content)), "\n", "\n    ")
	return strings.Replace(manifests, lines, "    (as in monitoring/dashboard.json)", 1)
}

func TestReviewM7_ThePodHasTheCAsAndTheVolumesOfTheValues(t *testing.T) {
	t.Parallel()
	var deployment appsv1.Deployment
	for _, object := range objects(t, "everything") {
		if object.GetKind() == "Deployment" {
			require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &deployment))
		}
	}
	pod := deployment.Spec.Template.Spec
	sources := map[string]string{} // of what is mounted, by its folder
	for _, mount := range pod.Containers[0].VolumeMounts {
		for _, volume := range pod.Volumes {
			switch {
			case volume.Name == mount.Name && volume.ConfigMap != nil:
				sources[mount.MountPath] = volume.ConfigMap.Name
			case volume.Name == mount.Name && volume.Secret != nil:
				sources[mount.MountPath] = volume.Secret.SecretName
			}
		}
	}
	assert.Equal(t, "proxy-ca", sources["/etc/aero/ca"])
	assert.Equal(t, "collector-ca", sources["/etc/collector"])
	assert.Contains(t, pod.Containers[0].Env, corev1.EnvVar{Name: "SSL_CERT_DIR", Value: "/etc/aero/ca"})
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
	assert.Empty(t, clustered("certificates"))
	assert.Contains(t, clustered("namespaced"), "ClusterRole aero-view", "what others than the operator need")
	assert.NotContains(t, clustered("namespaced"), "ClusterRole aero-system-aero", "the operator's own permissions")
	assert.NotContains(t, clustered("namespaced"), "ClusterRoleBinding aero-system-aero")
	assert.NotContains(t, clustered("namespaced"), "ClusterRoleBinding aero-system-aero-metrics-access")
	assert.Contains(t, clustered("default"), "ClusterRoleBinding aero-system-aero")
	assert.Contains(t, clustered("default"), "ClusterRoleBinding aero-system-aero-metrics-access")
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
	assert.NotContains(t, manifests, "4318", "no way to a collector that isn't configured")
}
