package preview

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/impact"
)

// clickhouseUser is one that manages the user app, whose password is in the Secret source.
func clickhouseUser() *v1alpha1.ClickhouseUser {
	user := &v1alpha1.ClickhouseUser{ObjectMeta: owned(func(*v1alpha1.PostgreSQL) {}).ObjectMeta}
	user.Name, user.Annotations = "app", map[string]string{annotation.Processed: "2"}
	user.Spec.Project, user.Spec.ServiceName = aiventest.Project, "my-ch"
	user.Spec.ConnInfoSecretSource = &v1alpha1.ConnInfoSecretSource{Name: "source", PasswordKey: "password"}
	user.Status.UUID, user.Status.Provenance = "id-of-app", &v1alpha1.Provenance{Type: v1alpha1.ProvenanceCreated, UID: "1"}
	return user
}

// published is the connection Secret of the user, as the operator has applied it.
func published(password string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: "app", Namespace: "team", Annotations: map[string]string{annotation.CredentialsIssuedFor: "id-of-app"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "aiven.io/v1alpha1", Kind: "ClickhouseUser", Name: "app", UID: "1", Controller: new(true)}},
			ManagedFields: []metav1.ManagedFieldsEntry{{
				Manager: controllers.FieldManager, Operation: metav1.ManagedFieldsOperationApply, APIVersion: "v1", FieldsType: "FieldsV1",
				FieldsV1: metav1.NewFieldsV1(`{"f:data":{"f:CLICKHOUSEUSER_PASSWORD":{}},` +
					`"f:metadata":{"f:annotations":{"f:` + annotation.CredentialsIssuedFor + `":{}}}}`),
			}},
		},
		Data: map[string][]byte{"CLICKHOUSEUSER_PASSWORD": []byte(password)},
	}
}

func TestAPasswordThatAivenDoesNotReturnIsComparedWithThePublishedOne(t *testing.T) {
	changed := []Change{{
		Path: "spec.connInfoSecretSource", From: "(secret)", To: "(secret)", Impacts: []impact.Impact{impact.AccessLost},
		Message: "clients can't log in with the former password", Source: "Operator",
	}}
	for name, tc := range map[string]struct {
		cluster    []client.Object
		unreadable bool
		edit       func(*v1alpha1.ClickhouseUser)
		want       Result
	}{
		"the same": {cluster: []client.Object{published("of-the-app-1")}, want: Result{Action: Nothing}},
		"another":  {cluster: []client.Object{published("of-the-app-0")}, want: Result{Action: Update, Changes: changed}},
		"none":     {want: Result{Action: Update, Changes: changed}},
		"one that was issued for another user": {
			cluster: []client.Object{func() *corev1.Secret {
				former := published("of-the-app-1")
				former.Annotations[annotation.CredentialsIssuedFor] = "id-of-another"
				return former
			}()},
			want: Result{Action: Update, Changes: changed},
		},
		"a Secret that may not be read": {
			cluster: []client.Object{published("of-the-app-1")}, unreadable: true,
			want: Result{Action: Unknown, Message: "reading Secret team/app"},
		},
		"a Secret that may not be read, and that nothing is compared with": {
			cluster: []client.Object{published("of-the-app-1")}, unreadable: true,
			edit: func(user *v1alpha1.ClickhouseUser) { user.Spec.ConnInfoSecretSource = nil },
			want: Result{Action: Nothing},
		},
		"no Secret, as none is published: a source that isn't known to have been sent": {
			edit: func(user *v1alpha1.ClickhouseUser) { user.Spec.ConnInfoSecretTargetDisabled = new(true) },
			want: Result{Action: Update, Changes: []Change{{
				Path: "spec.connInfoSecretSource", Impacts: []impact.Impact{impact.AccessLost},
				Message: "clients can't log in with the former password", Source: "Operator",
			}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.aiven.On("GET service/my-ch", aiventest.OK(aiventest.Object{"service": aiventest.ServiceFields(aiventest.Object{
				"service_name": "my-ch", "service_type": "clickhouse", "databases": []any{}, "connection_pools": nil,
				"service_uri_params": aiventest.Object{"host": "ch.test", "port": "12691", "user": "avnadmin", "password": "of-the-admin"},
			})}))
			w.aiven.On("GET service/my-ch/clickhouse/user", aiventest.OK(aiventest.Object{"users": []any{
				aiventest.Object{"name": "app", "uuid": "id-of-app", "required": false, "roles": []any{}, "privileges": []any{}},
			}}))
			w.cluster = append(w.cluster, &corev1.Secret{
				ObjectMeta: metav1.ObjectMeta{Name: "source", Namespace: "team"}, Data: map[string][]byte{"password": []byte("of-the-app-1")},
			})
			w.cluster = append(w.cluster, tc.cluster...)
			if tc.unreadable {
				w.funcs.Get = func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, o ...client.GetOption) error {
					if _, is := obj.(*corev1.Secret); is && key.Name == "app" {
						return apierrors.NewForbidden(corev1.Resource("secrets"), key.Name, nil)
					}
					return c.Get(ctx, key, obj, o...)
				}
			}
			user := clickhouseUser()
			if tc.edit != nil {
				tc.edit(user)
			}
			got := w.compare(t, user)
			assert.Equal(t, tc.want.Action, got.Action, got.Message)
			assert.Equal(t, tc.want.Changes, got.Changes)
			assert.Empty(t, got.Left)
			assert.Contains(t, got.Message, tc.want.Message)
		})
	}
}
