package connection

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
)

func TestWritersAreThoseThatSetTheOwner(t *testing.T) {
	const (
		sets1 = `{"f:data":{".":{},"f:A":{}},"f:metadata":{"f:ownerReferences":{".":{},"k:{\"uid\":\"u-1\"}":{}}}}`
		sets2 = `{"f:metadata":{"f:ownerReferences":{"k:{\"uid\":\"u-2\"}":{}}}}`
		keys  = `{"f:data":{"f:A":{}},"f:metadata":{"f:annotations":{"f:x":{}}}}`
	)
	entry := func(manager string, operation metav1.ManagedFieldsOperationType, fields string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, Operation: operation, FieldsV1: metav1.NewFieldsV1(fields)}
	}
	cases := map[string]struct {
		entries []metav1.ManagedFieldsEntry
		want    []string
	}{
		"there are none without books": {},
		"whatever their name is": {
			entries: []metav1.ManagedFieldsEntry{entry("aero", "Update", sets1), entry("manager", "Update", sets1)},
			want:    []string{"aero", "manager"},
		},
		"but not those that only added keys": {
			entries: []metav1.ManagedFieldsEntry{entry("manager", "Update", keys)},
		},
		"but not those that set another owner": {
			entries: []metav1.ManagedFieldsEntry{entry("manager", "Update", sets2)},
		},
		"but not those that applied it": {
			entries: []metav1.ManagedFieldsEntry{entry("aero", "Apply", sets1)},
		},
		"but not the unknown writer, which may be any client": {
			entries: []metav1.ManagedFieldsEntry{entry("before-first-apply", "Update", sets1)},
		},
		"and entries without fields are passed over": {
			entries: []metav1.ManagedFieldsEntry{{Manager: "x", Operation: "Update"}, entry("manager", "Update", sets1)},
			want:    []string{"manager"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := writersOf(tc.entries, "u-1")
			require.NoError(t, err)
			assert.Equal(t, tc.want, asList(got))
		})
	}
	_, err := writersOf([]metav1.ManagedFieldsEntry{entry("manager", "Update", "{")}, "u-1")
	require.ErrorContains(t, err, "decoding the fields of manager")
}

func asList(names sets.Set[string]) []string {
	if names.Len() == 0 {
		return nil
	}
	return sets.List(names)
}

func TestWhatAManagerHasAppliedIsAsClientGoHasIt(t *testing.T) {
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "apps", Name: "orders", ResourceVersion: "7", Finalizers: []string{"x/y"},
			Labels: map[string]string{"ours": "1", "theirs": "2"}, Annotations: map[string]string{"ours": "1", "theirs": "2"},
			OwnerReferences: []metav1.OwnerReference{{UID: "u-1", Kind: "ServiceUser", Name: "a", Controller: new(true)}, {UID: "u-2", Kind: "Pod", Name: "b"}},
			ManagedFields: []metav1.ManagedFieldsEntry{
				{
					Manager: "aero", Operation: metav1.ManagedFieldsOperationApply, FieldsType: "FieldsV1", APIVersion: "v1",
					FieldsV1: metav1.NewFieldsV1(`{"f:data":{"f:A":{},"f:GONE":{}},"f:type":{},"f:metadata":{"f:labels":{"f:ours":{}},"f:annotations":{"f:ours":{}},
						"f:ownerReferences":{"k:{\"uid\":\"u-1\"}":{}}}}`),
				},
				{
					Manager: "kubectl", Operation: metav1.ManagedFieldsOperationUpdate, FieldsType: "FieldsV1", APIVersion: "v1",
					FieldsV1: metav1.NewFieldsV1(`{"f:data":{"f:B":{}},"f:metadata":{"f:labels":{"f:theirs":{}}}}`),
				},
			},
		},
		Type: corev1.SecretTypeOpaque, Immutable: new(true), Data: map[string][]byte{"A": {1, 255}, "B": []byte("b")},
	}
	for _, manager := range []string{"aero", "another"} {
		want, err := applycorev1.ExtractSecret(secret, manager)
		require.NoError(t, err)
		got, err := extracted(secret, manager)
		require.NoError(t, err)
		assert.Equal(t, want, got, manager)
	}
}
