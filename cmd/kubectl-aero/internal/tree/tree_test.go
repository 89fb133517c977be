package tree

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/aero-operator/aero/cmd/kubectl-aero/internal/table"
	"github.com/aero-operator/aero/controllers/view"
)

var update = flag.Bool("update", false, "write the golden files")

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// examples are the objects of docs/examples, ready for an hour, but for a user whose token is refused.
func examples(t *testing.T) (all []*view.Object) {
	t.Helper()
	folder := filepath.Join("..", "..", "..", "..", "docs", "examples")
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	require.NoError(t, err)
	own, err := filepath.Glob(filepath.Join(folder, "aero-operator.io", "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, own)
	files = append(files, own...)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, document := range strings.Split(string(text), "\n---\n") {
			o := &view.Object{}
			require.NoError(t, yaml.Unmarshal([]byte(document), o))
			if !slices.ContainsFunc(view.Groups, func(v schema.GroupVersion) bool { return v.String() == o.APIVersion }) {
				continue
			}
			o.Namespace, o.CreationTimestamp = "shop", metav1.NewTime(now.Add(-time.Hour))
			o.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: "True", Reason: "ReconciliationSucceeded"}}
			if o.Kind == "ServiceUser" {
				o.Status.Conditions[0] = metav1.Condition{Type: "Ready", Status: "False", Reason: "AuthFailed"}
			}
			if o.Spec.ConnInfoSecretTarget.Name != "" {
				o.Status.Conditions = append(o.Status.Conditions, metav1.Condition{Type: "SecretReady", Status: "True", Reason: "Published"})
			}
			all = append(all, o)
		}
	}
	return all
}

func named(t *testing.T, all []*view.Object, name string) *view.Object {
	t.Helper()
	for _, o := range all {
		if o.String() == name {
			return o
		}
	}
	require.Fail(t, "no such example", name)
	return nil
}

func TestTheTreesOfTheExamples(t *testing.T) {
	all := examples(t)
	for _, root := range []string{
		"PostgreSQL/my-pg", "Kafka/my-kafka", "Clickhouse/my-clickhouse", "Project/my-project", "ProjectVPC/my-vpc",
		"ServiceIntegrationEndpoint/my-endpoint", "ServiceUser/orders-app",
	} {
		t.Run(root, func(t *testing.T) {
			var out strings.Builder
			require.NoError(t, Write(&table.Writer{Out: &out, Now: now}, Of(named(t, all, root), all), false))
			golden := filepath.Join("testdata", strings.ReplaceAll(strings.ToLower(root), "/", "_")+".txt")
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(out.String()), 0o600))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), out.String(), "if that is right: go test ./cmd/kubectl-aero/internal/tree -update")
		})
	}
}

// object is one of a kind, with a spec in YAML.
func object(t *testing.T, namespace, kind, name, spec string) *view.Object {
	t.Helper()
	o := &view.Object{}
	o.Kind, o.Namespace, o.Name = kind, namespace, name
	require.NoError(t, yaml.Unmarshal([]byte(spec), &o.Spec))
	return o
}

func TestAnObjectIsInATreeOnce(t *testing.T) {
	pg := object(t, "a", "PostgreSQL", "pg", "{project: p, plan: hobbyist, projectVPCRef: {name: vpc}}")
	all := []*view.Object{
		pg, object(t, "a", "Project", "p", ""), object(t, "a", "ProjectVPC", "vpc", "{project: p}"),
		object(t, "a", "Database", "db", "{project: p, serviceName: pg}"),
		object(t, "b", "Database", "db", "{project: p, serviceName: pg}"),
		object(t, "a", "Database", "other", "{project: other, serviceName: pg}"),
	}
	for root, want := range map[string]string{
		"Project/p":      "Project/p(Secret/p() PostgreSQL/pg(Secret/pg() Database/db() Database/db()) ProjectVPC/vpc())",
		"ProjectVPC/vpc": "ProjectVPC/vpc(PostgreSQL/pg(Secret/pg() Database/db() Database/db()))",
		"PostgreSQL/pg":  "PostgreSQL/pg(Secret/pg() Database/db() Database/db())",
	} {
		assert.Equal(t, want, outline(Of(named(t, all, root), all)))
	}
}

// A project may have thousands of objects.
func TestTheCostOfATreeGrowsWithItsObjects(t *testing.T) {
	cost := func(services int) float64 {
		project := object(t, "a", "Project", "p", "")
		all := []*view.Object{project}
		for i := range services {
			name := fmt.Sprintf("pg%d", i)
			all = append(all, object(t, "a", "PostgreSQL", name, "{project: p, plan: hobbyist}"), object(t, "a", "Database", name, "{project: p, serviceName: "+name+"}"))
		}
		return testing.AllocsPerRun(1, func() { assert.Len(t, Of(project, all).Children, services+1) }) // and its Secret
	}
	assert.Less(t, cost(400)/cost(100), 5.0, "of four times as many")
}

// outline is a tree in one line.
func outline(n *Node) string {
	var children []string
	for _, child := range n.Children {
		children = append(children, outline(child))
	}
	return n.Kind + "/" + n.Name + "(" + strings.Join(children, " ") + ")"
}

func TestNamespacesAreShownWhereThereAreSeveral(t *testing.T) {
	var out strings.Builder
	require.NoError(t, Write(&table.Writer{Out: &out, Now: now}, Of(object(t, "a", "KafkaTopic", "k", ""), nil), true))
	assert.Equal(t, "NAMESPACE   NAME           READY     REASON   AGE\na           KafkaTopic/k   Unknown\n", out.String())
}

func TestAPauseIsShownOnce(t *testing.T) {
	for reason, want := range map[string]string{
		"": "paused", "ReconciliationSucceeded": "ReconciliationSucceeded, paused", "Paused": "Paused",
	} {
		assert.Equal(t, want, (&Node{Reason: reason, Paused: true}).state())
	}
}
