package fakekubelet_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/tests/harness/fakekubelet"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

const (
	// role is the variable that makes the test binary a container, and says how it behaves.
	role        = "AERO_NODE_TEST_ROLE"
	image       = "registry.example.com:5000/aero/pretender"
	testTimeout = time.Minute
	tick        = 50 * time.Millisecond
)

func TestMain(m *testing.M) {
	if behaviour := os.Getenv(role); behaviour != "" {
		os.Exit(pretend(behaviour))
	}
	os.Exit(testenv.Main(m))
}

// pretend is what runs in a pod of these tests.
func pretend(behaviour string) int {
	say("my word is", os.Getenv("WORD"), "and home is", os.Getenv("HOME"))
	switch behaviour {
	case "fail":
		say("there is no road to", os.Getenv("KUBECONFIG") != "")
		return 3
	case "end":
		return 0
	case "ill":
		http.HandleFunc("/alive", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	default:
		http.HandleFunc("/alive", func(http.ResponseWriter, *http.Request) {})
	}
	http.HandleFunc("/ready", func(w http.ResponseWriter, _ *http.Request) {
		say("am I ready?")
		if len(os.Args) > 2 {
			word, _ := os.ReadFile(strings.TrimPrefix(os.Args[2], "--word-file="))
			say("the file says", string(word))
		}
		if behaviour == "unready" {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	address := strings.TrimPrefix(os.Args[1], "--listen-address=")
	say(http.ListenAndServe(address, nil))
	return 1
}

func say(words ...any) { _, _ = fmt.Fprintln(os.Stdout, words...) }

// world has a node that runs the test binary.
func world(t *testing.T) *testenv.Env {
	e := testenv.New(t, testenv.Options{Outside: true})
	self, err := os.Executable()
	require.NoError(t, err)
	var log strings.Builder
	n, err := fakekubelet.Start(fakekubelet.Options{Config: e.RESTConfig(), Programs: map[string]string{image: self}, Log: &log})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, n.Stop())
		assert.Empty(t, log.String())
	})
	return e
}

// deploy creates a Deployment of pods that behave in a way.
func deploy(e *testenv.Env, behaviour string, replicas int32, more ...corev1.EnvVar) *appsv1.Deployment {
	d := pretender(e, behaviour, replicas, more...)
	require.NoError(e.T, e.Client.Create(e.T.Context(), d))
	return d
}

func pretender(e *testenv.Env, behaviour string, replicas int32, more ...corev1.EnvVar) *appsv1.Deployment {
	labels := map[string]string{"app": "pretender"}
	ask := func(path string) *corev1.Probe {
		get := &corev1.HTTPGetAction{Path: path, Port: intstr.FromString("probes")}
		return &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: get}, PeriodSeconds: 1, FailureThreshold: 5}
	}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: e.Namespace, Name: "pretender"},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{Containers: []corev1.Container{{
					Name: "it", Image: image + ":v1", Args: []string{"--listen-address=:8080"},
					Env:                      append(more, corev1.EnvVar{Name: role, Value: behaviour}),
					Ports:                    []corev1.ContainerPort{{Name: "probes", ContainerPort: 8080}},
					ReadinessProbe:           ask("/ready"),
					LivenessProbe:            ask("/alive"),
					TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
				}}},
			},
		},
	}
}

func pods(e *testenv.Env) []corev1.Pod {
	var list corev1.PodList
	require.NoError(e.T, e.Client.List(e.T.Context(), &list, client.InNamespace(e.Namespace)))
	return list.Items
}

// container waits until there is one pod whose container is in a state, and returns both.
func container(e *testenv.Env, holds func(corev1.ContainerStatus) bool) (pod corev1.Pod, status corev1.ContainerStatus) {
	e.T.Helper()
	require.Eventually(e.T, func() bool {
		all := pods(e)
		if len(all) != 1 || len(all[0].Status.ContainerStatuses) != 1 {
			return false
		}
		pod, status = all[0], all[0].Status.ContainerStatuses[0]
		return holds(status)
	}, testTimeout, tick, "the container must get there")
	return pod, status
}

func kubectl(e *testenv.Env, args ...string) string {
	config := filepath.Join(e.T.TempDir(), "kubeconfig")
	require.NoError(e.T, os.WriteFile(config, testenv.Kubeconfig(), 0o600))
	cmd := exec.Command(filepath.Join(os.Getenv("KUBEBUILDER_ASSETS"), "kubectl"), append([]string{"--kubeconfig", config, "-n", e.Namespace}, args...)...)
	out, err := cmd.CombinedOutput()
	require.NoError(e.T, err, string(out))
	return string(out)
}

func TestADeploymentRunsRollsOverAndEnds(t *testing.T) {
	e := world(t)
	d := deploy(e, "serve", 2, corev1.EnvVar{Name: "WORD", Value: "one"})
	kubectl(e, "rollout", "status", "deployment/pretender", "--timeout=1m")
	first := pods(e)
	require.Len(t, first, 2)
	assert.NotEqual(t, first[0].Status.PodIP, first[1].Status.PodIP)
	assert.Contains(t, kubectl(e, "logs", "deployment/pretender"), "\nmy word is one and home is \n", "nothing of the test's own environment gets in")

	e.Get(d)
	d.Spec.Template.Spec.Containers[0].Env[0].Value = "two"
	require.NoError(t, e.Client.Update(t.Context(), d))
	kubectl(e, "rollout", "status", "deployment/pretender", "--timeout=1m")
	assert.Contains(t, kubectl(e, "logs", "deployment/pretender"), "\nmy word is two")
	assert.NotContains(t, kubectl(e, "logs", "deployment/pretender", "--tail=1"), "my word")

	require.NoError(t, e.Client.Delete(t.Context(), d))
	require.Eventually(t, func() bool { return len(pods(e)) == 0 }, testTimeout, tick)
	for _, pod := range first {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+pod.Status.PodIP+":8080/ready", nil)
		require.NoError(t, err)
		answer, err := http.DefaultClient.Do(request)
		if err == nil {
			_ = answer.Body.Close()
		}
		require.Error(t, err, "what ran in the pod must be gone")
	}
}

func TestAContainerThatFailsReportsWhyAndIsStartedAgain(t *testing.T) {
	e := world(t)
	deploy(e, "fail", 1)
	_, status := container(e, func(s corev1.ContainerStatus) bool { return s.State.Waiting != nil && s.RestartCount >= 2 })
	assert.Equal(t, "CrashLoopBackOff", status.State.Waiting.Reason)
	require.NotNil(t, status.LastTerminationState.Terminated)
	assert.EqualValues(t, 3, status.LastTerminationState.Terminated.ExitCode)
	assert.Equal(t, "my word is  and home is \nthere is no road to true", status.LastTerminationState.Terminated.Message)
	assert.Contains(t, kubectl(e, "logs", "deployment/pretender"), "there is no road to true", "the last log, while there is no newer one")
}

func TestAContainerThatIsNotStartedAgainCompletesItsPod(t *testing.T) {
	for name, c := range map[string]struct {
		policy    corev1.RestartPolicy
		behaviour string
		phase     corev1.PodPhase
		exit      int32
	}{
		"never, and it fails":      {corev1.RestartPolicyNever, "fail", corev1.PodFailed, 3},
		"never, and it ends":       {corev1.RestartPolicyNever, "end", corev1.PodSucceeded, 0},
		"on failure, and it ends":  {corev1.RestartPolicyOnFailure, "end", corev1.PodSucceeded, 0},
		"on failure, and it fails": {corev1.RestartPolicyOnFailure, "fail", corev1.PodRunning, 0},
	} {
		t.Run(name, func(t *testing.T) {
			e := world(t)
			template := pretender(e, c.behaviour, 1).Spec.Template
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: e.Namespace, Name: "once"}, Spec: template.Spec}
			pod.Spec.RestartPolicy = c.policy
			require.NoError(t, e.Client.Create(t.Context(), pod))
			if c.phase == corev1.PodRunning {
				_, status := container(e, func(s corev1.ContainerStatus) bool { return s.RestartCount >= 1 })
				assert.NotNil(t, status.LastTerminationState.Terminated)
				return
			}
			ended, status := container(e, func(s corev1.ContainerStatus) bool { return s.State.Terminated != nil })
			assert.Equal(t, c.phase, ended.Status.Phase)
			assert.Equal(t, c.exit, status.State.Terminated.ExitCode)
			assert.Zero(t, status.RestartCount)
			assert.Contains(t, kubectl(e, "logs", "once"), "my word is")
			kubectl(e, "delete", "pod", "once", "--timeout=1m")
		})
	}
}

func TestAContainerWaitsForItsSecret(t *testing.T) {
	e := world(t)
	from := &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: "words"}, Key: "first"}}
	deploy(e, "serve", 1, corev1.EnvVar{Name: "WORD", ValueFrom: from})
	_, status := container(e, func(s corev1.ContainerStatus) bool { return s.State.Waiting != nil })
	assert.Equal(t, "CreateContainerConfigError", status.State.Waiting.Reason)
	assert.Equal(t, `secrets "words" not found`, status.State.Waiting.Message)
	e.SetSecret("words", map[string]string{"second": "no"})
	_, status = container(e, func(s corev1.ContainerStatus) bool {
		return s.State.Waiting != nil && strings.Contains(s.State.Waiting.Message, "key")
	})
	assert.Equal(t, "couldn't find key first in Secret "+e.Namespace+"/words", status.State.Waiting.Message)
	e.SetSecret("words", map[string]string{"first": "yes"})
	container(e, func(s corev1.ContainerStatus) bool { return s.Ready })
	assert.Contains(t, kubectl(e, "logs", "deployment/pretender"), "my word is yes")
}

func TestAVolumeHasTheFilesOfItsSecretAndFollowsIt(t *testing.T) {
	e := world(t)
	d := pretender(e, "serve", 1)
	pod := &d.Spec.Template.Spec
	pod.Volumes = []corev1.Volume{{Name: "words", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{
		SecretName: "words", Items: []corev1.KeyToPath{{Key: "first", Path: "word"}},
	}}}}
	pod.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "words", MountPath: "/etc/words"}}
	pod.Containers[0].Args = append(pod.Containers[0].Args, "--word-file=/etc/words/word")
	require.NoError(t, e.Client.Create(t.Context(), d))
	_, status := container(e, func(s corev1.ContainerStatus) bool { return s.State.Waiting != nil })
	assert.Equal(t, "ContainerCreating", status.State.Waiting.Reason)
	e.SetSecret("words", map[string]string{"first": "yes"})
	container(e, func(s corev1.ContainerStatus) bool { return s.Ready })
	assert.Contains(t, kubectl(e, "logs", "deployment/pretender"), "the file says yes")
	e.SetSecret("words", map[string]string{"first": "no"})
	require.Eventually(t, func() bool {
		return strings.Contains(kubectl(e, "logs", "deployment/pretender"), "the file says no")
	}, testTimeout, tick)
}

func TestAPodIsReadyOnlyWhenItSaysSo(t *testing.T) {
	e := world(t)
	deploy(e, "unready", 1)
	_, status := container(e, func(s corev1.ContainerStatus) bool { return s.State.Running != nil })
	assert.False(t, status.Ready)
	require.Eventually(t, func() bool {
		return strings.Count(kubectl(e, "logs", "deployment/pretender"), "am I ready?") > 5
	}, testTimeout, tick, "it must be asked again and again")
	_, status = container(e, func(corev1.ContainerStatus) bool { return true })
	assert.False(t, status.Ready)
	assert.Zero(t, status.RestartCount)
}

func TestAContainerThatIsNotAliveIsStartedAgain(t *testing.T) {
	e := world(t)
	deploy(e, "ill", 1)
	container(e, func(s corev1.ContainerStatus) bool { return s.RestartCount >= 1 })
}

func TestAContainerThatIsKilledIsStartedAgainAtOnce(t *testing.T) {
	e := testenv.New(t, testenv.Options{Outside: true})
	self, err := os.Executable()
	require.NoError(t, err)
	n, err := fakekubelet.Start(fakekubelet.Options{Config: e.RESTConfig(), Programs: map[string]string{image: self}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, n.Stop()) })
	deploy(e, "serve", 1)
	pod, _ := container(e, func(s corev1.ContainerStatus) bool { return s.Ready })
	require.NoError(t, n.Kill(pod.Namespace, pod.Name))
	again, status := container(e, func(s corev1.ContainerStatus) bool { return s.Ready && s.RestartCount == 1 })
	assert.Equal(t, pod.UID, again.UID)
	assert.EqualValues(t, -1, status.LastTerminationState.Terminated.ExitCode)
	require.Error(t, n.Kill(pod.Namespace, "nobody"))
}

func TestAPodThatCannotRunStaysPendingWithAnEventThatSaysWhy(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*corev1.PodSpec)
		want   string
	}{
		"an image without a program": {
			func(s *corev1.PodSpec) { s.Containers[0].Image = "nginx:1.29" },
			"this node has no program for the image nginx: it has programs for " + image + " only",
		},
		"a second container": {
			func(s *corev1.PodSpec) {
				s.Containers = append(s.Containers, corev1.Container{Name: "another", Image: image})
			},
			"this node runs pods with one container and without init containers only",
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := world(t)
			d := pretender(e, "serve", 1)
			c.change(&d.Spec.Template.Spec)
			require.NoError(t, e.Client.Create(t.Context(), d))
			require.Eventually(t, func() bool {
				return strings.Contains(kubectl(e, "get", "events"), c.want)
			}, testTimeout, tick)
			all := pods(e)
			require.Len(t, all, 1)
			assert.Equal(t, corev1.PodPending, all[0].Status.Phase)
			require.Len(t, all[0].Status.Conditions, 1)
			assert.Equal(t, c.want, all[0].Status.Conditions[0].Message)
			assert.Equal(t, corev1.PodReasonUnschedulable, all[0].Status.Conditions[0].Reason)
			assert.Equal(t, 1, strings.Count(kubectl(e, "get", "events"), c.want), "once")
		})
	}
}

func TestOnlyAPodThatElectsALeaderGetsTheNamespaceOfItsLease(t *testing.T) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "apps"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Args: []string{"--port=1"}}}}}
	assert.Empty(t, fakekubelet.LeaseNamespace(pod))
	pod.Spec.Containers[0].Args = []string{"--leader-elect=true"}
	assert.Equal(t, []string{"--leader-election-namespace=apps"}, fakekubelet.LeaseNamespace(pod))
}
