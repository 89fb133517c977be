package connectionsecret_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// TestTheRowsAboutDriftAndDeletionHold proves generators/pages/facts.go, which has these rows of the pages of both kinds.
func TestTheRowsAboutDriftAndDeletionHold(t *testing.T) {
	t.Parallel()
	w, rotation := twoUsers(t, testenv.Options{Config: testenv.OnlyWatches})
	reader := w.reader(libpq)
	reader.Spec.Data = map[string]aero.Template{"URL": "{{ .URI }}"}
	reader.Spec.Target.Labels = map[string]string{"team": "orders"}
	w.create(reader)
	w.Change(rotation, func() {
		rotation.Spec.Data, rotation.Spec.Target.Labels = map[string]aero.Template{"URL": "{{ .URI }}"}, map[string]string{"team": "orders"}
	})
	w.ready(rotation)
	mark := w.Aiven.Mark()
	for _, obj := range []maker{reader, rotation} {
		w.restores(obj)
		contents := contentsOf(obj)
		w.Change(obj, func() { contents.Data, contents.Target.Labels = nil, nil })
		w.Until(func() bool {
			secret := w.secret(obj)
			return secret.Data["URL"] == nil && secret.Labels["team"] == ""
		}, func() string { return "what the spec no longer has is in the Secret" })
		assert.Equal(t, "theirs", w.data(obj)["OTHER"], "a key of another client is kept")
		assert.NotEmpty(t, w.data(obj)["PGPASSWORD"])
		w.Delete(obj)
		w.Until(func() bool { return w.secret(obj) == nil }, func() string { return "the Secret isn't deleted with its object" })
	}
	assert.Empty(t, w.Aiven.Writes(mark), "nothing changes at Aiven")
	assert.NotNil(t, w.Secret(first), "the Secret of the source is kept")
	assert.NotNil(t, w.Secret(second))
}

// restores changes the Secret as another client, and waits until all but its addition is undone.
func (w world) restores(obj maker) {
	w.T.Helper()
	secret := w.secret(obj)
	w.Change(secret, func() {
		secret.Data["PGPASSWORD"], secret.Data["OTHER"] = []byte("wrong"), []byte("theirs")
		delete(secret.Data, "PGHOST")
		secret.Labels["team"] = "billing"
	})
	var last *corev1.Secret
	w.Until(func() bool {
		last = w.secret(obj)
		return string(last.Data["PGPASSWORD"]) != "wrong" && len(last.Data["PGHOST"]) > 0 && last.Labels["team"] == "orders"
	}, func() string { return "the Secret isn't restored" })
}

// contentsOf is the part of a spec that both kinds have.
func contentsOf(obj maker) *aero.SecretContents {
	if rotation, is := obj.(*aero.ServiceUserRotation); is {
		return &rotation.Spec.SecretContents
	}
	return &obj.(*aero.ConnectionSecret).Spec.SecretContents
}
