package charts_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/aero-operator/aero/tests/harness/testenv"
)

var serviceMonitor = schema.GroupKind{Group: "monitoring.coreos.com", Kind: "ServiceMonitor"}

// parse reads manifests.
func parse(t *testing.T, manifests string) []*unstructured.Unstructured {
	t.Helper()
	var all []*unstructured.Unstructured
	for _, document := range strings.Split("\n"+manifests, "\n---\n") {
		object := map[string]any{}
		require.NoError(t, yaml.Unmarshal([]byte(document), &object), document)
		if len(object) > 0 {
			all = append(all, &unstructured.Unstructured{Object: object})
		}
	}
	require.NotEmpty(t, all)
	return all
}

// objects are what a mode renders.
func objects(t *testing.T, mode string) []*unstructured.Unstructured {
	t.Helper()
	manifests, _, err := demo.Render(t.Context(), load(t, folder), modes[mode])
	require.NoError(t, err)
	return parse(t, manifests)
}

// find is the only object of a kind.
func find(t *testing.T, objects []*unstructured.Unstructured, kind string) *unstructured.Unstructured {
	t.Helper()
	var found []*unstructured.Unstructured
	for _, object := range objects {
		if object.GetKind() == kind {
			found = append(found, object)
		}
	}
	require.Len(t, found, 1, kind)
	return found[0]
}

func TestTheAPIServerAcceptsEveryManifest(t *testing.T) {
	e := world(t, testenv.Options{Idle: true})
	for _, name := range []string{demo.Namespace, teamA, teamB, aivenOperator} {
		ensureNamespace(t, e, name)
	}
	prometheusKinds(t, e)
	for mode := range modes {
		t.Run(mode, func(t *testing.T) {
			for _, object := range objects(t, mode) {
				require.NoError(t, dryRun(t, e, object), "%s %s", object.GetKind(), object.GetName())
			}
		})
	}
	t.Run("kustomize", func(t *testing.T) {
		e.Kubectl("apply", "--server-side", "--dry-run=server", "-k", "../../../config/default",
			"--namespace", demo.Namespace)
	})
	t.Run("a field with a typo isn't", func(t *testing.T) {
		deployment := find(t, objects(t, "default"), "Deployment")
		require.NoError(t, unstructured.SetNestedField(deployment.Object, int64(2), "spec", "replica"))
		require.ErrorContains(t, dryRun(t, e, deployment), `unknown field "spec.replica"`)
	})
}

// dryRun asks the API server whether it would create an object, without creating it.
func dryRun(t *testing.T, e *testenv.Env, object client.Object) error {
	return e.Client.Create(t.Context(), object, client.DryRunAll, client.FieldValidation(metav1.FieldValidationStrict))
}

func TestItsPodsAreRestricted(t *testing.T) {
	e := world(t, testenv.Options{Idle: true})
	ensureNamespace(t, e, demo.Namespace)
	for mode := range modes {
		t.Run(mode, func(t *testing.T) {
			pod := podOf(t, mode)
			require.NoError(t, dryRun(t, e, pod))

			pod.Spec.Containers[0].SecurityContext.Capabilities.Drop = nil
			require.ErrorContains(t, dryRun(t, e, pod), `violates PodSecurity "restricted`)
		})
	}
}

// podOf is a pod of a mode.
func podOf(t *testing.T, mode string) *corev1.Pod {
	t.Helper()
	return podIn(t, objects(t, mode))
}

// podIn is a pod that the Deployment among these objects would make.
func podIn(t *testing.T, objects []*unstructured.Unstructured) *corev1.Pod {
	t.Helper()
	var deployment appsv1.Deployment
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(find(t, objects, "Deployment").Object, &deployment))
	pod := &corev1.Pod{ObjectMeta: deployment.Spec.Template.ObjectMeta, Spec: deployment.Spec.Template.Spec}
	pod.Name, pod.Namespace = "aero", demo.Namespace
	pod.Spec.ServiceAccountName, pod.Spec.AutomountServiceAccountToken = "default", new(false) // the release's isn't there
	return pod
}

// ensureNamespace makes a namespace whose pods have to be restricted.
func ensureNamespace(t *testing.T, e *testenv.Env, name string) {
	t.Helper()
	err := e.Client.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: name, Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"},
	}})
	if !apierrors.IsAlreadyExists(err) {
		require.NoError(t, err)
	}
	account := &corev1.ServiceAccount{}
	e.Until(func() bool { // a controller makes it
		return e.Client.Get(t.Context(), client.ObjectKey{Namespace: name, Name: "default"}, account) == nil
	}, func() string { return "the namespace " + name + " has no account" })
}

// prometheusKinds installs the CRDs of the Prometheus operator, as far as the chart uses them.
func prometheusKinds(t *testing.T, e *testenv.Env) {
	t.Helper()
	content, err := os.ReadFile("testdata/prometheus-crds.yaml")
	require.NoError(t, err)
	for _, kind := range parse(t, string(content)) {
		require.NoError(t, client.IgnoreAlreadyExists(e.Client.Create(t.Context(), kind)))
	}
	e.Until(func() bool {
		for _, kind := range []string{serviceMonitor.Kind, "PrometheusRule"} {
			if _, err := e.Client.RESTMapper().RESTMapping(schema.GroupKind{Group: serviceMonitor.Group, Kind: kind}); err != nil {
				return false
			}
		}
		return true
	}, func() string { return "the CRDs of the Prometheus operator aren't served" })
}
