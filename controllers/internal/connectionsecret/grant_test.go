package connectionsecret_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/connectionsecret"
)

const (
	fromApps = `from: [{group: aero-operator.io, kind: ConnectionSecret, namespace: apps}]`
	toUsers  = `to: [{group: aiven.io, kind: ServiceUser}]`
)

func grant(t *testing.T, spec string) unstructured.Unstructured {
	t.Helper()
	fields := map[string]any{}
	require.NoError(t, yaml.Unmarshal([]byte("{"+spec+"}"), &fields))
	granted := unstructured.Unstructured{Object: map[string]any{"spec": fields}}
	granted.SetGroupVersionKind(connectionsecret.GrantKind)
	granted.SetNamespace("data")
	return granted
}

func reader(source string) *aero.ConnectionSecret {
	obj := &aero.ConnectionSecret{ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "orders"}}
	obj.Spec.SourceRef = aero.SourceReference{Kind: "ServiceUser", Name: "joe", Namespace: source}
	return obj
}

func TestASourceInAnotherNamespaceNeedsAGrant(t *testing.T) {
	for name, tc := range map[string]struct {
		spec string
		want bool
	}{
		"for all of a kind":           {fromApps + "," + toUsers, true},
		"for the object":              {fromApps + `,to: [{group: aiven.io, kind: ServiceUser, name: joe}]`, true},
		"for an empty name":           {fromApps + `,to: [{group: aiven.io, kind: ServiceUser, name: ""}]`, true},
		"as one of several":           {`from: [{group: x, kind: y, namespace: z}, {group: aero-operator.io, kind: ConnectionSecret, namespace: apps}], to: [{group: aiven.io, kind: Kafka}, {group: aiven.io, kind: ServiceUser}]`, true},
		"for another object":          {fromApps + `,to: [{group: aiven.io, kind: ServiceUser, name: jim}]`, false},
		"for another kind":            {fromApps + `,to: [{group: aiven.io, kind: Kafka}]`, false},
		"for another group":           {fromApps + `,to: [{group: "", kind: ServiceUser}]`, false},
		"to another namespace":        {`from: [{group: aero-operator.io, kind: ConnectionSecret, namespace: team-b}],` + toUsers, false},
		"to another kind":             {`from: [{group: aero-operator.io, kind: Other, namespace: apps}],` + toUsers, false},
		"to another group":            {`from: [{group: aiven.io, kind: ConnectionSecret, namespace: apps}],` + toUsers, false},
		"that gives to no object":     {toUsers, false},
		"that gives nothing":          {fromApps, false},
		"of a form that isn't a list": {`from: x, to: y`, false},
		"with items that are no maps": {`from: [x], to: [y]`, false},
		"with a number as a name":     {fromApps + `,to: [{group: aiven.io, kind: ServiceUser, name: 1}]`, false},
	} {
		t.Run(name, func(t *testing.T) {
			granted := grant(t, tc.spec)
			assert.Equal(t, tc.want, connectionsecret.Permitted(reader("data"), "ServiceUser", "joe", []unstructured.Unstructured{granted}))
			granted.SetNamespace("apps")
			assert.False(t, connectionsecret.Permitted(reader("data"), "ServiceUser", "joe", []unstructured.Unstructured{granted}), "a tenant grants nothing to itself")
		})
	}
	assert.False(t, connectionsecret.Permitted(reader("data"), "ServiceUser", "joe", nil))
	assert.True(t, connectionsecret.Permitted(reader("apps"), "ServiceUser", "joe", nil))
	assert.True(t, connectionsecret.Permitted(reader(""), "ServiceUser", "joe", nil))
	going := grant(t, fromApps+","+toUsers)
	now := metav1.Now()
	going.SetDeletionTimestamp(&now)
	assert.False(t, connectionsecret.Permitted(reader("data"), "ServiceUser", "joe", []unstructured.Unstructured{going}), "it is being deleted")
}
