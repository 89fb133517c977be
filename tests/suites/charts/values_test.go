package charts_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/harness/helm"
)

// at makes values of a path such as image.tag.
func at(path string, value any) helm.Values {
	first, rest, deeper := strings.Cut(path, ".")
	if deeper {
		value = at(rest, value)
	}
	return helm.Values{first: value}
}

func TestAValueThatCanNotBeMeantIsRefused(t *testing.T) {
	t.Parallel()
	text := map[string]any{"a": "b"}
	for name, tc := range map[string]struct {
		path  string
		value any
		says  string
	}{
		"a typo":                        {"replicaCuont", 2, "additional properties 'replicaCuont' not allowed"},
		"a typo in a group":             {"image.repo", "a", "at '/image': additional properties 'repo' not allowed"},
		"a typo in resources":           {"resources.limit", text, "at '/resources': additional properties 'limit' not allowed"},
		"a typo in affinity":            {"affinity.podAfinity", text, "at '/affinity': additional properties 'podAfinity'"},
		"a typo two groups deep":        {"networkPolicy.aiven.cidr", text, "at '/networkPolicy/aiven': additional properties 'cidr'"},
		"a text for a number":           {"replicaCount", "two", "at '/replicaCount': got string, want integer"},
		"a negative number":             {"replicaCount", -1, "at '/replicaCount': minimum: got -1, want 0"},
		"a text for a switch":           {"leaderElect", "yes", "at '/leaderElect': got string, want boolean"},
		"a text for a list":             {"watchedNamespaces", teamA, "at '/watchedNamespaces': got string, want array"},
		"no name of a namespace":        {"watchedNamespaces", []any{"Team_A"}, "at '/watchedNamespaces/0': 'Team_A' does not match"},
		"a namespace twice":             {"watchedNamespaces", []any{teamA, teamA}, "at '/watchedNamespaces': items at 0 and 1 are equal"},
		"an unknown level":              {"logging.level", "trace", "at '/logging/level': value must be one of 'debug', 'info', 'warn', 'error'"},
		"a number for an annotation":    {"podAnnotations.a", 1, "at '/podAnnotations/a': got number, want string"},
		"a tag with its colon":          {"image.tag", ":v1", "at '/image/tag': ':v1' does not match"},
		"half a digest":                 {"image.digest", "sha256:0a", "at '/image/digest': 'sha256:0a' does not match"},
		"a port without a colon":        {"metricsBindAddress", "8080", "at '/metricsBindAddress': '8080' does not match"},
		"probes that no kubelet reach":  {"healthProbeBindAddress", "127.0.0.1:81", "at '/healthProbeBindAddress': '127.0.0.1:81' does not"},
		"an argument that is no flag":   {"args", []any{"workers"}, "at '/args/0': 'workers' does not match"},
		"a flag that has a value":       {"args", []any{"--workers=2", "--leader-elect=false"}, "args: set the value leaderElect instead of a flag"},
		"one with a single dash":        {"args", []any{"-metrics-secure"}, "args: set the value metrics.secure instead of a flag"},
		"the file of the token":         {"args", []any{"--default-token-file=/t"}, "args: set the value defaultTokenSecret.name instead of a flag"},
		"a volume without a name":       {"extraVolumes", []any{text}, "at '/extraVolumes/0': missing property 'name'"},
		"a mount without a path":        {"extraVolumeMounts", []any{map[string]any{"name": "a"}}, "at '/extraVolumeMounts/0': missing property 'mountPath'"},
		"an unknown adoption policy":    {"adoptionPolicy", "adopt", "at '/adoptionPolicy': value must be one of 'Never', 'Adopt', 'AdoptOrCreate'"},
		"an unknown change policy":      {"changePolicy", "hold", "at '/changePolicy': value must be one of 'Auto', 'HoldDisruptive', 'HoldAll'"},
		"an unknown recreate policy":    {"recreatePolicy", "Adopt", "at '/recreatePolicy': value must be one of 'Never', 'Always'"},
		"a policy as a flag":            {"args", []any{"--adoption-policy=Adopt"}, "args: set the value adoptionPolicy instead of a flag"},
		"two bundles of CAs":            {"caBundle", map[string]any{"configMap": "a", "secret": "b"}, "caBundle: set configMap or secret, not both"},
		"a budget that stops all":       {"podDisruptionBudget.maxUnavailable", 0, "at '/podDisruptionBudget/maxUnavailable'"},
		"an address that is no network": {"networkPolicy.aiven.cidrs", []any{"aiven.io"}, "at '/networkPolicy/aiven/cidrs/0': 'aiven.io' does"},
		"a collector without a scheme":  {"tracing.endpoint", "collector:4318", "at '/tracing/endpoint': 'collector:4318' does not match"},
		"a percentage of traces":        {"tracing.samplingRate", 10, "at '/tracing/samplingRate': maximum: got 10, want 1"},
		"webhooks":                      {"webhooks.enabled", false, "webhooks: aero has no webhooks and no certificates"},
		"autoscaling":                   {"autoscaling.enabled", false, "autoscaling: one replica leads"},
		"clusterRole":                   {"clusterRole.create", false, "clusterRole: remove this value. To install no cluster-scoped objects, set rbac.clusterScope"},
		"two operators without a lease": {"leaderElect", false, "replicaCount must be 1 without leaderElect"},
		"no scope at all":               {"rbac.clusterScope", false, "watchedNamespaces is required with rbac.clusterScope set to false"},
		"a text for a group":            {"metrics.clientCA", "ca", "at '/metrics/clientCA': got string, want object"},
		"a typo in metrics":             {"metrics.secured", false, "at '/metrics': additional properties 'secured' not allowed"},
		"no account":                    {"serviceAccount.create", false, "serviceAccount.name is required without serviceAccount.create"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := demo.Render(t.Context(), load(t, folder), at(tc.path, tc.value))
			require.ErrorContains(t, err, tc.says)
		})
	}
}

// Without a namespace that the token is for, one value would give the Aiven account to every editor in the cluster.
func TestReviewH6_RolesForAllAndATokenForAllAreNotMeantByAccident(t *testing.T) {
	t.Parallel()
	const refused = "rbac.aggregateRoles: every user with the role edit in any namespace would act with the default token"
	token := func(more helm.Values) helm.Values {
		values := helm.Values{"name": "aiven-token"}
		maps.Copy(values, more)
		return values
	}
	variable := []any{helm.Values{"name": "DEFAULT_AIVEN_TOKEN", "value": "a"}}
	for name, tc := range map[string]struct {
		values     helm.Values
		aggregates bool
		says       string
	}{
		"no token":                      {helm.Values{}, true, ""},
		"no token, and no roles":        {at("rbac.aggregateRoles", false), false, ""},
		"a token for all":               {helm.Values{"defaultTokenSecret": token(nil)}, false, ""},
		"a token for all by a variable": {helm.Values{"extraEnvs": variable}, false, ""},
		"a token for some":              {helm.Values{"defaultTokenSecret": token(at("namespaces", []any{teamA}))}, true, ""},
		"a token for an empty list":     {helm.Values{"defaultTokenSecret": token(at("namespaces", []any{}))}, true, ""},
		"a token by labels":             {helm.Values{"defaultTokenSecret": token(at("namespaceSelector", "team"))}, true, ""},
		"both":                          {helm.Values{"defaultTokenSecret": token(nil), "rbac": at("aggregateRoles", true)}, false, refused},
		"two tokens":                    {helm.Values{"defaultTokenSecret": token(nil), "extraEnvs": variable}, false, "are two default tokens"},
		"both, by a variable":           {helm.Values{"extraEnvs": variable, "rbac": at("aggregateRoles", true)}, false, refused},
		"both, and it is meant":         {helm.Values{"defaultTokenSecret": token(at("allNamespaces", true)), "rbac": at("aggregateRoles", true)}, true, ""},
		"a token that is meant for all": {helm.Values{"defaultTokenSecret": token(at("allNamespaces", true))}, false, ""},
		"both, in an unscoped namespace": {helm.Values{
			"defaultTokenSecret": token(nil), "watchedNamespaces": []any{teamA}, "rbac": helm.Values{"aggregateRoles": true, "clusterScope": false},
		}, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			manifests, _, err := demo.Render(t.Context(), load(t, folder), tc.values)
			if tc.says != "" {
				require.ErrorContains(t, err, tc.says)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.aggregates, strings.Contains(manifests, "aggregate-to-edit"))
		})
	}
}

func TestReviewM11_APolicyThatCanNotBeInstalledIsRefused(t *testing.T) {
	t.Parallel()
	values := helm.Values{"admissionPolicies": at("projectOfNamespace", true), "watchedNamespaces": []any{teamA}}
	_, _, err := demo.Render(t.Context(), load(t, folder), values)
	require.NoError(t, err)
	values["rbac"] = at("clusterScope", false)
	_, _, err = demo.Render(t.Context(), load(t, folder), values)
	require.ErrorContains(t, err, "admissionPolicies.projectOfNamespace requires rbac.clusterScope")
}

func TestMonitoringNeedsWhatItIsAbout(t *testing.T) {
	t.Parallel()
	monitor := func(path, value string) helm.Values {
		values := at(path, value)
		values["enabled"] = true
		return values
	}
	namespaced := []any{teamA}
	for says, values := range map[string]helm.Values{
		"serviceMonitor.enabled requires metrics": {"serviceMonitor": on, "metricsBindAddress": "0"},
		"metrics.clientCA: set secret or configMap, not both": {
			"metrics": helm.Values{"clientCA": helm.Values{"secret": "a", "configMap": "b"}},
		},
		"metrics.secure must be true for metrics.certificateSecret": {
			"metrics": helm.Values{"secure": false, "certificateSecret": "a"},
		},
		"metrics.certificateSecret: with permissions in namespaces only": {
			"metrics": helm.Values{"certificateSecret": "a"}, "watchedNamespaces": namespaced,
		},
		"serviceMonitor.enabled: with permissions in namespaces only": {"serviceMonitor": on, "watchedNamespaces": namespaced},
		"serviceMonitor.clientCertificateSecret is required": {
			"serviceMonitor": on, "metrics": at("clientCA.secret", "a"), "watchedNamespaces": namespaced,
		},
		"serviceMonitor.clientCertificateSecret requires metrics.clientCA": {"serviceMonitor": monitor("clientCertificateSecret", "a")},
		"serviceMonitor.tokenSecret: no token is used": {
			"serviceMonitor": monitor("tokenSecret.name", "a"), "metrics": at("secure", false),
		},
		"serviceMonitor.serverName requires metrics.certificateSecret": {"serviceMonitor": monitor("serverName", "a")},
	} {
		_, _, err := demo.Render(t.Context(), load(t, folder), values)
		assert.ErrorContains(t, err, says)
	}
}

// The values of aiven-operator's chart, with the same meaning.
func TestValuesOfAivenOperatorsChartAreAccepted(t *testing.T) {
	t.Parallel()
	values := helm.Values{
		"replicaCount": 1, "nameOverride": "", "fullnameOverride": "aiven-operator",
		"metricsBindAddress": ":8080", "healthProbeBindAddress": ":8081", "leaderElect": true,
		"extraEnvs":          []any{helm.Values{"name": "A", "value": "b"}},
		"defaultTokenSecret": helm.Values{"name": "aiven-token", "key": "token"},
		"image":              helm.Values{"repository": "aero", "pullPolicy": "IfNotPresent", "tag": "v1"},
		"imagePullSecrets":   []any{},
		"serviceAccount":     helm.Values{"create": true, "annotations": helm.Values{}, "name": ""},
		"podAnnotations":     helm.Values{}, "podSecurityContext": helm.Values{}, "securityContext": helm.Values{},
		"resources":    helm.Values{"limits": helm.Values{"cpu": "100m", "memory": "128Mi"}},
		"nodeSelector": helm.Values{}, "tolerations": []any{}, "affinity": helm.Values{},
		"watchedNamespaces": []any{}, "logging": helm.Values{"level": "info", "encoder": "json"},
	}
	manifests, _, err := demo.Render(t.Context(), load(t, folder), maps.Clone(values))
	require.NoError(t, err)
	assert.Equal(t, "aiven-operator", find(t, parse(t, manifests), "Deployment").GetName())
}

func TestEveryValueOfTheChartIsInItsSchema(t *testing.T) {
	t.Parallel()
	loaded := load(t, folder)
	for name := range loaded.Values {
		assert.Contains(t, string(loaded.Schema), `"`+name+`":`)
	}
	_, _, err := demo.Render(t.Context(), loaded, loaded.Values)
	require.NoError(t, err)
}
