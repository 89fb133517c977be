package startup_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/yaml"

	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven/process"
)

const (
	account     = "manager"
	testTimeout = time.Minute
	tick        = 25 * time.Millisecond
)

// pod is the manager as a process, whose account has only the permissions that a test gives it.
type pod struct {
	*testenv.Env
	access  string // its kubeconfig
	program *process.Program
	probes  string // address
	metrics string // address
	starts  int
}

func newPod(t *testing.T) *pod {
	t.Helper()
	p := &pod{Env: testenv.New(t, testenv.Options{Outside: true})}
	subject := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: account}}
	p.Create(subject)
	request := &authenticationv1.TokenRequest{}
	require.NoError(t, p.Client.SubResource("token").Create(t.Context(), subject, request))
	p.Plant(request.Status.Token)
	config := p.RESTConfig()
	p.access = filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, clientcmd.WriteToFile(clientcmdapi.Config{
		CurrentContext: "it",
		Contexts:       map[string]*clientcmdapi.Context{"it": {Cluster: "it", AuthInfo: "it"}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"it": {Token: request.Status.Token}},
		Clusters: map[string]*clientcmdapi.Cluster{"it": {
			Server: config.Host, CertificateAuthority: config.CAFile, CertificateAuthorityData: config.CAData,
		}},
	}, p.access))
	return p
}

// rules are those of the operator's role.
func (p *pod) rules() []rbacv1.PolicyRule {
	content, err := os.ReadFile(filepath.Join(root, "config", "rbac", "role.yaml"))
	require.NoError(p.T, err)
	role := &rbacv1.ClusterRole{}
	require.NoError(p.T, yaml.UnmarshalStrict(content, role))
	return role.Rules
}

// everywhere grants rules in all namespaces.
func (p *pod) everywhere(rules []rbacv1.PolicyRule) {
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{GenerateName: "manager-"}, Rules: rules}
	p.Create(role)
	p.Create(&rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "manager-"}, Subjects: p.subjects(),
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
	})
}

// in grants rules in one namespace.
func (p *pod) in(namespace string, rules []rbacv1.PolicyRule) {
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: "manager-"}, Rules: rules}
	p.Create(role)
	p.Create(&rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: "manager-"}, Subjects: p.subjects(),
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
	})
}

func (p *pod) subjects() []rbacv1.Subject {
	return []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: p.Namespace, Name: account}}
}

// command is the manager with flags, and with the namespaces that it shall watch; all, if empty.
func (p *pod) command(watched string, flags ...string) *exec.Cmd {
	args := append(p.Operator.Flags(), "--metrics-bind-address=0", "--leader-election-namespace="+p.Namespace)
	cmd := exec.Command(p.Program("manager"), append(args, flags...)...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+p.access, "AIVEN_WEB_URL="+p.Aiven.URL, "WATCHED_NAMESPACES="+watched,
		"DEFAULT_AIVEN_TOKEN=", "LOG_LEVEL=info")
	return cmd
}

// start starts the manager, and returns once it lives. It is ended with the test.
func (p *pod) start(watched string, flags ...string) {
	p.T.Helper()
	p.starts++
	log := filepath.Join(p.T.TempDir(), fmt.Sprintf("log-%d", p.starts))
	program, _, err := process.OnFreePorts(p.T.Context(), 2, func(ports []int) (*process.Program, error) {
		p.probes, p.metrics = fmt.Sprintf("127.0.0.1:%d", ports[0]), fmt.Sprintf("127.0.0.1:%d", ports[1])
		cmd := p.command(watched, append(flags, "--health-probe-bind-address="+p.probes, "--metrics-bind-address="+p.metrics)...)
		return process.Launch("the manager", log, cmd, syscall.SIGKILL)
	}, func(ctx context.Context, _ []int) error {
		if !process.Answers(ctx, "http://"+p.probes+"/healthz") {
			return fmt.Errorf("%s doesn't answer", p.probes)
		}
		return nil
	})
	require.NoError(p.T, err)
	p.program = program
	p.T.Cleanup(func() {
		if p.T.Failed() {
			p.T.Log(program.Explain(fmt.Errorf("the test has failed")))
		}
		assert.NoError(p.T, program.End(testTimeout))
		assert.False(p.T, p.Leaks(p.log()), "a secret is in the log")
	})
}

// ready is what the kubelet reads.
func (p *pod) ready() (code int, body string) { return p.get(p.probes + "/readyz") }

// gauge is the value of a series of a metric.
func (p *pod) gauge(series string) string {
	p.T.Helper()
	_, body := p.get(p.metrics + "/metrics")
	_, after, found := strings.Cut(body, "\n"+series+" ")
	require.True(p.T, found, "no %s in:\n%s", series, body)
	value, _, _ := strings.Cut(after, "\n")
	return value
}

func (p *pod) get(url string) (code int, body string) {
	request, err := http.NewRequestWithContext(p.T.Context(), http.MethodGet, "http://"+url, nil)
	require.NoError(p.T, err)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	var content bytes.Buffer
	_, err = io.Copy(&content, answer.Body)
	require.NoError(p.T, err)
	require.NoError(p.T, answer.Body.Close())
	return answer.StatusCode, content.String()
}

func (p *pod) waitReady() {
	p.T.Helper()
	p.Until(func() bool {
		code, _ := p.ready()
		return code == http.StatusOK
	}, func() string {
		_, body := p.ready()
		return "the manager isn't ready: " + body
	})
}

// waitNotReady waits until the probe's answer and the log have a reason with these parts. The log has it in one line.
func (p *pod) waitNotReady(parts ...string) {
	p.T.Helper()
	isReason := func(text string) bool {
		for _, part := range parts {
			if !strings.Contains(text, part) {
				return false
			}
		}
		return true
	}
	logged := func() (lines int) {
		for line := range strings.Lines(p.log()) {
			if text := strings.ReplaceAll(line, `\"`, `"`); strings.Contains(text, `"level":"error"`) && isReason(text) {
				lines++
			}
		}
		return lines
	}
	p.Until(func() bool {
		code, body := p.ready()
		return code == http.StatusInternalServerError && isReason(body) && logged() > 0
	}, func() string {
		_, body := p.ready()
		return fmt.Sprintf("the manager says %q, and its log:\n%s", body, p.log())
	})
	require.Equal(p.T, 1, logged(), "the reason is logged once")
	require.False(p.T, p.program.Ended())
}

// waitLogged waits until the log has a text.
func (p *pod) waitLogged(text string) {
	p.T.Helper()
	p.Until(func() bool { return strings.Contains(p.log(), text) }, func() string { return fmt.Sprintf("no %q in:\n%s", text, p.log()) })
}

// waitEnd waits until the manager ends by itself. The kubelet shows the last line.
func (p *pod) waitEnd(line string) {
	p.T.Helper()
	select {
	case <-p.program.Done():
	case <-time.After(testTimeout):
		require.Fail(p.T, "The manager goes on")
	}
	assert.Equal(p.T, "exit status 1", p.program.State())
	lines := p.program.Lines(1)
	require.Len(p.T, lines, 1)
	assert.Contains(p.T, lines[0], line)
}

func (p *pod) log() string {
	content, err := os.ReadFile(p.program.Log)
	require.NoError(p.T, err)
	return string(content)
}

// lastLine is what the manager prints at last when it ends by itself.
func lastLine(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	output, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit, "%s", output)
	require.Equal(t, 1, exit.ExitCode())
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	return lines[len(lines)-1]
}
