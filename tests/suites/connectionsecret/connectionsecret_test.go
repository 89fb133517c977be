package connectionsecret_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

func libpq(spec *aero.ConnectionSecretSpec) { spec.Presets = []aero.Preset{aero.PresetLibpq} }

const url = `postgres://{{ .Username }}:{{ .Password | urlquery }}@{{ .Host }}:{{ .Port }}/orders`

func TestALoginIsPublishedWithoutACallOfAiven(t *testing.T) {
	t.Parallel()
	w := postgresql(t, testenv.Options{})
	before := w.Aiven.Writes(0)
	obj := w.reader(func(spec *aero.ConnectionSecretSpec) {
		libpq(spec)
		spec.Data = map[string]aero.Template{"DATABASE_URL": url}
		spec.Target = aero.SecretTarget{Labels: map[string]string{"team": "orders"}, Annotations: map[string]string{"a": "b"}}
	})
	data := w.create(obj)
	own := w.Secret("orders-app")
	require.NotNil(t, own)
	assert.Equal(t, string(own.Data["ORDERS_HOST"]), data["PGHOST"])
	assert.Equal(t, string(own.Data["ORDERS_PASSWORD"]), data["PGPASSWORD"])
	assert.Equal(t, "defaultdb", data["PGDATABASE"])
	assert.True(t, strings.HasPrefix(data["DATABASE_URL"], "postgres://"+data["PGUSER"]+":"), data["DATABASE_URL"])
	assert.Equal(t, before, w.Aiven.Writes(0))

	secret := w.secret(obj)
	assert.Equal(t, "orders", secret.Labels["team"])
	assert.Equal(t, "ConnectionSecret", secret.Labels["aiven.io/owner-kind"])
	assert.Equal(t, map[string]string{"a": "b"}, secret.Annotations)
	assert.Equal(t, obj.UID, metav1.GetControllerOf(secret).UID)
	assert.Equal(t, &aero.SecretBinding{Name: "checkout"}, obj.Status.Binding)
	assert.Equal(t, data["PGHOST"], obj.Status.Endpoint.Host)

	require.NoError(t, w.Client.Delete(t.Context(), secret))
	w.Until(func() bool { return w.secret(obj) != nil }, func() string { return "the Secret isn't published again" })

	w.Change(obj, func() { obj.Spec.Data = map[string]aero.Template{"USER": "{{ .Username }}"} })
	w.Until(func() bool { return w.data(obj)["USER"] != "" }, func() string { return "the Secret doesn't follow the spec" })
	assert.NotContains(t, w.data(obj), "DATABASE_URL")

	w.Delete(obj)
	w.Until(func() bool { return w.secret(obj) == nil }, func() string { return "the Secret isn't collected" })
}
