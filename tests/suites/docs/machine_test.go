package docs

import (
	"bytes"
	"context"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/harness/controlplane"
	"github.com/aero-operator/aero/tests/harness/fakekubelet"
	"github.com/aero-operator/aero/tests/harness/kubectl"
	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/postgres"
)

const (
	// commandTimeout is longer than all commands of a page take, and shorter than a test may. No command compiles anything.
	commandTimeout = 8 * time.Minute
	// traced keeps the commands out of what they print: logs has them.
	traced = "exec {BASH_XTRACEFD}>>commands.log\n"
	// root is the folder of the project.
	root = "../../.."
	// pages say this where readers have a registry of their own.
	theirRegistry = "registry.example.com"
)

// machine is what a reader has: the clone as the working folder, what make builds, and kubectl and helm on the path.
type machine struct {
	t           *testing.T
	dir         string
	environment []string
	replaced    []string // what pages say, and what is typed instead, in turn
	aiven       *localaiven.Server
	aivenURL    string
}

// newMachine makes the working folder: what it has of the clone are links, so that nothing is written there. What pages build
// was built before the test: commands that compile are in builds.
func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{t: t, dir: t.TempDir()}
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	for _, entry := range entries {
		// Without .git, nothing that a page says can change the clone that is being tested.
		if entry.Name() != "bin" && entry.Name() != ".git" {
			m.link(entry.Name())
		}
	}
	require.NoError(t, os.Mkdir(filepath.Join(m.dir, "bin"), 0o755))
	for _, program := range []string{"controlplane", "demo", "localaiven", "manager", "helm", "kubectl-aero", "k8s"} {
		_, err := os.Stat(filepath.Join(root, "bin", program))
		require.NoError(t, err, "bin/%s isn't built: run `make build helm plugin`", program)
		m.link(filepath.Join("bin", program))
	}
	// The GOGC of make is for its compilers and tests.
	m.environment = append(os.Environ(), "GOGC=", "HOME="+m.dir, "AIVEN_TOKEN=a-token-of-mine",
		"PATH="+strings.Join([]string{filepath.Join(m.dir, "bin"), filepath.Join(m.dir, "bin", "k8s"), os.Getenv("PATH")}, ":"))
	server, err := kubectl.Serve(filepath.Join(m.dir, "bin"), filepath.Join(m.dir, "kubectl.log"), m.environment)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop()) })
	m.environment = append(m.environment, server.Environment())
	return m
}

func (m *machine) link(name string) {
	target, err := filepath.Abs(filepath.Join(root, name))
	require.NoError(m.t, err)
	require.NoError(m.t, os.Symlink(target, filepath.Join(m.dir, name)))
}

// withCluster gives the machine a cluster whose pods run, a registry, and an account at Aiven, which is the local one.
func (m *machine) withCluster(engines ...engine.Engine) *machine {
	m.t.Helper()
	m.withAccount(engines...)
	m.newCluster()
	return m
}

// withAccount gives the machine a registry, and an account at Aiven.
func (m *machine) withAccount(engines ...engine.Engine) {
	m.t.Helper()
	images := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	m.t.Cleanup(images.Close)
	m.replaced = append(m.replaced, theirRegistry, strings.TrimPrefix(images.URL, "http://"))
	push(m.t, strings.TrimPrefix(images.URL, "http://"))

	aiven, err := localaiven.New(localaiven.Options{ProvisionTime: time.Second, Engines: engines})
	require.NoError(m.t, err)
	web := httptest.NewServer(aiven)
	m.t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
		require.NoError(m.t, aiven.Close())
		assert.Zero(m.t, aiven.Stats().UnknownRoutes)
	})
	m.aiven, m.aivenURL = aiven, web.URL
	m.environment = append(m.environment, "AIVEN_WEB_URL="+web.URL)
}

// newCluster starts an empty cluster, which kubectl reaches from now on, and returns what ends it.
func (m *machine) newCluster() (lose func()) {
	m.t.Helper()
	plane, err := controlplane.Start(m.t.Context(), controlplane.Options{})
	require.NoError(m.t, err)
	stopPlane := sync.OnceFunc(func() { require.NoError(m.t, plane.Stop()) })
	m.t.Cleanup(stopPlane)
	access := filepath.Join(m.dir, ".kube", "config")
	require.NoError(m.t, os.MkdirAll(filepath.Dir(access), 0o700))
	require.NoError(m.t, os.WriteFile(access, plane.Kubeconfig(), 0o600))

	manager, err := filepath.Abs(filepath.Join(root, "bin", "manager"))
	require.NoError(m.t, err)
	pods, err := fakekubelet.Start(fakekubelet.Options{
		Config:      plane.RESTConfig(),
		Environment: []string{"AIVEN_WEB_URL=" + m.aivenURL},
		Programs:    map[string]string{"aero": manager, m.replaced[1] + "/aero": manager},
		Arguments:   fakekubelet.LeaseNamespace,
	})
	require.NoError(m.t, err)
	stopPods := sync.OnceFunc(func() { require.NoError(m.t, pods.Stop()) })
	m.t.Cleanup(stopPods)
	return func() { stopPods(); stopPlane() }
}

// withDatabases are real ones, if this machine has them.
func (m *machine) withDatabases() *machine {
	m.t.Helper()
	real := postgres.New()
	if err := real.Available(); err != nil {
		m.t.Skip("PostgreSQL isn't installed: ", err)
	}
	return m.withCluster(real)
}

// types types commands one after the other, as far as they succeed, and returns what they print.
func (m *machine) types(script string) string {
	m.t.Helper()
	out, err := m.run(script)
	require.NoError(m.t, err, out+logs(m.dir))
	return out
}

// run is types for commands that may fail.
func (m *machine) run(script string) (string, error) {
	ctx, cancel := context.WithTimeout(m.t.Context(), commandTimeout)
	defer cancel()
	var out bytes.Buffer
	shell := exec.CommandContext(ctx, "bash", "-c", traced+"set -eux -o pipefail\n"+m.typed(script))
	shell.Dir, shell.Env, shell.Stdout, shell.Stderr = m.dir, m.environment, &out, &out
	// What is still running after a failure ends with its group.
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	shell.Cancel = func() error { return syscall.Kill(-shell.Process.Pid, syscall.SIGTERM) }
	shell.WaitDelay = 10 * time.Second
	err := shell.Run()
	_ = syscall.Kill(-shell.Process.Pid, syscall.SIGTERM) // an error says that nothing was left
	return out.String(), err
}

// typed is a part of a page with what readers have names of their own for.
func (m *machine) typed(text string) string { return strings.NewReplacer(m.replaced...).Replace(text) }

// logs are the ends of those that the commands have written.
func logs(dir string) string {
	var out strings.Builder
	files, _ := filepath.Glob(filepath.Join(dir, "*.log"))
	for _, file := range files {
		text, _ := os.ReadFile(file)
		out.WriteString("\n" + filepath.Base(file) + ":\n" + string(text[max(0, len(text)-4000):]))
	}
	return out.String()
}

// freeAddress represents an address without a listener.
const freeAddress = "a free address"

func listenable(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { assert.NoError(t, listener.Close()) }()
	return listener.Addr().String()
}
