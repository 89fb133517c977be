package fakekubelet

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/kubectl/pkg/util/resource"

	"github.com/aero-operator/aero/tests/localaiven/process"
)

// tokenSeconds is longer than any node of ours lives: tokens aren't renewed.
const tokenSeconds = 24 * 60 * 60

// ownAddressArgument is an argument that listens on all addresses of a pod, or on its loopback.
var ownAddressArgument = regexp.MustCompile(`^(--[a-z-]*address=)(?:127\.0\.0\.1)?:([0-9]+)$`)

// repository is the name of an image without tag and digest.
func repository(image string) string {
	image, _, _ = strings.Cut(image, "@")
	if colon := strings.LastIndex(image, ":"); colon > strings.LastIndex(image, "/") {
		image = image[:colon]
	}
	return image
}

// LeaseNamespace is what the operator's pods get as Arguments if they elect a leader: the namespace of their lease, which is in a file
// that a kubelet mounts.
func LeaseNamespace(pod *corev1.Pod) []string {
	if !slices.Contains(pod.Spec.Containers[0].Args, "--leader-elect=true") {
		return nil
	}
	return []string{"--leader-election-namespace=" + pod.Namespace}
}

// lacks is why the node can't run a pod; empty if it can.
func (n *Node) lacks(p *corev1.Pod) string {
	if len(p.Spec.Containers) != 1 || len(p.Spec.InitContainers) > 0 {
		return "this node runs pods with one container and without init containers only"
	}
	image := repository(p.Spec.Containers[0].Image)
	if _, known := n.options.Programs[image]; !known {
		return fmt.Sprintf("this node has no program for the image %s: it has programs for %s only",
			image, strings.Join(slices.Sorted(maps.Keys(n.options.Programs)), ", "))
	}
	return ""
}

// launch starts the container's program. An error is one of the pod's configuration.
func (p *pod) launch() (*process.Program, error) {
	container := p.object.Spec.Containers[0]
	environment, err := p.environment(container.Env)
	if err != nil {
		return nil, err
	}
	access, err := p.access()
	if err != nil {
		return nil, err
	}
	folders, err := p.mount()
	if err != nil {
		return nil, err
	}
	args := moved(slices.Clone(container.Args), folders)
	if more := p.node.options.Arguments; more != nil {
		args = append(args, more(p.object)...)
	}
	for i := range args {
		args[i] = ownAddressArgument.ReplaceAllString(args[i], "${1}"+p.address+":${2}")
	}
	cmd := exec.Command(p.node.options.Programs[repository(container.Image)], args...)
	cmd.Dir = p.folder
	cmd.Env = slices.Concat(p.node.options.Environment, environment, []string{"KUBECONFIG=" + access, "HOSTNAME=" + p.object.Name})
	return process.Launch("pod "+p.object.Name, p.log(p.restarts.Load()), cmd, syscall.SIGKILL)
}

// log is the file of what the container prints after so many restarts.
func (p *pod) log(restarts int32) string {
	return filepath.Join(p.folder, fmt.Sprintf("%d.log", restarts))
}

// environment is what the container's variables are: nothing of this process's own gets in.
func (p *pod) environment(variables []corev1.EnvVar) ([]string, error) {
	values := map[string]string{}
	for _, variable := range variables {
		value, found, err := p.value(variable)
		if err != nil {
			return nil, err
		}
		if found {
			values[variable.Name] = value
		}
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		all = append(all, name+"="+values[name])
	}
	return all, nil
}

func (p *pod) value(variable corev1.EnvVar) (value string, found bool, err error) {
	from := variable.ValueFrom
	switch {
	case from == nil:
		return variable.Value, true, nil
	case from.SecretKeyRef != nil:
		return p.secret(from.SecretKeyRef)
	case from.FieldRef != nil && from.FieldRef.FieldPath == "metadata.namespace":
		return p.object.Namespace, true, nil
	case from.FieldRef != nil && from.FieldRef.FieldPath == "metadata.name":
		return p.object.Name, true, nil
	case from.ResourceFieldRef != nil:
		value, err := resource.ExtractContainerResourceValue(from.ResourceFieldRef, &p.object.Spec.Containers[0])
		return value, err == nil, err
	}
	return "", false, fmt.Errorf("the variable %s comes from something that this node doesn't have", variable.Name)
}

func (p *pod) secret(ref *corev1.SecretKeySelector) (value string, found bool, err error) {
	optional := ref.Optional != nil && *ref.Optional
	secret, err := p.node.client.CoreV1().Secrets(p.object.Namespace).Get(p.ctx, ref.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) && optional {
		return "", false, nil
	}
	if err != nil {
		return "", false, err // the API server's words are what a kubelet shows
	}
	content, found := secret.Data[ref.Key]
	if !found && !optional {
		return "", false, fmt.Errorf("couldn't find key %s in Secret %s/%s", ref.Key, p.object.Namespace, ref.Name)
	}
	return string(content), found, nil
}

// access is a kubeconfig with a token of the pod's account that is good for as long as the pod is there.
func (p *pod) access() (string, error) {
	seconds := int64(tokenSeconds)
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
		ExpirationSeconds: &seconds,
		BoundObjectRef:    &authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Pod", Name: p.object.Name, UID: p.object.UID},
	}}
	granted, err := p.node.client.CoreV1().ServiceAccounts(p.object.Namespace).
		CreateToken(p.ctx, p.object.Spec.ServiceAccountName, request, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("getting a token for %s: %w", p.object.Spec.ServiceAccountName, err)
	}
	config := p.node.options.Config
	out := clientcmdapi.NewConfig()
	out.Clusters["cluster"] = &clientcmdapi.Cluster{Server: config.Host, CertificateAuthorityData: config.CAData}
	out.AuthInfos["account"] = &clientcmdapi.AuthInfo{Token: granted.Status.Token}
	out.Contexts["pod"] = &clientcmdapi.Context{Cluster: "cluster", AuthInfo: "account", Namespace: p.object.Namespace}
	out.CurrentContext = "pod"
	content, err := clientcmd.Write(*out)
	path := filepath.Join(p.folder, "kubeconfig")
	return path, errors.Join(err, os.WriteFile(path, content, 0o600))
}

// Log is what a pod has printed since its last start; empty for one that isn't here.
func (n *Node) Log(namespace, name string) string {
	p, err := n.find(namespace, name)
	if err != nil {
		return ""
	}
	content, err := os.ReadFile(p.log(p.restarts.Load()))
	if err != nil {
		return ""
	}
	return string(content)
}

// find is the pod of a name that runs here.
func (n *Node) find(namespace, name string) (*pod, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range n.pods {
		if p.object.Namespace == namespace && p.object.Name == name {
			return p, nil
		}
	}
	return nil, fmt.Errorf("%s/%s isn't on this node", namespace, name)
}

// Kill ends what runs in a pod by SIGKILL, as the kernel does when memory is short. The node starts it again.
func (n *Node) Kill(namespace, name string) error {
	p, err := n.find(namespace, name)
	if err != nil {
		return err
	}
	return p.signal(syscall.SIGKILL)
}
