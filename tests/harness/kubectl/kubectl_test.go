package kubectl

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/harness/controlplane"
)

// typist runs commands in a folder, each by the server and by a program of its own.
type typist struct {
	*testing.T
	dir, own, served string
	environment      []string
	server           *Server
}

func newTypist(t *testing.T) *typist {
	t.Helper()
	assets, err := controlplane.FindAssets()
	require.NoError(t, err)
	dir := t.TempDir()
	s := &typist{T: t, dir: dir, own: filepath.Join(assets, "kubectl"), served: filepath.Join(dir, "kubectl")}
	s.environment = append(os.Environ(), "HOME="+dir)
	s.server, err = Serve(dir, filepath.Join(dir, "log"), s.environment)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.server.Stop()) })
	return s
}

// result is what a command left.
type result struct {
	out, errors string
	code        int
}

// command isn't started yet.
func (s *typist) command(program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(s.Context(), program, args...)
	cmd.Dir, cmd.Env = s.dir, slices.Concat(s.environment, []string{s.server.Environment(), "KUBECONFIG=access"})
	return cmd
}

func (s *typist) types(program, input string, args ...string) result {
	s.Helper()
	var out, errors bytes.Buffer
	cmd := s.command(program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &out, &errors
	if err := cmd.Run(); err != nil {
		require.IsType(s, &exec.ExitError{}, err)
	}
	return result{out.String(), errors.String(), cmd.ProcessState.ExitCode()}
}

// TestAServedCommandEndsAsOneOfItsOwn compares what both print, and their exit codes. The working folder, the environment and the input are
// those of the command.
func TestAServedCommandEndsAsOneOfItsOwn(t *testing.T) {
	s := newTypist(t)
	const manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {key: value}\n"
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "a.yaml"), []byte(manifest), 0o600))
	for name, c := range map[string]struct {
		args, input string
		want        result // the code, and a part of what is printed
	}{
		"prints":             {"create secret generic s --from-literal=a=b --dry-run=client --output=name", "", result{out: "secret/s\n"}},
		"folder":             {"patch --local --filename=a.yaml --patch={} --output=jsonpath={.data.key}", "", result{out: "value"}},
		"input":              {"annotate --local --filename=- a=b --output=name", manifest, result{out: "configmap/a\n"}},
		"environment":        {"config set-context c", "", result{out: "Context \"c\" "}},
		"unknown subcommand": {"config frob", "", result{errors: "error: unknown command", code: 1}},
		"unknown flag":       {"get --frob", "", result{errors: "error: unknown flag: --frob", code: 1}},
		"wrong flag":         {"create secret generic s --from-literal=a --dry-run=client", "", result{errors: "error: invalid literal", code: 1}},
		"no file":            {"apply --filename=absent.yaml", "", result{errors: "error: the path \"absent.yaml\" does not exist", code: 1}},
		"no cluster":         {"get --server=http://127.0.0.1:1 --raw=/", "", result{errors: "The connection to the server", code: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			access := filepath.Join(s.dir, "access")
			own := s.types(s.own, c.input, strings.Fields(c.args)...)
			made, _ := os.ReadFile(access)
			_ = os.Remove(access)
			served := s.types(s.served, c.input, strings.Fields(c.args)...)
			madeThen, _ := os.ReadFile(access)
			_ = os.Remove(access)
			assert.Equal(t, own, served)
			assert.Equal(t, string(made), string(madeThen))
			assert.Equal(t, c.want.code, served.code)
			assert.Contains(t, served.out, c.want.out)
			assert.Contains(t, served.errors, c.want.errors)
		})
	}
}

// TestACommandRunsBesideOneThatWaits starts a command whose input hasn't ended, another one, and one whose reader goes first.
func TestACommandRunsBesideOneThatWaits(t *testing.T) {
	s := newTypist(t)
	waiting := s.command(s.served, "annotate", "--local", "--filename=-", "a=b", "--output=name")
	input, err := waiting.StdinPipe()
	require.NoError(t, err)
	var out bytes.Buffer
	waiting.Stdout = &out
	require.NoError(t, waiting.Start())
	// More than a pipe holds: it is written once the command reads, which occupies the server from then on.
	_, err = io.WriteString(input, strings.Repeat("# a comment\n", 32<<10)+"{apiVersion: v1, kind: ConfigMap,")
	require.NoError(t, err)
	assert.Equal(t, result{out: "secret/s\n"}, s.types(s.served, "", "create", "secret", "generic", "s", "--dry-run=client", "--output=name"))
	_, err = io.WriteString(input, " metadata: {name: a}}")
	require.NoError(t, err)
	require.NoError(t, input.Close())
	require.NoError(t, waiting.Wait())
	assert.Equal(t, "configmap/a\n", out.String())

	gone := s.command(s.served, "config", "view")
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, reader.Close())
	gone.Stdout = writer
	require.Error(t, gone.Run())
	require.NoError(t, writer.Close())
	assert.Contains(t, s.types(s.served, "", "config", "view").out, "kind: Config")
}

// TestACommandSaysThatItsServerHasEnded fails loudly rather than to start another one. What may run until it is interrupted needs none.
func TestACommandSaysThatItsServerHasEnded(t *testing.T) {
	s := newTypist(t)
	require.NoError(t, s.server.Stop())
	served := s.types(s.served, "", "config", "view")
	assert.Equal(t, 1, served.code)
	assert.Contains(t, served.errors, "kubectlclient: ")
	assert.Contains(t, s.types(s.served, "", "aero", "get").errors, `unknown command "aero"`, "a plugin")
	assert.Contains(t, s.types(s.served, "", "auth", "can-i", "get", "pods", "--server=http://127.0.0.1:1").errors, "The connection to the server", "ends the process")
	assert.Contains(t, s.types(s.served, "", "get", "pods", "--watch", "--server=http://127.0.0.1:1").errors, "The connection to the server")
	assert.Zero(t, s.types(s.served, "", "version", "--client").code)
}
