package controlplane_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

var probes = schema.GroupVersionResource{Group: "aiven.io", Version: "v1alpha1", Resource: "probes"}

func probe(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "aiven.io/v1alpha1",
		"kind":       "Probe",
		"metadata":   map[string]any{"name": name},
		"spec":       map[string]any{"plan": "startup-4"},
	}}
}

func TestADeletedOwnersSecretIsCollected(t *testing.T) {
	objects, err := dynamic.NewForConfig(shared.RESTConfig())
	require.NoError(t, err)
	configMaps := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	configMap := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "owner"},
	}}
	for name, owner := range map[string]struct {
		resource schema.GroupVersionResource
		object   *unstructured.Unstructured
	}{
		"when the owner is a ConfigMap":                  {configMaps, configMap},
		"when the owner is of a kind installed at start": {probes, probe("owner")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns := namespace(t)
			owners := objects.Resource(owner.resource).Namespace(ns)
			created, err := owners.Create(t.Context(), owner.object, metav1.CreateOptions{})
			require.NoError(t, err)
			secrets := admin(t).CoreV1().Secrets(ns)
			_, err = secrets.Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
				Name: "owned",
				OwnerReferences: []metav1.OwnerReference{{
					APIVersion: created.GetAPIVersion(), Kind: created.GetKind(), Name: created.GetName(), UID: created.GetUID(),
				}},
			}}, metav1.CreateOptions{})
			require.NoError(t, err)

			started := time.Now()
			require.NoError(t, owners.Delete(t.Context(), "owner", metav1.DeleteOptions{}))
			require.Eventually(t, func() bool {
				_, err := secrets.Get(t.Context(), "owned", metav1.GetOptions{})
				return apierrors.IsNotFound(err)
			}, testTimeout, 20*time.Millisecond)
			t.Logf("collected after %s", time.Since(started))
		})
	}
}

func TestADeletedNamespaceGoesAwayWithWhatIsInIt(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	objects, err := dynamic.NewForConfig(shared.RESTConfig())
	require.NoError(t, err)
	_, err = objects.Resource(probes).Namespace(ns).Create(t.Context(), probe("content"), metav1.CreateOptions{})
	require.NoError(t, err)

	started := time.Now()
	namespaces := admin(t).CoreV1().Namespaces()
	require.NoError(t, namespaces.Delete(t.Context(), ns, metav1.DeleteOptions{}))
	require.Eventually(t, func() bool {
		_, err := namespaces.Get(t.Context(), ns, metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	}, testTimeout, 50*time.Millisecond)
	t.Logf("gone after %s", time.Since(started))
}

func TestAUserMayDoOnlyWhatIsGranted(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	cfg, err := shared.User("jane", "readers")
	require.NoError(t, err)
	jane, err := kubernetes.NewForConfig(cfg)
	require.NoError(t, err)
	secrets := jane.CoreV1().Secrets(ns)
	_, err = secrets.List(t.Context(), metav1.ListOptions{})
	require.True(t, apierrors.IsForbidden(err), "before the grant: %v", err)
	require.ErrorContains(t, err, `"jane"`)

	_, err = admin(t).RbacV1().RoleBindings(ns).Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "readers"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.GroupKind, APIGroup: rbacv1.GroupName, Name: "readers"}},
		// The aggregated role admin is filled by a controller.
		RoleRef: rbacv1.RoleRef{Kind: "ClusterRole", APIGroup: rbacv1.GroupName, Name: "admin"},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, err := secrets.List(t.Context(), metav1.ListOptions{})
		return err == nil
	}, testTimeout, 20*time.Millisecond)
}

func TestTheKubeconfigIsTheAdmins(t *testing.T) {
	t.Parallel()
	cfg, err := clientcmd.RESTConfigFromKubeConfig(shared.Kubeconfig())
	require.NoError(t, err)
	client, err := kubernetes.NewForConfig(cfg)
	require.NoError(t, err)
	_, err = client.CoreV1().Secrets("kube-system").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
}

// auditEvent is the part of an event in the audit log that tests read.
type auditEvent struct {
	Level, Stage, Verb string
	ObjectRef          struct{ Namespace, Resource string }
	RequestObject      json.RawMessage
	ResponseStatus     struct{ Code int }
}

func TestTheAuditLogHoldsARequestOnceItIsAnswered(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	objects, err := dynamic.NewForConfig(shared.RESTConfig())
	require.NoError(t, err)
	_, err = objects.Resource(probes).Namespace(ns).Create(t.Context(), probe("audited"), metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = admin(t).CoreV1().Secrets(ns).Create(t.Context(),
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "audited"}}, metav1.CreateOptions{})
	require.NoError(t, err)

	created := map[string][]auditEvent{}
	for _, event := range auditEvents(t) {
		if event.ObjectRef.Namespace == ns && event.Verb == "create" {
			created[event.ObjectRef.Resource] = append(created[event.ObjectRef.Resource], event)
		}
	}
	require.Len(t, created["probes"], 1)
	assert.Equal(t, "Request", created["probes"][0].Level)
	assert.Equal(t, 201, created["probes"][0].ResponseStatus.Code)
	assert.Contains(t, string(created["probes"][0].RequestObject), "startup-4")
	require.Len(t, created["secrets"], 1)
	assert.Equal(t, "Metadata", created["secrets"][0].Level)
	assert.Empty(t, created["secrets"][0].RequestObject)
}

func auditEvents(t *testing.T) []auditEvent {
	t.Helper()
	file, err := os.Open(sharedAudit)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	var events []auditEvent
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var event auditEvent
		require.NoError(t, json.Unmarshal(lines.Bytes(), &event))
		events = append(events, event)
	}
	require.NoError(t, lines.Err())
	return events
}
