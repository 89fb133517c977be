package conformance_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

// diffed runs kubectl aero diff over manifests, and returns what it has written, and its exit code.
func diffed(e *testenv.Env, token, manifests string, flags ...string) (out, errOut string, code int) {
	e.T.Helper()
	home := e.T.TempDir()
	config := filepath.Join(home, "kubeconfig")
	require.NoError(e.T, os.WriteFile(config, testenv.Kubeconfig(), 0o600))
	command := exec.CommandContext(e.T.Context(), e.Program("kubectl-aero"), append([]string{"diff", "-f", "-", "-n", e.Namespace}, flags...)...)
	command.Env = []string{"AIVEN_WEB_URL=" + e.Aiven.URL, "AIVEN_TOKEN=" + token, "HOME=" + home, "PATH=" + os.Getenv("PATH"), "KUBECONFIG=" + config}
	var stdout, stderr bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(manifests), &stdout, &stderr
	err := command.Run()
	if exit := new(exec.ExitError); !errors.As(err, &exit) {
		require.NoError(e.T, err)
	}
	return stdout.String(), stderr.String(), command.ProcessState.ExitCode()
}

// manifestOf is an example as a user applies it, in the project of the test.
func manifestOf(e *testenv.Env, example string, edits ...string) string {
	e.T.Helper()
	text, err := os.ReadFile(e.Path("docs", "examples", example+".yaml"))
	require.NoError(e.T, err)
	edited := strings.NewReplacer(append([]string{"my-project", e.Project}, edits...)...).Replace(string(text))
	for i := 0; i < len(edits); i += 2 {
		require.Contains(e.T, string(text), edits[i])
	}
	return "---\n" + edited
}

func TestADiffShowsWhatAManifestChangesAtAivenAndWritesNothing(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{
		Kinds: []string{"PostgreSQL", "Database", "ServiceUser"}, NoToken: true, Aiven: localaiven.Options{Tokens: []string{goodToken}},
	})
	e.Token = goodToken
	e.SetSecret(testenv.TokenSecret, map[string]string{testenv.TokenKey: goodToken})
	all := manifestOf(e, "postgresql") + manifestOf(e, "database") + manifestOf(e, "serviceuser") + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n"
	mark := e.Aiven.Mark()
	out, errOut, code := diffed(e, e.Token, all)
	assert.Equal(t, 1, code, out+errOut)
	assert.Contains(t, out, "PostgreSQL "+e.Namespace+"/my-pg: would be created")
	assert.Contains(t, out, "Database "+e.Namespace+"/orders: would be created\n  Once service "+e.Project+"/my-pg exists")
	assert.Contains(t, out, "Not compared, as they aren't of aiven.io: 1")
	assert.Empty(t, e.Aiven.Writes(mark))
	assert.NotContains(t, e.Kubectl("get", "aiven", "-o", "name"), "my-pg")

	file := filepath.Join(t.TempDir(), "all.yaml")
	require.NoError(t, os.WriteFile(file, []byte(all), 0o600))
	e.Kubectl("apply", "-f", file)
	e.Kubectl("wait", "--for=condition=Ready", "--timeout=60s", "postgresql/my-pg", "database/orders", "serviceuser/orders-app")
	mark = e.Aiven.Mark()
	for name, tc := range map[string]struct {
		manifest, token string
		flags           []string
		code            int
		shows           []string
	}{
		"what was applied": {manifest: all, shows: []string{"my-pg: no change at Aiven", "orders: no change at Aiven", "orders-app: no change at Aiven"}},
		"another plan and version": {
			manifest: manifestOf(e, "postgresql", "startup-4", "business-8", `pg_version: "17"`, `pg_version: "18"`), code: 2,
			shows: []string{"my-pg: would be changed", "spec.plan: startup-4 -> business-8", "    Cost, NodesReplaced: ", "from about $58 to $234 a month", "Restart, Irreversible: the upgrade begins at once"},
		},
		"another tag": {
			manifest: manifestOf(e, "postgresql", "team: orders", "team: billing"), code: 1, shows: []string{"spec.tags: ", "TagsRemoved: "},
		},
		"no tags, as kubectl apply removes them": {
			manifest: manifestOf(e, "postgresql", "  tags:\n    team: orders\n    environment: production\n", ""), code: 1, shows: []string{"-> {}", "TagsRemoved: "},
		},
		"another tag, applied by the server": {
			manifest: manifestOf(e, "postgresql", "team: orders", "team: billing"), flags: []string{"--server-side"}, code: 1, shows: []string{"spec.tags: "},
		},
		"json": {
			manifest: manifestOf(e, "postgresql", "startup-4", "business-8"), flags: []string{"-o", "json"}, code: 2,
			shows: []string{`"action": "Update"`, `"path": "spec.plan"`, `"NodesReplaced"`},
		},
		"what the schema refuses": {manifest: manifestOf(e, "postgresql", "  plan: startup-4\n", ""), code: 3, shows: []string{"error: ", "spec.plan: Required value"}},
		"a field that isn't in it": {
			manifest: manifestOf(e, "postgresql", "  plan: startup-4\n", "  plan: startup-4\n  poweredd: false\n"), code: 3,
			shows: []string{"error: applying postgresqls/my-pg without storing it: ", `unknown field "spec.poweredd"`},
		},
		"the same, applied by the server": {
			manifest: manifestOf(e, "postgresql", "  plan: startup-4\n", "  plan: startup-4\n  poweredd: false\n"), flags: []string{"--server-side"}, code: 3,
			shows: []string{"error: applying postgresqls/my-pg without storing it: ", "spec.poweredd: field not declared in schema"},
		},
		"a token that Aiven doesn't know": {manifest: all, token: "revoked", code: 3, shows: []string{"couldn't be compared", "Use a token in AIVEN_TOKEN"}},
		"no manifest":                     {manifest: "", code: 3, shows: []string{"error: "}},
	} {
		t.Run(name, func(t *testing.T) {
			token := e.Token
			if tc.token != "" {
				token = tc.token
			}
			out, errOut, code := diffed(e, token, tc.manifest, tc.flags...)
			assert.Equal(t, tc.code, code, out+errOut)
			for _, text := range tc.shows {
				assert.Contains(t, out+errOut, text)
			}
		})
	}
	assert.Empty(t, e.Aiven.Writes(mark))
}
