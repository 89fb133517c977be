package connectionsecret_test

import (
	"fmt"
	"testing"

	"github.com/aiven/go-client-codegen/handler/service"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// maker is an object that makes a Secret.
type maker interface {
	client.Object
	GetSecretName() string
	GetSecretStatus() *aero.SecretStatus
}

// world is an Env with a service, and ConnectionSecrets in its namespace or the second one.
type world struct{ *testenv.Env }

// postgresql starts with a service and a user of it.
func postgresql(t *testing.T, o testenv.Options) world {
	t.Helper()
	o.Kinds = []string{"PostgreSQL", "ServiceUser", "Database"}
	w := world{testenv.New(t, o)}
	for _, name := range []string{"postgresql", "serviceuser"} {
		obj := w.Example(name)
		w.Create(obj)
		defer w.Wait(obj, testenv.Ready())
	}
	return w
}

// reader is a ConnectionSecret of the user of the examples.
func (w world) reader(change func(*aero.ConnectionSecretSpec)) *aero.ConnectionSecret {
	obj := &aero.ConnectionSecret{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "checkout"}}
	obj.Spec.SourceRef = aero.SourceReference{Kind: "ServiceUser", Name: w.Example("serviceuser").GetName()}
	change(&obj.Spec)
	return obj
}

// create creates a ConnectionSecret and waits for its Secret.
func (w world) create(obj maker) map[string]string {
	w.T.Helper()
	w.Create(obj)
	w.ready(obj)
	return w.data(obj)
}

func (w world) ready(obj maker) {
	w.T.Helper()
	w.wait(obj, "True/ReconciliationSucceeded")
}

// wait waits until Ready of the present generation is as wanted, and returns its message.
func (w world) wait(obj maker, want string) string {
	w.T.Helper()
	last := "no condition"
	message := ""
	w.Until(func() bool {
		w.Get(obj)
		ready := apimeta.FindStatusCondition(obj.GetSecretStatus().Conditions, "Ready")
		if ready == nil {
			return false
		}
		message = ready.Message
		last = fmt.Sprintf("%s/%s", ready.Status, ready.Reason)
		return last == want && obj.GetSecretStatus().ObservedGeneration == obj.GetGeneration()
	}, func() string { return fmt.Sprintf("%s is %s (%s), not %s", obj.GetName(), last, message, want) })
	return message
}

// secret is that of a ConnectionSecret, or nil.
func (w world) secret(obj maker) *corev1.Secret {
	w.T.Helper()
	found := &corev1.Secret{}
	err := w.Client.Get(w.T.Context(), client.ObjectKey{Namespace: obj.GetNamespace(), Name: obj.GetSecretName()}, found)
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(w.T, err)
	return found
}

func (w world) data(obj maker) map[string]string {
	w.T.Helper()
	found := w.secret(obj)
	require.NotNil(w.T, found, obj.GetSecretName())
	texts := map[string]string{}
	for key, value := range found.Data {
		texts[key] = string(value)
	}
	return texts
}

// grant lets the ConnectionSecrets of the second namespace name users in the first one.
func (w world) grant() *unstructured.Unstructured {
	grant := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
		"from": []any{map[string]any{"group": "aero-operator.io", "kind": "ConnectionSecret", "namespace": w.Second}},
		"to":   []any{map[string]any{"group": "aiven.io", "kind": "ServiceUser"}},
	}}}
	grant.SetGroupVersionKind(schema.GroupVersionKind{Group: "gateway.networking.k8s.io", Version: "v1beta1", Kind: "ReferenceGrant"})
	grant.SetNamespace(w.Namespace)
	grant.SetName("apps")
	return grant
}

// conditions are those of an object, as type=status.
func (w world) conditions(obj maker) []string {
	var all []string
	for _, c := range obj.GetSecretStatus().Conditions {
		all = append(all, c.Type+"="+string(c.Status))
	}
	return all
}

// rotate sets another password of a user, at the console.
func (w world) rotate(user string) {
	w.T.Helper()
	password := "rotated-by-the-console-1"
	w.Plant(password)
	_, err := w.Aiven.Console.ServiceUserCredentialsModify(w.T.Context(), w.Project, "my-pg", user, &service.ServiceUserCredentialsModifyIn{
		Operation: service.ServiceUserCredentialsModifyOperationTypeResetCredentials, NewPassword: &password,
	})
	require.NoError(w.T, err)
}
