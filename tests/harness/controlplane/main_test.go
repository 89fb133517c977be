package controlplane_test

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/aero-operator/aero/tests/harness/controlplane"
)

const (
	// parentEnv makes the test binary a process that starts a control plane in
	// the folder that it names, says so, and waits for its end.
	parentEnv = "AERO_KUBE_TEST_PARENT"
	// testTimeout is how long tests wait for what takes a second on an idle machine.
	testTimeout = 60 * time.Second
)

// shared is the control plane of all tests that don't stop it.
var (
	shared      *controlplane.ControlPlane
	sharedAudit string
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(parentEnv); dir != "" {
		os.Exit(beParent(dir))
	}
	os.Exit(runShared(m))
}

func runShared(m *testing.M) int {
	dir, err := os.MkdirTemp("", "aero-kube-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	sharedAudit = filepath.Join(dir, "audit.log")
	shared, err = controlplane.Start(context.Background(), controlplane.Options{
		CRDDirs: []string{filepath.Join("testdata", "crds")}, AuditLog: sharedAudit, Log: os.Stderr,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := shared.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

func beParent(dir string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	plane, err := controlplane.Start(ctx, controlplane.Options{DataDir: dir})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	_, _ = os.Stdout.WriteString("started\n")
	<-ctx.Done()
	if err := plane.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// admin returns a client that may do everything in the shared control plane.
func admin(t *testing.T) *kubernetes.Clientset {
	t.Helper()
	client, err := kubernetes.NewForConfig(shared.RESTConfig())
	require.NoError(t, err)
	return client
}

// namespace creates a namespace for one test.
func namespace(t *testing.T) string {
	t.Helper()
	created, err := admin(t).CoreV1().Namespaces().Create(t.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "kube-test-"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	return created.Name
}
