package tenant

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
)

// connection is an object that asks for a Secret of a login, which may be another's.
func (g *generator) connection() client.Object {
	if g.chance(4) {
		rotation := &aero.ServiceUserRotation{Spec: aero.ServiceUserRotationSpec{
			SecretContents: g.contents(), RotationInterval: metav1.Duration{Duration: time.Hour},
			UserRefs: []aero.UserReference{{Name: "orders-app"}, {Name: pick(g, append([]string{"another"}, g.around.Projects...))}},
		}}
		g.named(rotation)
		return rotation
	}
	secret := &aero.ConnectionSecret{Spec: aero.ConnectionSecretSpec{SecretContents: g.contents(), SourceRef: g.source()}}
	if g.chance(3) {
		secret.Spec.DatabaseRef = &aero.DatabaseReference{Name: pick(g, []string{"orders", "my-database", absent})}
	}
	if g.chance(4) {
		secret.Spec.Keystore = &aero.Keystore{PasswordSecretRef: aero.SecretKeyReference{Name: pick(g, secretNames), Key: pick(g, []string{"PASSWORD", "token", "tls.key"})}}
	}
	g.named(secret)
	return secret
}

// connected are a service of the tenant's own, and a Secret of its login, so that not all that tenants ask for is refused.
func (g *generator) connected() []client.Object {
	example := pick(g, slices.DeleteFunc(g.publishing(), func(example map[string]any) bool {
		_, isService := example["spec"].(map[string]any)["plan"]
		return !isService
	}))
	manifest := runtime.DeepCopyJSON(example)
	setProject(manifest["spec"].(map[string]any), func() string { return g.around.Project })
	source := typed(manifest)
	source.SetNamespace(g.around.Namespace)
	secret := &aero.ConnectionSecret{Spec: aero.ConnectionSecretSpec{SecretContents: g.contents(), SourceRef: sourceOf(example)}}
	secret.Namespace, secret.Name = g.around.Namespace, "checkout"
	return []client.Object{source, secret}
}

// named gives an object a name and other metadata.
func (g *generator) named(obj client.Object) {
	obj.SetNamespace(g.around.Namespace)
	obj.SetName(pick(g, append([]string{"checkout", "orders-app", g.around.Namespace}, secretNames...)))
	g.metadata(obj)
}

// publishing are examples of the kinds that have a login.
func (g *generator) publishing() []map[string]any {
	return slices.DeleteFunc(slices.Clone(g.around.Examples), func(example map[string]any) bool {
		_, publishes := typed(example).(interface{ GetSecretFields() *v1alpha1.SecretFields })
		return !publishes
	})
}

// source is an object of the tenant or of another.
func (g *generator) source() aero.SourceReference {
	found := sourceOf(pick(g, g.publishing()))
	switch {
	case g.chance(2):
	case g.chance(3):
		found.Namespace = g.around.Namespace
	default:
		found.Namespace = pick(g, g.around.Namespaces)
	}
	return found
}

func sourceOf(example map[string]any) aero.SourceReference {
	return aero.SourceReference{Kind: example["kind"].(string), Name: nameOf(example)}
}

// contents are what the Secret is to have, and which one that is.
func (g *generator) contents() aero.SecretContents {
	contents := aero.SecretContents{Data: map[string]aero.Template{
		"URI": "{{ .URI }}", "PASSWORD": "{{ .Password }}", "ALL": "{{ range .Endpoints }}{{ .Host }}:{{ .Port }} {{ end }}{{ .AccessKey }}{{ .CACert }}",
	}}
	if g.chance(4) {
		contents.Presets = []aero.Preset{pick(g, []aero.Preset{aero.PresetServiceBinding, aero.PresetLibpq, aero.PresetKafkaEnv})}
	}
	if g.chance(5) {
		contents.Database = pick(g, append([]string{"orders"}, g.around.Projects...))
	}
	if g.chance(6) {
		contents.Endpoint = &aero.EndpointSelector{Route: pick(g, []aero.Route{"public", "privatelink"}), PrivatelinkConnectionID: pick(g, g.around.IDs)}
	}
	if g.chance(3) {
		contents.Target = aero.SecretTarget{
			Name: pick(g, secretNames), Labels: map[string]string{"aiven.io/owner-name": "another"}, Annotations: map[string]string{annotations + "adopt-secret": "true"},
		}
	}
	return contents
}
