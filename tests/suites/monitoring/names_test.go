package monitoring_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/yaml"

	"github.com/aero-operator/aero/controllers/kinds"  // registers the operator's metrics
	_ "github.com/aero-operator/aero/internal/startup" // as well
)

// described is how a metric prints itself.
var described = regexp.MustCompile(`^Desc\{fqName: "([^"]+)", .*variableLabels: \{(.*)\}\}$`)

// registered are the metrics of the operator, each with its labels.
func registered(t *testing.T) map[string][]string {
	t.Helper()
	registry, describes := metrics.Registry.(prometheus.Collector)
	require.True(t, describes, "the registry must describe its metrics")
	descriptions := make(chan *prometheus.Desc)
	go func() {
		registry.Describe(descriptions)
		close(descriptions)
	}()
	found := map[string][]string{}
	for description := range descriptions {
		parts := described.FindStringSubmatch(description.String())
		require.NotNil(t, parts, "%s", description)
		labels := strings.FieldsFunc(parts[2], func(r rune) bool { return r == ',' })
		slices.Sort(labels)
		found[parts[1]] = labels
	}
	require.Contains(t, found, "aero_aiven_calls_total")
	return found
}

var (
	text     = regexp.MustCompile(`"[^"]*"`)
	window   = regexp.MustCompile(`\[[^]]*\]`)
	matchers = regexp.MustCompile(`([a-z_]+)?\{([^}]*)\}`)
	matcher  = regexp.MustCompile(`([a-z_]+)\s*[!=]`)
	grouping = regexp.MustCompile(`\b(by|on|without|ignoring|group_left|group_right)\s*\([^)]*\)`)
	word     = regexp.MustCompile(`\b[a-z][a-z_]*\b\s*\(?`)
	keywords = []string{"and", "or", "unless", "group"}
	added    = []string{"job", "instance", "namespace", "pod", "le"} // by Prometheus, and by histograms
)

// used are the metrics that a query names, each with the labels that it chooses by.
func used(query string) map[string][]string {
	query = window.ReplaceAllString(text.ReplaceAllString(query, `x`), "")
	found := map[string][]string{}
	for _, selector := range matchers.FindAllStringSubmatch(query, -1) {
		for _, label := range matcher.FindAllStringSubmatch(selector[2], -1) {
			found[selector[1]] = append(found[selector[1]], label[1])
		}
	}
	query = grouping.ReplaceAllString(matchers.ReplaceAllString(query, "$1"), "")
	for _, spoken := range word.FindAllString(query, -1) {
		if name := strings.TrimSpace(spoken); !strings.HasSuffix(name, "(") && !slices.Contains(keywords, name) {
			found[name] = append(found[name], []string{}...)
		}
	}
	return found
}

func TestTheMetricsOfAQueryAreFound(t *testing.T) {
	assert.Equal(t, map[string][]string{"aero_a_total": {"code", "kind"}, "aero_b_bucket": nil, "aero_c": nil},
		used(`sum by (job, kind) (rate(aero_a_total{code=~"5..|x_y",kind!="a"}[$__rate_interval]))
  / on (job) histogram_quantile(0.95, aero_b_bucket) > 2 or vector(0) and aero_c`))
}

// checkQuery fails for a metric or a label that there isn't.
func checkQuery(t *testing.T, query string) {
	t.Helper()
	there := registered(t)
	names := used(query)
	assert.NotEmpty(t, names, query)
	for name, labels := range names {
		known, found := there[name]
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			if base, cut := strings.CutSuffix(name, suffix); cut && !found {
				known, found = there[base]
			}
		}
		assert.True(t, found, "no metric is called %s, in: %s", name, query)
		for _, label := range labels {
			assert.True(t, slices.Contains(known, label) || slices.Contains(added, label), "%s has no label %s", name, label)
		}
	}
}

// rule is an alert.
type rule struct {
	Alert       string
	Expr        string
	For         string
	Labels      map[string]string
	Annotations map[string]string
}

func alerts(t *testing.T) []rule {
	t.Helper()
	var file struct {
		Groups []struct {
			Name  string
			Rules []rule
		}
	}
	content, err := os.ReadFile(filepath.Join(root, "monitoring", "alerts.yaml"))
	require.NoError(t, err)
	require.NoError(t, yaml.UnmarshalStrict(content, &file))
	var all []rule
	for _, group := range file.Groups {
		all = append(all, group.Rules...)
	}
	require.NotEmpty(t, all)
	return all
}

const runbooks = "https://github.com/aero-operator/aero/blob/main/docs/user/runbooks/"

func TestEachAlertSaysWhatItMeansAndHasARunbook(t *testing.T) {
	overview, err := os.ReadFile(filepath.Join(root, "docs", "user", "monitoring.md"))
	require.NoError(t, err)
	pages := map[string]bool{}
	for _, alert := range alerts(t) {
		checkQuery(t, alert.Expr)
		assert.Contains(t, []string{"critical", "warning", "info"}, alert.Labels["severity"], alert.Alert)
		assert.NotEmpty(t, alert.For, alert.Alert)
		assert.NotEmpty(t, alert.Annotations["summary"], alert.Alert)
		assert.NotEmpty(t, alert.Annotations["description"], alert.Alert)
		file := alert.Alert + ".md"
		assert.Equal(t, runbooks+file, alert.Annotations["runbook_url"])
		page, err := os.ReadFile(filepath.Join(root, "docs", "user", "runbooks", file))
		require.NoError(t, err)
		pages[file] = true
		for _, heading := range []string{"# " + alert.Alert + "\n", "\n## What it means\n", "\n## What to check\n", "\n## What to do\n"} {
			assert.Contains(t, string(page), heading, file)
		}
		assert.Contains(t, string(overview), "(runbooks/"+file+") | "+alert.Labels["severity"]+" |", "the page on monitoring lists every alert")
	}
	files, err := os.ReadDir(filepath.Join(root, "docs", "user", "runbooks"))
	require.NoError(t, err)
	for _, file := range files {
		assert.True(t, pages[file.Name()], "%s is about no alert", file.Name())
	}
}

func TestWhatHoldsDataIsCriticalWhenItIsCreatedAgain(t *testing.T) {
	var holdData []string
	for _, kind := range kinds.All() {
		if reflect.ValueOf(kind).FieldByName("HoldsData").Bool() {
			holdData = append(holdData, reflect.TypeOf(kind.GetObject()).Elem().Name())
		}
	}
	slices.Sort(holdData)
	for severity, operator := range map[string]string{"critical": "=~", "warning": "!~"} {
		i := slices.IndexFunc(alerts(t), func(r rule) bool { return r.Alert == "AeroRecreated" && r.Labels["severity"] == severity })
		require.NotEqual(t, -1, i, severity)
		assert.Contains(t, alerts(t)[i].Expr, "kind"+operator+`"`+strings.Join(holdData, "|")+`"`)
	}
}

// panel is a panel of the dashboard.
type panel struct {
	Title, Type string
	Targets     []struct{ Expr string }
}

func panels(t *testing.T) []panel {
	t.Helper()
	var dashboard struct{ Panels []panel }
	content, err := os.ReadFile(filepath.Join(root, "monitoring", "dashboard.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(content, &dashboard))
	shown := slices.DeleteFunc(dashboard.Panels, func(p panel) bool { return p.Type == "row" })
	require.NotEmpty(t, shown)
	return shown
}

func TestTheDashboardShowsMetricsThatThereAre(t *testing.T) {
	shown := map[string]bool{}
	for _, panel := range panels(t) {
		assert.NotEmpty(t, panel.Targets, panel.Title)
		for _, target := range panel.Targets {
			checkQuery(t, target.Expr)
			for name := range used(target.Expr) {
				shown[strings.TrimSuffix(name, "_bucket")] = true
			}
		}
	}
	for name := range registered(t) {
		// How often projects are checked says less than when that was last.
		if strings.HasPrefix(name, "aero_") && name != "aero_aiven_project_polls_total" {
			assert.True(t, shown[name], "the dashboard leaves %s out", name)
		}
	}
}

// documented is a line of the table of metrics: name, type, labels.
var documented = regexp.MustCompile("(?m)^\\| `(aero_[a-z_]+)` \\| (counter|gauge|histogram) \\| (.*?) \\| .+ \\|$")

func TestTheTableOfMetricsIsComplete(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "user", "monitoring.md"))
	require.NoError(t, err)
	listed := map[string][]string{}
	for _, line := range documented.FindAllStringSubmatch(string(page), -1) {
		labels := []string{}
		for _, label := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(line[3], -1) {
			labels = append(labels, label[1])
		}
		slices.Sort(labels)
		listed[line[1]] = labels
		assert.Equal(t, strings.HasSuffix(line[1], "_total"), line[2] == "counter", line[1])
	}
	there := registered(t)
	for name := range there {
		if !strings.HasPrefix(name, "aero_") {
			delete(there, name)
		}
	}
	assert.Equal(t, there, listed)
	for _, name := range regexp.MustCompile(`\b(aero|workqueue|controller_runtime|leader_election)_[a-z_]*[a-z]\b`).FindAllString(string(page), -1) {
		if !strings.HasPrefix(name, "aero_") {
			assert.Contains(t, registered(t), name)
		}
	}
}
