package charts_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/kubectl/pkg/util/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/tests/harness/helm"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven/process"
)

// installed is a release whose pods are processes of ours: there are no nodes. They run what the Deployment says, as the
// account that it says.
type installed struct {
	*testenv.Env
	t          *testing.T
	release    helm.Release
	deployment appsv1.Deployment
	account    client.ObjectKey
	access     string // the kubeconfig with the account's token
	notes      string
	pods       []*process.Program
	metrics    string // the address of those of the latest pod
}

// install installs the chart with these values.
func install(t *testing.T, e *testenv.Env, values helm.Values) *installed {
	t.Helper()
	i := &installed{Env: e, t: t, release: helm.Release{Name: "aero", Namespace: e.Namespace + "-system", Kubeconfig: kubeconfig}}
	ensureNamespace(t, e, i.release.Namespace)
	values["extraEnvs"] = i.environment()
	var err error
	i.notes, err = i.release.Install(t.Context(), load(t, folder), values)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, i.release.Uninstall()) })
	i.deployment.Namespace, i.deployment.Name = i.release.Namespace, "aero"
	e.Get(&i.deployment)
	i.account = client.ObjectKey{Namespace: i.release.Namespace, Name: i.deployment.Spec.Template.Spec.ServiceAccountName}
	i.access = filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(i.access, i.token(), 0o600))
	return i
}

// environment leads the pods to the local Aiven.
func (i *installed) environment() []any {
	return []any{helm.Values{"name": "AIVEN_WEB_URL", "value": i.Aiven.URL}}
}

// token is a kubeconfig with a token that the API server gave for the account, as it would to its pods.
func (i *installed) token() []byte {
	request := &authenticationv1.TokenRequest{}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: i.account.Namespace, Name: i.account.Name}}
	require.NoError(i.t, i.Client.SubResource("token").Create(i.t.Context(), account, request))
	i.Plant(request.Status.Token)
	out := clientcmdapi.NewConfig()
	out.Clusters["it"] = slowWatches(i.t, i.RESTConfig())
	out.AuthInfos["it"] = &clientcmdapi.AuthInfo{Token: request.Status.Token}
	out.Contexts["it"] = &clientcmdapi.Context{Cluster: "it", AuthInfo: "it"}
	out.CurrentContext = "it"
	content, err := clientcmd.Write(*out)
	require.NoError(i.t, err)
	return content
}

// run starts a pod, with more variables of the environment, and returns once it is ready.
func (i *installed) run(name string, more ...string) *process.Program {
	i.t.Helper()
	container := i.deployment.Spec.Template.Spec.Containers[0]
	log := filepath.Join(i.t.TempDir(), name)
	mounted := i.mount(container)
	pod, _, err := process.OnFreePorts(i.t.Context(), 2, func(ports []int) (*process.Program, error) {
		i.metrics = fmt.Sprintf("127.0.0.1:%d", ports[1])
		args := slices.Concat(mounted, i.Operator.Flags(), []string{
			"--metrics-bind-address=" + i.metrics, "--leader-election-namespace=" + i.release.Namespace,
			"--health-probe-bind-address=127.0.0.1:" + strconv.Itoa(ports[0]),
		})
		cmd := exec.Command(i.Program("manager"), args...)
		cmd.Env = append(append(os.Environ(), "KUBECONFIG="+i.access), more...)
		for _, variable := range container.Env {
			value := variable.Value
			if from := variable.ValueFrom; from != nil {
				var err error
				value, err = resource.ExtractContainerResourceValue(from.ResourceFieldRef, &container)
				require.NoError(i.t, err)
			}
			cmd.Env = append(cmd.Env, variable.Name+"="+value)
		}
		return process.Launch(name, log, cmd, syscall.SIGKILL)
	}, func(ctx context.Context, ports []int) error {
		probe := container.ReadinessProbe.HTTPGet
		at := url.URL{Scheme: "http", Host: fmt.Sprintf("127.0.0.1:%d", ports[0]), Path: probe.Path}
		if !process.Answers(ctx, at.String()) {
			return fmt.Errorf("%s isn't ready", name)
		}
		return nil
	})
	require.NoError(i.t, err)
	i.pods = append(i.pods, pod)
	i.t.Cleanup(func() { i.stop(pod) })
	return pod
}

// stop ends a pod as the kubelet does.
func (i *installed) stop(pod *process.Program) {
	if pod.Ended() {
		return
	}
	require.NoError(i.t, pod.End(deadline))
	content, err := os.ReadFile(pod.Log)
	require.NoError(i.t, err)
	require.False(i.t, i.Leaks(string(content)), "a secret is in the log of %s", pod.Title)
	if i.t.Failed() {
		i.t.Logf("The end of the log of %s:\n%s", pod.Title, strings.Join(pod.Lines(30), "\n"))
	}
}
