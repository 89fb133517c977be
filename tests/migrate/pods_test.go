package migrate

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/tests/env"
	"github.com/aero-operator/aero/tests/process"
)

const (
	// ours is the namespace of aero in the page.
	ours = "aero-system"
	// grace is how long a process may take to end.
	grace = 30 * time.Second
)

// pods run what aero's Deployment says as processes, as there are no nodes, and tell the API server that they are ready.
type pods struct {
	*env.Env
	running []*process.Program
}

// start runs all pods of the Deployment, and returns once they are ready.
func (p *pods) start() {
	p.T.Helper()
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: ours, Name: "aero"}}
	p.Get(deployment)
	wanted, list := int(*deployment.Spec.Replicas), &corev1.PodList{}
	p.Until(func() bool {
		labels := client.MatchingLabels(deployment.Spec.Selector.MatchLabels)
		require.NoError(p.T, p.Client.List(p.T.Context(), list, client.InNamespace(ours), labels))
		return len(list.Items) == wanted
	}, func() string { return fmt.Sprintf("%d pods, not %d", len(list.Items), wanted) })
	as := p.accessOf(deployment.Spec.Template.Spec.ServiceAccountName)
	for i := range list.Items {
		p.run(&list.Items[i], as)
		pod := list.Items[i].DeepCopy()
		pod.Status.Phase = corev1.PodRunning
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue})
		require.NoError(p.T, p.Client.Status().Patch(p.T.Context(), pod, client.MergeFrom(&list.Items[i])))
	}
}

// run starts the process of a pod, and returns once it is ready.
func (p *pods) run(pod *corev1.Pod, as string) {
	p.T.Helper()
	container := pod.Spec.Containers[0]
	program, _, err := process.OnFreePorts(p.T.Context(), 1, func(ports []int) (*process.Program, error) {
		args := append(append([]string{}, container.Args...), p.Operator.Flags()...)
		cmd := exec.Command(p.Program("manager"), append(args, "--metrics-bind-address=0",
			"--leader-election-namespace="+pod.Namespace, "--health-probe-bind-address=127.0.0.1:"+strconv.Itoa(ports[0]))...)
		cmd.Env = append(os.Environ(), "KUBECONFIG="+as, "AIVEN_WEB_URL="+p.Aiven.URL, "WATCHED_NAMESPACES="+p.Namespace)
		for _, variable := range container.Env {
			cmd.Env = append(cmd.Env, variable.Name+"="+variable.Value)
		}
		return process.Launch(pod.Name, filepath.Join(p.T.TempDir(), pod.Name), cmd, syscall.SIGKILL)
	}, func(ctx context.Context, ports []int) error {
		at := url.URL{Scheme: "http", Host: fmt.Sprintf("127.0.0.1:%d", ports[0]), Path: container.ReadinessProbe.HTTPGet.Path}
		if !process.Answers(ctx, at.String()) {
			return fmt.Errorf("%s isn't ready", pod.Name)
		}
		return nil
	})
	require.NoError(p.T, err)
	p.running = append(p.running, program)
}

// stop ends the processes of all pods, as deleting a Deployment does.
func (p *pods) stop() {
	for _, program := range p.running {
		if !program.Ended() {
			require.NoError(p.T, program.End(grace))
		}
	}
	p.running = nil
}

// accessOf is a kubeconfig with a token of aero's account.
func (p *pods) accessOf(account string) string {
	p.T.Helper()
	request := &authenticationv1.TokenRequest{}
	named := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: ours, Name: account}}
	require.NoError(p.T, p.Client.SubResource("token").Create(p.T.Context(), named, request))
	p.Plant(request.Status.Token)
	config, out := p.RESTConfig(), clientcmdapi.NewConfig()
	out.Clusters["it"] = &clientcmdapi.Cluster{Server: config.Host, CertificateAuthorityData: config.CAData}
	out.AuthInfos["it"] = &clientcmdapi.AuthInfo{Token: request.Status.Token}
	out.Contexts["it"] = &clientcmdapi.Context{Cluster: "it", AuthInfo: "it"}
	out.CurrentContext = "it"
	path := filepath.Join(p.T.TempDir(), "kubeconfig")
	require.NoError(p.T, clientcmd.WriteToFile(*out, path))
	return path
}

// newPods are the pods of a test, which end with it.
func newPods(t *testing.T, e *env.Env) *pods {
	p := &pods{Env: e}
	t.Cleanup(p.stop)
	return p
}
