package monitoring_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
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
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven/process"
)

const stopTime = time.Minute

// metricsRoles is the file, in config, with the roles of who serves metrics and of who reads them.
const metricsRoles = "manager/metrics_rbac.yaml"

// manager is the operator as a process that serves metrics, with the permissions of config/rbac and no others.
type manager struct {
	*testenv.Env
	program *process.Program
	address string // of the metrics
}

// start starts the manager of a test, and returns once it is ready.
func start(e *testenv.Env, flags ...string) *manager {
	e.T.Helper()
	m := &manager{Env: e}
	m.bind(m.grant("rbac/role.yaml", "manager-role"), "manager")
	m.bind(m.grant(metricsRoles, "aero-system-aero-metrics-access"), "manager")
	kubeconfig := m.kubeconfig(m.token("manager"))
	log := filepath.Join(e.T.TempDir(), "log")
	var probes string
	program, _, err := process.OnFreePorts(e.T.Context(), 2, func(ports []int) (*process.Program, error) {
		m.address, probes = fmt.Sprintf("127.0.0.1:%d", ports[0]), fmt.Sprintf("127.0.0.1:%d", ports[1])
		args := append(e.Operator.Flags(), "--metrics-bind-address="+m.address, "--health-probe-bind-address="+probes)
		cmd := exec.Command(e.Program("manager"), append(args, flags...)...)
		cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "AIVEN_WEB_URL="+e.Aiven.URL, "WATCHED_NAMESPACES="+e.Namespace,
			"DEFAULT_AIVEN_TOKEN=", "LOG_LEVEL=info")
		return process.Launch("the operator", log, cmd, syscall.SIGKILL)
	}, func(ctx context.Context, _ []int) error {
		if !process.Answers(ctx, "http://"+probes+"/readyz") {
			return fmt.Errorf("%s isn't ready", probes)
		}
		return listens(ctx, m.address) // the manager is ready before that, for it makes a key
	})
	require.NoError(e.T, err)
	m.program = program
	e.T.Cleanup(func() {
		assert.NoError(e.T, program.End(stopTime))
		if e.T.Failed() {
			e.T.Log(program.Explain(fmt.Errorf("the test has failed")))
		}
	})
	return m
}

func listens(ctx context.Context, address string) error {
	connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return connection.Close()
}

// grant makes a cluster role of a file in config, once for all tests, and returns its name.
func (m *manager) grant(file, name string) string {
	m.T.Helper()
	content, err := os.ReadFile(filepath.Join(root, "config", file))
	require.NoError(m.T, err)
	for _, document := range bytes.Split(content, []byte("\n---\n")) {
		role := &rbacv1.ClusterRole{}
		if yaml.UnmarshalStrict(document, role) == nil && role.Kind == "ClusterRole" && role.Name == name {
			require.NoError(m.T, client.IgnoreAlreadyExists(m.Client.Create(m.T.Context(), role)))
			return name
		}
	}
	require.Fail(m.T, "No role", "%s has no cluster role %s", file, name)
	return ""
}

// bind gives a role to a service account of the test's namespace.
func (m *manager) bind(role, account string) {
	m.T.Helper()
	m.Create(&rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{GenerateName: role + "-"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: m.Namespace, Name: account}},
	})
}

// token makes a service account, unless it is there, and returns a token of it.
func (m *manager) token(account string) string {
	m.T.Helper()
	subject := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: m.Namespace, Name: account}}
	require.NoError(m.T, client.IgnoreAlreadyExists(m.Client.Create(m.T.Context(), subject)))
	request := &authenticationv1.TokenRequest{}
	require.NoError(m.T, m.Client.SubResource("token").Create(m.T.Context(), subject, request))
	m.Plant(request.Status.Token)
	return request.Status.Token
}

func (m *manager) kubeconfig(token string) string {
	m.T.Helper()
	config, path := m.RESTConfig(), filepath.Join(m.T.TempDir(), "kubeconfig")
	content := clientcmdapi.Config{
		CurrentContext: "it",
		Contexts:       map[string]*clientcmdapi.Context{"it": {Cluster: "it", AuthInfo: "it"}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"it": {Token: token}},
		Clusters: map[string]*clientcmdapi.Cluster{"it": {
			Server: config.Host, CertificateAuthority: config.CAFile, CertificateAuthorityData: config.CAData,
		}},
	}
	require.NoError(m.T, clientcmd.WriteToFile(content, path))
	return path
}

// get reads the metrics as a person with a token, or with none, and a TLS configuration.
func (m *manager) get(t *testing.T, scheme, token string, config *tls.Config) (status int, body string, err error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, scheme+"://"+m.address+"/metrics", nil)
	require.NoError(t, err)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	transport := &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}
	answer, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return 0, "", err
	}
	var content bytes.Buffer
	_, err = io.Copy(&content, answer.Body)
	return answer.StatusCode, content.String(), errors.Join(err, answer.Body.Close())
}
