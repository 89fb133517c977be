package controlplane

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/aero-operator/aero/tests/localaiven/process"
)

// loopback is where every server of the control plane listens.
const loopback = process.Loopback

// The programs, as they are called in the assets folder.
const (
	etcdName        = "etcd"
	apiServerName   = "kube-apiserver"
	controllersName = "kube-controller-manager"
)

// The files in the folder of keys and certificates.
const (
	caFile          = "ca.crt"
	servingCertFile = "serving.crt"
	servingKeyFile  = "serving.key"
	tokenKeyFile    = "service-accounts.key"
	tokensFile      = "tokens.csv" // of users
)

const (
	// startLimit bounds the start of each part. It is generous, as many control
	// planes may share two cores.
	startLimit = 90 * time.Second
	// stopLimit bounds a clean stop; what still runs then is killed.
	stopLimit = 30 * time.Second
)

// collections is how often the servers collect garbage. Those of a real cluster have large heaps, and seldom do: with small ones and
// Go's default, the same writes take a fifth longer. Above the limit they collect as often as it takes to stay below.
var collections = []string{"GOGC=400", "GOMEMLIMIT=3GiB"}

// launch starts a program of the assets folder.
func (c *ControlPlane) launch(o Options, name string, args ...string) (*process.Program, error) {
	cmd := exec.Command(filepath.Join(o.AssetsDir, name), args...)
	cmd.Env = append(os.Environ(), collections...)
	return process.Launch(name, filepath.Join(c.data.logs(), name+".log"), cmd, syscall.SIGKILL)
}

// startOnPorts starts a program that listens on n ports, which launch and check get.
func (c *ControlPlane) startOnPorts(
	ctx context.Context, n int, launch func(ports []int) (*process.Program, error), check func(ctx context.Context, ports []int) error,
) ([]int, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	child, ports, err := process.OnFreePorts(ctx, n, launch, check)
	if err != nil {
		return nil, err
	}
	c.children = append(c.children, child)
	return ports, nil
}

// startEtcd returns the URL of the store.
func (c *ControlPlane) startEtcd(ctx context.Context, o Options) (string, error) {
	url := func(port int) string { return fmt.Sprintf("http://%s:%d", loopback, port) }
	// A name of its own distinguishes this store from another that took the port.
	name := fmt.Sprintf("aero-%d-%d", os.Getpid(), time.Now().UnixNano())
	ports, err := c.startOnPorts(ctx, 2,
		func(ports []int) (*process.Program, error) {
			return c.launch(o, etcdName,
				"--name="+name,
				"--data-dir="+c.data.etcd(),
				"--listen-client-urls="+url(ports[0]),
				"--advertise-client-urls="+url(ports[0]),
				"--listen-peer-urls="+url(ports[1]),
				"--initial-advertise-peer-urls="+url(ports[1]),
				"--initial-cluster="+name+"="+url(ports[1]),
				// The state needn't survive a power cut, but has to be fast.
				"--unsafe-no-fsync",
				"--log-level=warn",
			)
		},
		func(ctx context.Context, ports []int) error { return etcdAnswers(ctx, url(ports[0]), name) })
	if err != nil {
		return "", err
	}
	return url(ports[0]), nil
}

// etcdAnswers checks that the member of this name serves at url.
func etcdAnswers(ctx context.Context, url, name string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v3/cluster/member/list", strings.NewReader("{}"))
	if err != nil {
		return fmt.Errorf("asking etcd for its members: %w", err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("asking etcd for its members: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	var list struct {
		Members []struct{ Name string }
	}
	if err := json.NewDecoder(answer.Body).Decode(&list); err != nil {
		return fmt.Errorf("reading the members of etcd: %w", err)
	}
	for _, member := range list.Members {
		if member.Name == name {
			return nil
		}
	}
	return fmt.Errorf("another etcd listens at %s", url)
}

func (c *ControlPlane) startAPIServer(ctx context.Context, o Options, store string) error {
	fixed := []string{
		"--bind-address=" + loopback,
		"--advertise-address=" + loopback,
		// Nothing but this process's clients reaches the address, least of all a pod.
		"--endpoint-reconciler-type=none",
		"--etcd-servers=" + store,
		"--authorization-mode=RBAC",
		"--allow-privileged=true",
		"--service-cluster-ip-range=10.0.0.0/24",
		"--cert-dir=" + c.data.pki(),
		"--client-ca-file=" + c.pkiFile(caFile),
		"--token-auth-file=" + c.pkiFile(tokensFile),
		"--tls-cert-file=" + c.pkiFile(servingCertFile),
		"--tls-private-key-file=" + c.pkiFile(servingKeyFile),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + c.pkiFile(tokenKeyFile),
		"--service-account-signing-key-file=" + c.pkiFile(tokenKeyFile),
		"--profiling=false",
		// Without it a client's open watch would hold up the end for a minute.
		"--shutdown-watch-termination-grace-period=1s",
	}
	audit, err := c.auditArgs(o.AuditLog)
	if err != nil {
		return err
	}
	fixed = append(fixed, audit...)
	if len(o.AdmissionPlugins) > 0 {
		fixed = append(fixed, "--enable-admission-plugins="+strings.Join(o.AdmissionPlugins, ","))
	}
	_, err = c.startOnPorts(ctx, 1,
		func(ports []int) (*process.Program, error) {
			return c.launch(o, apiServerName, append([]string{"--secure-port=" + strconv.Itoa(ports[0])}, fixed...)...)
		},
		func(ctx context.Context, ports []int) error { return c.apiAnswers(ctx, ports[0]) })
	if err != nil {
		return err
	}
	c.adminAccess, err = kubeconfig(c.admin)
	return err
}

// apiAnswers checks that the API server on this port is ours (it has a
// certificate of our authority), is ready, and has made the namespaces that
// every cluster has. It settles the endpoint and the admin's access to it.
func (c *ControlPlane) apiAnswers(ctx context.Context, port int) error {
	c.endpoint = fmt.Sprintf("https://%s:%d", loopback, port)
	admin, err := c.anonymous()
	if err != nil {
		return err
	}
	// The API server verifies a client's certificate with each request, which would be a twentieth of its work in the tests.
	admin.BearerToken, c.admin = c.adminToken, admin
	client, err := clientFor(c.admin)
	if err != nil {
		return err
	}
	if _, err := client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx); err != nil {
		return fmt.Errorf("asking whether the API is ready: %w", err)
	}
	for _, name := range []string{metav1.NamespaceDefault, metav1.NamespaceSystem} {
		if _, err := client.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{}); err != nil {
			return fmt.Errorf("getting the namespace %s: %w", name, err)
		}
	}
	return nil
}

func clientFor(cfg *rest.Config) (*kubernetes.Clientset, error) {
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("creating a client: %w", err)
	}
	return client, nil
}
