package connectionsecret_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// What can't be published has a clear condition, and what was published before stays as it is.
func TestABadInputHasAConditionAndLeavesTheLastSecret(t *testing.T) {
	t.Parallel()
	w := postgresql(t, testenv.Options{})
	template := func(text string) func(*aero.ConnectionSecretSpec) {
		return func(spec *aero.ConnectionSecretSpec) {
			spec.Data = map[string]aero.Template{"URL": aero.Template(text)}
		}
	}
	obj := w.reader(libpq)
	before := w.create(obj)
	for _, tc := range []struct {
		name        string
		change      func(*aero.ConnectionSecretSpec)
		ready, says string
	}{
		{"an unknown key", template("{{ .Pasword }}"), "False/InvalidTemplate", "spec.data[URL]: line 1:3: at <.Pasword>"},
		{"an endless range", template("{{ range 1000000000 }}x{{ end }}"), "False/InvalidTemplate", "range"},
		{"nested ranges", template(strings.Repeat("{{ range .Endpoints }}", 30) + "x" + strings.Repeat("{{ end }}", 30)), "False/InvalidTemplate", "spec.data[URL]"},
		{"a function of the machine", template(`{{ env "HOME" }}`), "False/InvalidTemplate", "env"},
		{"a preset of another type", func(spec *aero.ConnectionSecretSpec) { spec.Presets = []aero.Preset{aero.PresetKafkaEnv} }, "False/InvalidSpec", "the preset KafkaEnv"},
		{"a route that doesn't exist", func(spec *aero.ConnectionSecretSpec) { spec.Endpoint = &aero.EndpointSelector{Route: "privatelink"} },
			"False/RouteNotAvailable", "has no endpoint on the route privatelink; there are: dynamic"},
		{"a component that doesn't exist", func(spec *aero.ConnectionSecretSpec) { spec.Endpoint = &aero.EndpointSelector{Component: "kafka_rest"} },
			"False/RouteNotAvailable", "has no such endpoint; there are: "},
		{"a fallback that doesn't exist", func(spec *aero.ConnectionSecretSpec) {
			spec.Endpoint, spec.FallbackRoute = &aero.EndpointSelector{Route: "privatelink"}, "private"
		}, "False/RouteNotAvailable", "privatelink"},
		{"no source", func(spec *aero.ConnectionSecretSpec) { spec.SourceRef.Name = "jim" }, "False/ReferenceNotFound", "spec.sourceRef: ServiceUser " + w.Namespace + "/jim doesn't exist"},
		{"no database", func(spec *aero.ConnectionSecretSpec) { spec.DatabaseRef = &aero.DatabaseReference{Name: "none"} }, "False/ReferenceNotFound", "spec.databaseRef"},
		{"no password", func(spec *aero.ConnectionSecretSpec) {
			spec.Keystore = &aero.Keystore{PasswordSecretRef: aero.SecretKeyReference{Name: "none", Key: "password"}}
		}, "False/ReferenceNotFound", "spec.keystore.passwordSecretRef.name"},
		{"too much together", func(spec *aero.ConnectionSecretSpec) {
			spec.Data = map[string]aero.Template{}
			for i := range 20 {
				spec.Data["K"+string(rune('A'+i))] = aero.Template(strings.Repeat("x", 60_000))
			}
		}, "False/InvalidSpec", "spec.data: the values have"},
	} {
		spec := w.reader(libpq).Spec
		tc.change(&spec)
		w.Change(obj, func() { obj.Spec = spec })
		assert.Contains(t, w.wait(obj, tc.ready), tc.says, tc.name)
		assert.Equal(t, before, w.data(obj), tc.name)
		assert.Equal(t, before["PGHOST"], obj.Status.Endpoint.Host, tc.name)
	}
	w.WaitEvent(obj, corev1.EventTypeWarning, "CannotPublishConnectionDetails")
	w.WaitEvent(obj, corev1.EventTypeWarning, "UnableToWaitForPreconditions")
	w.Change(obj, func() { obj.Spec = w.reader(libpq).Spec })
	w.ready(obj)
	w.WaitEvent(obj, corev1.EventTypeNormal, "ReconciliationSucceeded")

	w.Change(obj, func() {
		obj.Spec.Endpoint, obj.Spec.FallbackRoute = &aero.EndpointSelector{Route: "privatelink"}, "dynamic"
	})
	w.ready(obj)
	assert.Equal(t, before, w.data(obj), "a fallback is used where the spec asks for it")
}

func TestATemplateOf70KiBIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	w := world{testenv.New(t, testenv.Options{Kinds: []string{"ServiceUser"}, Idle: true})}
	obj := w.reader(func(spec *aero.ConnectionSecretSpec) {
		spec.Data = map[string]aero.Template{"URL": aero.Template(strings.Repeat("x", 70<<10))}
	})
	require.ErrorContains(t, w.Client.Create(t.Context(), obj), "spec.data.URL: Too long: may not be more than 65536")
}

// What the API server can check is refused before it is stored.
func TestKeysAndNamesThatCannotBeAreRefusedAtOnce(t *testing.T) {
	t.Parallel()
	w := world{testenv.New(t, testenv.Options{Kinds: []string{"ServiceUser"}, Idle: true})}
	keystore := func(name, key string) func(*aero.ConnectionSecretSpec) {
		return func(spec *aero.ConnectionSecretSpec) {
			spec.Data = map[string]aero.Template{key: "x"}
			spec.Keystore = &aero.Keystore{PasswordSecretRef: aero.SecretKeyReference{Name: name, Key: "password"}}
		}
	}
	key := func(key string) func(*aero.ConnectionSecretSpec) {
		return func(spec *aero.ConnectionSecretSpec) { spec.Data = map[string]aero.Template{key: "x"} }
	}
	const reserved = "keystore.p12 and truststore.p12 are the keys of keystore: remove them from data, or remove keystore"
	for name, tc := range map[string]struct {
		change func(*aero.ConnectionSecretSpec)
		says   string
	}{
		"a dot":                            {key("."), "spec.data: Invalid value"},
		"two dots":                         {key(".."), "spec.data: Invalid value"},
		"two dots at the beginning":        {key("..a"), "isn't . and doesn't begin with .."},
		"a path as the name of a Secret":   {keystore("../configmaps/x", "A"), "spec.keystore.passwordSecretRef.name"},
		"a name that a Secret can't have":  {keystore("My_Secret", "A"), "spec.keystore.passwordSecretRef.name"},
		"the key of a key store":           {keystore("ks", "keystore.p12"), reserved},
		"the key of the store of the CA":   {keystore("ks", "truststore.p12"), reserved},
		"one of them without key stores":   {key("keystore.p12"), ""},
		"a key with a dot, and key stores": {keystore("ks.a-b.c", ".a"), ""},
	} {
		obj := w.reader(tc.change)
		obj.Name = "k" + strings.NewReplacer(" ", "-", "'", "", ",", "").Replace(name)
		err := w.Client.Create(t.Context(), obj)
		if tc.says == "" {
			require.NoError(t, err, name)
			continue
		}
		assert.ErrorContains(t, err, tc.says, name)
	}
}

// A template could make another password of each one.
func TestAPasswordThatDependsOnItselfIsNeverSet(t *testing.T) {
	t.Parallel()
	w := postgresql(t, testenv.Options{Config: testenv.OnlyWatches})
	w.create(w.reader(func(spec *aero.ConnectionSecretSpec) {
		spec.Data = map[string]aero.Template{"password": `{{ if eq .Password "aaaaaaaaaaaa" }}bbbbbbbbbbbb{{ else }}aaaaaaaaaaaa{{ end }}`}
	}))
	user, mark := w.Example("serviceuser").(*v1alpha1.ServiceUser), w.Aiven.Mark()
	w.Get(user)
	w.Change(user, func() {
		user.Spec.ConnInfoSecretSource = &v1alpha1.ConnInfoSecretSource{Name: "checkout", PasswordKey: "password"}
	})
	w.Wait(user, testenv.Condition("Ready", metav1.ConditionFalse, "InvalidSpec"))
	assert.Empty(t, w.Aiven.Writes(mark))
}

func TestASecretOfAnotherOwnerIsLeftAlone(t *testing.T) {
	t.Parallel()
	w := postgresql(t, testenv.Options{})
	obj := w.reader(libpq)
	obj.Name = "orders-app" // as the Secret of the user
	w.Create(obj)
	assert.Contains(t, w.wait(obj, "False/ConnInfoSecretConflict"), "belongs to ServiceUser orders-app. Delete ConnectionSecret orders-app, or choose another spec.target.name")
	assert.NotContains(t, w.data(obj), "PGHOST")
	assert.Nil(t, obj.Status.Binding)

	w.SetSecret("mine", map[string]string{"a": "b"})
	other := w.reader(libpq)
	other.Spec.Target.Name = "mine"
	w.Create(other)
	assert.Contains(t, w.wait(other, "False/ConnInfoSecretConflict"), "has no controller. Delete it, set its annotation controllers.aiven.io/adopt-secret=true")
	w.Annotate(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "mine"}}, "controllers.aiven.io/adopt-secret", "true")
	w.Annotate(other, "controllers.aiven.io/reconcile-requested-at", "now")
	w.ready(other)
	assert.Equal(t, "b", w.data(other)["a"], "what others put into it stays")
}
