package controlplane_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/aero-operator/aero/tests/harness/controlplane"
)

// running lists the living processes with the folder in their command line, by
// program name.
func running(t *testing.T, dir string) map[string]int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	found := map[string]int{}
	for _, file := range files {
		// A process may end at any time, and then its file does too.
		line, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(line, []byte(dir)) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		require.NoError(t, err)
		program, _, _ := bytes.Cut(line, []byte{0})
		found[filepath.Base(string(program))] = pid
	}
	return found
}

// The start of a control plane takes a third more processor time with small pages.
func TestTheHeapOfTheAPIServerHasHugePages(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("this kernel has no transparent huge pages: ", err)
	}
	pid := running(t, filepath.Dir(sharedAudit))["kube-apiserver"]
	require.NotZero(t, pid)
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps", pid))
	require.NoError(t, err)
	assert.True(t, regexp.MustCompile(`(?m)^VmFlags:.* hg\b`).Match(maps), "the kernel was asked for huge pages in no part of its memory")
}

func TestStopLeavesNothingBehind(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	plane, err := controlplane.Start(t.Context(), controlplane.Options{})
	require.NoError(t, err)
	require.Len(t, running(t, temp), 3)

	// An open watch must not hold up the end.
	client, err := kubernetes.NewForConfig(plane.RESTConfig())
	require.NoError(t, err)
	watch, err := client.CoreV1().Secrets("").Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	defer watch.Stop()

	started := time.Now()
	require.NoError(t, plane.Stop())
	t.Logf("stopped after %s", time.Since(started))
	assert.Empty(t, running(t, temp))
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	assert.Empty(t, left)
	assert.NoError(t, plane.Stop(), "a second Stop")
	select {
	case <-plane.Done():
		assert.Fail(t, "Done reports a stop that was wanted")
	default:
	}
}

func TestADataFolderIsLockedAndKept(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	start := func() (*controlplane.ControlPlane, typedcorev1.ConfigMapInterface) {
		plane, err := controlplane.Start(t.Context(), controlplane.Options{DataDir: dir})
		require.NoError(t, err)
		client, err := kubernetes.NewForConfig(plane.RESTConfig())
		require.NoError(t, err)
		return plane, client.CoreV1().ConfigMaps("default")
	}
	plane, configMaps := start()
	_, err := configMaps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "kept"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = controlplane.Start(t.Context(), controlplane.Options{DataDir: dir})
	require.ErrorContains(t, err, "another process uses it")
	require.NoError(t, plane.Stop())
	assert.FileExists(t, filepath.Join(dir, "logs", "kube-apiserver.log"))

	plane, configMaps = start()
	_, err = configMaps.Get(t.Context(), "kept", metav1.GetOptions{})
	require.NoError(t, err)
	require.NoError(t, plane.Stop())
}

func TestAPartThatDiesIsReported(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plane, err := controlplane.Start(t.Context(), controlplane.Options{DataDir: dir})
	require.NoError(t, err)
	require.NoError(t, plane.Err())
	require.NoError(t, syscall.Kill(running(t, dir)["kube-controller-manager"], syscall.SIGKILL))
	select {
	case <-plane.Done():
	case <-time.After(testTimeout):
		require.Fail(t, "not noticed")
	}
	assert.ErrorContains(t, plane.Err(), "kube-controller-manager ended by itself (signal: killed)")
	assert.ErrorContains(t, plane.Stop(), "kube-controller-manager ended by itself")
	assert.Empty(t, running(t, dir))
}

func TestACanceledStartLeavesNothingRunning(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := controlplane.Start(ctx, controlplane.Options{DataDir: dir})
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, running(t, dir))
}

func TestThePartsDieWithAParentThatIsKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	parent := exec.Command(self)
	parent.Env = append(os.Environ(), parentEnv+"="+dir)
	parent.Stderr = os.Stderr
	out, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "started\n", line)
	require.Len(t, running(t, dir), 3)

	require.NoError(t, parent.Process.Kill())
	require.Error(t, parent.Wait())
	require.Eventually(t, func() bool { return len(running(t, dir)) == 0 }, testTimeout, 20*time.Millisecond)
}
