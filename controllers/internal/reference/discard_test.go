package reference

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/aero-operator/aero/api/v1alpha1"
)

// spends is a declaration whose Secret was used once and for all.
func spends(wanted bool) Declaration {
	d := declare("Source", SecretKind)
	d.Spent = func(client.Object) *Spent { return &Spent{Name: "password", Delete: wanted} }
	return d
}

// sent is the record of the Secret as it was sent.
func sent(uid types.UID, version string) []v1alpha1.ResolvedReference {
	return []v1alpha1.ResolvedReference{{Kind: "Secret", Namespace: "apps", Name: "password", UID: uid, ResourceVersion: version}}
}

func writtenBy(manager string) []metav1.ManagedFieldsEntry {
	return []metav1.ManagedFieldsEntry{{
		Manager: manager, Operation: metav1.ManagedFieldsOperationApply, APIVersion: "v1", FieldsType: "FieldsV1",
		FieldsV1: metav1.NewFieldsV1(`{"f:data":{"f:value":{}}}`),
	}}
}

type deletion = func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.DeleteOption) error

func answers(err error) deletion {
	return func(context.Context, client.WithWatch, client.Object, ...client.DeleteOption) error { return err }
}

func TestOnlyTheSecretWhoseValuesWereSentIsDeleted(t *testing.T) {
	secrets := corev1.Resource("secrets")
	const gone = "Secret apps/password is deleted"
	owned := func(s *corev1.Secret) {
		controls := true
		s.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Cluster", Name: "cnpg", UID: "c", Controller: &controls}}
	}
	for name, tc := range map[string]struct {
		keeps    bool // the spec doesn't ask for the deletion
		recorded []v1alpha1.ResolvedReference
		edit     func(s *corev1.Secret)
		reports  bool
		users    []string
		usersErr error
		deletes  deletion
		want     Discarded
		exists   bool
	}{
		"the Secret as it was sent":      {recorded: sent("s-1", "999"), want: Discarded{Message: gone}},
		"the spec doesn't ask for it":    {keeps: true, recorded: sent("s-1", "999"), exists: true},
		"it is gone":                     {recorded: sent("s-1", "999"), edit: func(s *corev1.Secret) { s.Name = "other" }, want: Discarded{Message: gone}},
		"it goes meanwhile":              {recorded: sent("s-1", "999"), deletes: answers(apierrors.NewNotFound(secrets, "password")), want: Discarded{Message: gone}, exists: true},
		"the object only reports":        {recorded: sent("s-1", "999"), reports: true, exists: true, want: Discarded{Message: "Secret apps/password is kept, as differences of this object are only reported"}},
		"it has finalizers":              {recorded: sent("s-1", "999"), edit: func(s *corev1.Secret) { now := metav1.Now(); s.DeletionTimestamp, s.Finalizers = &now, []string{"a/b"} }, exists: true, want: Discarded{Message: "Secret apps/password is being deleted: it is gone once its finalizers are"}},
		"another object needs it":        {recorded: sent("s-1", "999"), users: []string{"MySQL apps/b", "PostgreSQL apps/c"}, exists: true, want: Discarded{Message: "Secret apps/password is deleted once it is no longer needed by MySQL apps/b, PostgreSQL apps/c"}},
		"it isn't known who needs it":    {recorded: sent("s-1", "999"), usersErr: errors.New("no cache"), exists: true, want: Discarded{Retry: true, Message: "Secret apps/password was not deleted yet: no cache"}},
		"nothing of it was sent":         {exists: true, want: Discarded{Warning: true, Message: "Secret apps/password was not deleted: the status doesn't record that its values were sent. Delete it if nothing needs it"}},
		"it was created again":           {recorded: sent("s-0", "999"), exists: true, want: Discarded{Warning: true, Message: "Secret apps/password was not deleted: it was created again after its values were sent. Delete it if nothing needs it"}},
		"it was changed":                 {recorded: sent("s-1", "998"), exists: true, want: Discarded{Warning: true, Message: "Secret apps/password was not deleted: it was changed after its values were sent. Delete it if nothing needs it"}},
		"it was made by something else":  {recorded: sent("s-1", "999"), edit: owned, exists: true, want: Discarded{Warning: true, Message: "Secret apps/password was not deleted: it belongs to Cluster cnpg. Delete it if nothing needs it"}},
		"the operator has written it":    {recorded: sent("s-1", "999"), edit: func(s *corev1.Secret) { s.ManagedFields = writtenBy("aero") }, exists: true, want: Discarded{Warning: true, Message: "Secret apps/password was not deleted: the operator has written it. Delete it if nothing needs it"}},
		"it changes before the deletion": {recorded: sent("s-1", "999"), deletes: answers(apierrors.NewConflict(secrets, "password", errors.New("another UID"))), exists: true, want: Discarded{Retry: true, Message: `Secret apps/password was not deleted yet: Operation cannot be fulfilled on secrets "password": *** UID`}},
		"the permission is missing":      {recorded: sent("s-1", "999"), deletes: answers(apierrors.NewForbidden(secrets, "password", errors.New("no"))), exists: true, want: Discarded{Warning: true, Message: "Secret apps/password was not deleted: the operator has no permission to. Set rbac.deleteMigrationSecrets to true in the values of its chart, or delete the Secret"}},
	} {
		t.Run(name, func(t *testing.T) {
			secret := passwordSecret()
			if tc.edit != nil {
				tc.edit(secret)
			}
			cluster := fake.NewClientBuilder().WithReturnManagedFields().WithObjects(secret).
				WithInterceptorFuncs(interceptor.Funcs{Delete: checked(t, tc.deletes)}).Build()
			d := Discarder{Client: cluster, FieldManager: "aero", Users: func(context.Context, types.NamespacedName) ([]string, error) { return tc.users, tc.usersErr }}
			got := d.Discard(t.Context(), referrer("apps", "x"), []Declaration{declare("VPC", vpcKind), spends(!tc.keeps)}, tc.recorded, tc.reports)
			assert.Equal(t, tc.want, got)
			assert.NotContains(t, got.Message, planted)
			err := cluster.Get(t.Context(), client.ObjectKey{Namespace: "apps", Name: "password"}, &corev1.Secret{})
			assert.Equal(t, tc.exists, err == nil)
		})
	}
}

// checked is a deletion that has to be bound to the Secret of the record.
func checked(t *testing.T, do deletion) deletion {
	return func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.DeleteOption) error {
		bound := (&client.DeleteOptions{}).ApplyOptions(opts).Preconditions
		if assert.NotNil(t, bound) {
			assert.Equal(t, types.UID("s-1"), *bound.UID)
			assert.Equal(t, "999", *bound.ResourceVersion)
		}
		if do != nil {
			return do(ctx, c, obj, opts...)
		}
		return c.Delete(ctx, obj, opts...)
	}
}

func TestTheRecordOfASpentSecretIsKept(t *testing.T) {
	recorded := append(sent("s-1", "7"), v1alpha1.ResolvedReference{Kind: "Secret", Namespace: "apps", Name: "other", UID: "o", ResourceVersion: "1"})
	for name, wanted := range map[string]bool{"that is to be deleted": true, "that may be deleted later": false} {
		t.Run(name, func(t *testing.T) {
			resolved := Resolver{Reader: readerOf(passwordSecret())}.Resolve(t.Context(), referrer("apps", "x"), []Declaration{spends(wanted)})
			assert.Equal(t, sent("s-1", "7"), resolved.Record(recorded, true, true), "of the version that was sent")
			assert.Empty(t, resolved.Outcomes(), "it isn't read")
		})
	}
}
