package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/yaml"

	"github.com/aero-operator/aero/api/v1alpha1"
)

const (
	postgres = `
apiVersion: aiven.io/v1alpha1
kind: PostgreSQL
metadata: {name: my-pg, generation: 1, creationTimestamp: "2026-05-01T11:00:00Z", labels: {team: shop}}
spec: {project: p, plan: startup-4, connInfoSecretTarget: {name: my-pg-admin}}
status:
  observedGeneration: 1
  binding: {name: my-pg-admin}
  conditions:
  - {type: Ready, status: "True", reason: ReconciliationSucceeded, message: Running, lastTransitionTime: "2026-05-01T11:00:00Z"}
  - {type: SecretReady, status: "True", reason: Published, message: Published, lastTransitionTime: "2026-05-01T11:00:00Z"}
`
	database = `
apiVersion: aiven.io/v1alpha1
kind: Database
metadata: {name: orders, generation: 1, creationTimestamp: "2026-05-01T11:00:00Z"}
spec: {project: p, serviceName: my-pg}
status:
  observedGeneration: 1
  conditions:
  - {type: Ready, status: "False", reason: AuthFailed, message: Aiven rejected the token, lastTransitionTime: "2026-05-01T11:58:00Z"}
`
	user = `
apiVersion: aiven.io/v1alpha1
kind: ServiceUser
metadata: {name: orders-app, creationTimestamp: "2026-05-01T11:00:00Z"}
spec: {project: p, serviceName: my-pg}
status: {observedGeneration: -1}
`
	connectionSecret = `
apiVersion: aero-operator.io/v1alpha1
kind: ConnectionSecret
metadata: {name: checkout, generation: 1, creationTimestamp: "2026-05-01T11:00:00Z"}
spec: {sourceRef: {kind: ServiceUser, name: orders-app}, target: {name: checkout-db}, data: {URL: "{{ .URI }}"}}
status:
  observedGeneration: 1
  conditions:
  - {type: Ready, status: "False", reason: InvalidTemplate, message: "spec.data[URL]: no", lastTransitionTime: "2026-05-01T11:58:00Z"}
`
)

// flagName is the name of a flag where its usage begins.
var flagName = regexp.MustCompile(`(?m)^ +(?:-\w, )?--([a-z-]+)`)

func TestThePageHasAllFlags(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "user", "kubectl-aero.md"))
	require.NoError(t, err)
	sections := strings.Split(string(raw), "\n## ")
	p := &plugin{flags: genericclioptions.NewConfigFlags(true)}
	for _, command := range p.root().Commands() {
		of := slices.DeleteFunc(slices.Clone(sections), func(text string) bool {
			return !strings.Contains(text, "kubectl aero "+command.Name()+" ")
		})
		for _, flag := range flagName.FindAllStringSubmatch(command.LocalNonPersistentFlags().FlagUsages(), -1) {
			assert.Contains(t, strings.Join(of, ""), "`--"+flag[1]+"`", command.Name())
		}
	}
}

// types types a command, and returns what it prints and its error as a user reads it.
func (s *server) types(t *testing.T, args ...string) (out, problem string) {
	t.Helper()
	var printed bytes.Buffer
	p := &plugin{
		streams: genericiooptions.IOStreams{In: s, Out: &printed, ErrOut: &printed}, version: "v1",
		now: func() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) },
	}
	t.Setenv("KUBECONFIG", "/dev/null")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := p.run(ctx, append([]string{"--server", s.URL, "--cache-dir", t.TempDir()}, args...)); err != nil {
		problem = describe(err)
	}
	return printed.String(), problem
}

// prints types a command that succeeds.
func (s *server) prints(t *testing.T, args ...string) string {
	t.Helper()
	out, problem := s.types(t, args...)
	require.Empty(t, problem)
	return out
}

func TestWhyExplainsWhatIsNotReady(t *testing.T) {
	s := newServer(t, postgres, database, user)
	out := s.prints(t, "why")
	assert.Regexp(t, `(?s)^Database/orders is not ready: AuthFailed, for 2m\n  Message   Aiven rejected the token\n  Cause .*`+
		`\n\nServiceUser/orders-app is not ready yet, for 60m\n  Cause   The operator hasn't`, out)
	assert.NotContains(t, out, "my-pg")
}

func TestWhyOfNamedObjects(t *testing.T) {
	s := newServer(t, postgres, database, user)
	for _, args := range [][]string{{"postgresql", "my-pg"}, {"PostgreSQL/my-pg"}, {"avnpg"}, {"postgresqls.aiven.io/my-pg"}} {
		assert.Equal(t, "PostgreSQL/my-pg is ready: ReconciliationSucceeded, for 60m\n  Message   Running\n", s.prints(t, append([]string{"why"}, args...)...), args)
	}
	assert.Contains(t, s.prints(t, "why", "aiven"), "Database/orders is not ready")
}

func TestWhyOfNothingToExplain(t *testing.T) {
	assert.Equal(t, "All 1 objects in namespace default are ready\n", newServer(t, postgres).prints(t, "why"))
	assert.Equal(t, "No objects found in any namespace\n", newServer(t).prints(t, "why", "-A"))

	s := newServer(t, database)
	assert.Equal(t, "No objects found in namespace default\n", s.prints(t, "why", "postgresql"))
	assert.Equal(t, "No objects found in any namespace\n", s.prints(t, "why", "postgresql,kafka", "-A"))
	for format, want := range map[string]string{"json": "{\n    \"objects\": []\n}\n", "yaml": "objects: []\n"} {
		assert.Equal(t, want, s.prints(t, "why", "postgresql", "-o", format))
	}
}

// A pause that is forgotten shows nothing else: the status stays as it was.
func TestListsShowWhatIsPaused(t *testing.T) {
	paused := func(text string) string {
		return strings.Replace(text, "generation: 1", `generation: 1, annotations: {controllers.aiven.io/paused: "true"}`, 1)
	}
	s := newServer(t, paused(postgres), paused(database), user)
	assert.Equal(t, strings.TrimLeft(`
NAME                        READY     REASON                            AGE
PostgreSQL/my-pg            True      ReconciliationSucceeded, paused   60m
├─ Secret/my-pg-admin       True      Published
├─ Database/orders          False     AuthFailed, paused                60m
└─ ServiceUser/orders-app   Unknown                                     60m
   └─ Secret/orders-app     Unknown
`, "\n"), s.prints(t, "tree", "postgresql/my-pg"))
	assert.Regexp(t, `(?s)\n\nPaused: Database/orders, PostgreSQL/my-pg\n$`, s.prints(t, "why"))
	assert.Contains(t, s.prints(t, "tree", "postgresql/my-pg", "-o", "json"), `"paused": true`)
	var found struct {
		Paused []struct{ Kind, Name string }
	}
	require.NoError(t, json.Unmarshal([]byte(s.prints(t, "why", "-o", "json")), &found))
	require.Len(t, found.Paused, 2)
	assert.Equal(t, "orders", found.Paused[0].Name)

	assert.Equal(t, "All 1 objects in namespace default are ready\nPaused: PostgreSQL/my-pg\n", newServer(t, paused(postgres)).prints(t, "why"))
	many := make([]string, 0, 12)
	for i := range 12 {
		many = append(many, strings.Replace(paused(postgres), "name: my-pg,", fmt.Sprintf("name: pg-%02d,", i), 1))
	}
	assert.Regexp(t, `Paused: PostgreSQL/pg-00, .*PostgreSQL/pg-09 and 2 more\n$`, newServer(t, many...).prints(t, "why"))
}

func TestOtherProgramsReadTheOutput(t *testing.T) {
	s := newServer(t, postgres, database)
	var found struct {
		Objects []struct{ Name, Ready, Reason, Page string }
	}
	require.NoError(t, json.Unmarshal([]byte(s.prints(t, "why", "-o", "json")), &found))
	require.Len(t, found.Objects, 1)
	assert.Equal(t, "orders", found.Objects[0].Name)
	assert.Equal(t, "AuthFailed", found.Objects[0].Reason)
	assert.NotEmpty(t, found.Objects[0].Page)

	var tree struct {
		Root struct {
			Children []struct{ Kind, Name, Ready string }
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(s.prints(t, "tree", "avnpg", "my-pg", "-o", "yaml")), &tree))
	require.Len(t, tree.Root.Children, 2)
	assert.Equal(t, "Secret", tree.Root.Children[0].Kind)

	_, problem := s.types(t, "why", "-o", "xml")
	assert.Equal(t, `error: unknown --output "xml": use json or yaml`, problem)
}

func TestATreeNamesWhatTheCallerMayNotList(t *testing.T) {
	s := newServer(t, postgres, database, user)
	s.forbidden["serviceusers"] = true
	assert.Equal(t, strings.TrimLeft(`
NAME                    READY   REASON                    AGE
PostgreSQL/my-pg        True    ReconciliationSucceeded   60m
├─ Secret/my-pg-admin   True    Published
└─ Database/orders      False   AuthFailed                60m
Not shown, as you may not list them here: serviceusers
`, "\n"), s.prints(t, "tree", "postgresql/my-pg"))
}

func TestConnectionSecretsAreObjectsLikeOthers(t *testing.T) {
	s := newServer(t, postgres, user, connectionSecret)
	for _, args := range [][]string{{"why", "aiven"}, {"why", "connectionsecret/checkout"}, {"why"}} {
		assert.Regexp(t, `ConnectionSecret/checkout is not ready: InvalidTemplate, for 2m\n  Message   spec.data\[URL\]: no\n  Cause `, s.prints(t, args...), args)
	}
	assert.Equal(t, strings.TrimLeft(`
NAME                              READY     REASON                    AGE
PostgreSQL/my-pg                  True      ReconciliationSucceeded   60m
├─ Secret/my-pg-admin             True      Published
└─ ServiceUser/orders-app         Unknown                             60m
   ├─ Secret/orders-app           Unknown
   └─ ConnectionSecret/checkout   False     InvalidTemplate           60m
      └─ Secret/checkout-db       False     InvalidTemplate
`, "\n"), s.prints(t, "tree", "postgresql/my-pg"))
	assert.Equal(t, "postgresql.aiven.io/my-pg paused\nserviceuser.aiven.io/orders-app paused\nconnectionsecret.aero-operator.io/checkout paused\n",
		s.prints(t, "pause", "aiven", "--all"))

	older := newServer(t, postgres)
	older.kinds = slices.DeleteFunc(older.kinds, func(kind metav1.APIResource) bool { return kind.Group != v1alpha1.GroupVersion.Group })
	assert.Equal(t, "All 1 objects in namespace default are ready\n", older.prints(t, "why"), "without the CRDs that came later")
}

func TestNoSecretIsReadButByConnect(t *testing.T) {
	s := newServer(t, postgres, database, user)
	s.prints(t, "tree", "postgresql/my-pg")
	s.prints(t, "why")
	for _, action := range s.objects.Actions() {
		assert.NotEqual(t, "secrets", action.GetResource().Resource)
	}
}

func TestErrors(t *testing.T) {
	s := newServer(t, postgres)
	s.forbidden["kafkas"] = true
	empty := newServer(t)
	empty.kinds = nil
	gone := newServer(t)
	gone.Close()
	for name, tc := range map[string]struct {
		server *server
		args   []string
		want   string
	}{
		"an object that doesn't exist": {s, []string{"tree", "postgresql", "no"}, `Error from server (NotFound): postgresqls.aiven.io "no" not found`},
		"a kind that doesn't exist":    {s, []string{"why", "banana", "x"}, `error: the server doesn't have a resource type "banana"`},
		"a kind that may not be read":  {s, []string{"pause", "kafka", "k"}, `Error from server (Forbidden): kafkas.aiven.io "k" is forbidden: `},
		"two objects for one tree":     {s, []string{"tree", "postgresql/my-pg", "postgresql/my-pg"}, "error: 2 objects are named: name one"},
		"a name alone":                 {s, []string{"tree", "my-pg"}, `error: the server doesn't have a resource type "my-pg"`},
		"no CRDs, by a name":           {empty, []string{"tree", "avnpg", "x"}, "error: the API server has no kinds of aiven.io: install aero's CRDs"},
		"no CRDs":                      {empty, []string{"why"}, "error: the API server has no kinds of aiven.io: install aero's CRDs"},
		"no cluster":                   {gone, []string{"why"}, "error: the API server " + gone.URL + " can't be reached: dial tcp"},
	} {
		t.Run(name, func(t *testing.T) {
			_, problem := tc.server.types(t, tc.args...)
			assert.Contains(t, problem, tc.want)
		})
	}
}

func TestTheVersionIsPrinted(t *testing.T) {
	assert.Equal(t, "kubectl-aero v1\n", newServer(t).prints(t, "version"))
}

func TestArgumentsAreCompleted(t *testing.T) {
	s := newServer(t, postgres, database)
	for name, tc := range map[string]struct{ args, want []string }{
		"kinds":                 {[]string{"tree", "postg"}, []string{"postgresql"}},
		"short names":           {[]string{"tree", "avnp"}, []string{"avnpg", "avnpool", "avnproject"}},
		"names":                 {[]string{"why", "postgresql", "my"}, []string{"my-pg"}},
		"names behind a kind":   {[]string{"pause", "database/"}, []string{"database/orders"}},
		"the format of outputs": {[]string{"why", "--output", ""}, []string{"json", "yaml"}},
	} {
		t.Run(name, func(t *testing.T) {
			out := s.prints(t, append([]string{"__complete"}, tc.args...)...)
			var got []string
			for line := range strings.Lines(out) {
				if line = strings.TrimSpace(line); !strings.HasPrefix(line, ":") && !strings.HasPrefix(line, "Completion") {
					got = append(got, line)
				}
			}
			assert.ElementsMatch(t, tc.want, got)
		})
	}
}
