package tenant

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// annotations is the prefix of those of aero and aiven-operator.
const annotations = "controllers.aiven.io/"

// Finalizers of the operator, and one of another.
var finalizers = []string{"finalizers.aiven.io/delete-remote-resource", "finalizers.aiven.io/needed-to-delete-services", "example.com/mine"}

// forged are values of annotations, some of which only operators write.
func (g *generator) forged() map[string][]string {
	flag, ids := []string{"true", "false"}, append([]string{"true"}, g.around.IDs...)
	var others []string
	for _, namespace := range g.around.Namespaces {
		for _, name := range []string{"my-pg", "orders", "orders-app", "my-kafka", "my-vpc"} {
			others = append(others, namespace+"/"+name)
		}
	}
	return map[string][]string{
		"paused": flag, "deletion-policy": {"Delete", "Orphan"}, "management-policy": {"Observe"}, "drift-policy": {"Correct", "Report"},
		"poll-interval": {"30s"}, "rotate-requested-at": {"now", "later"}, "rotation-interval": {"1h"}, "rotation": {"pending"}, "reconcile-requested-at": {"now", "later"}, "adoption-policy": {"Never", "Adopt", "AdoptOrCreate"},
		"change-policy": {"Auto", "HoldDisruptive", "HoldAll"}, "approved-changes": {"0123456789abcdef0123456789abcdef01234567"}, "recreate-policy": {"Never", "Always"}, "confirm-data-loss": {"1", "2"}, "transfer-to": others, "create-attempted": ids, "taken-over": {"1", "x"},
		"connection-route": {"public", "private", "privatelink/plc1"}, "acknowledge-renewal-after": {"1ms", "168h"},
		"active-user": {"orders-app", "my-user"}, "active-since": {"2026-01-01T00:00:00Z"}, "rotation-handled": {"now"},
		"generation-was-processed": {"1", "2"}, "instance-is-running": flag, "adopt-secret": flag, "token-secret": {TokenSecret},
		"allowed-projects": g.around.Projects, "allow-deletion": flag, "credentials-issued-for": ids, "secret-source-updated": {"now"}, "kafka-schema-applied": {"1"},
	}
}

// decisive are the annotations that decide about what exists.
var decisive = []string{"management-policy", "deletion-policy", "adoption-policy", "transfer-to", "create-attempted", "taken-over"}

// annotation draws one, with its prefix.
func (g *generator) annotation() (name, value string) {
	forged := g.forged()
	name = pick(g, slices.Sorted(maps.Keys(forged)))
	if g.chance(2) {
		name = pick(g, decisive)
	}
	return annotations + name, pick(g, forged[name])
}

// metadata draws what a manifest may have besides its name.
func (g *generator) metadata(obj client.Object) {
	for range g.rand.IntN(4) {
		name, value := g.annotation()
		annotate(obj, name, value)
	}
	if g.chance(3) {
		obj.SetFinalizers([]string{pick(g, finalizers)})
	}
	if g.chance(4) {
		obj.SetOwnerReferences([]metav1.OwnerReference{g.owner()})
	}
	if g.chance(6) {
		obj.SetLabels(map[string]string{"aiven.io/owner-name": "my-pg", "app.kubernetes.io/managed-by": "aero"})
	}
}

func annotate(obj client.Object, name, value string) {
	all := maps.Clone(obj.GetAnnotations())
	if all == nil {
		all = map[string]string{}
	}
	all[name] = value
	obj.SetAnnotations(all)
}

func removeAnnotation(obj client.Object, name string) {
	all := maps.Clone(obj.GetAnnotations())
	delete(all, name)
	obj.SetAnnotations(all)
}

// owner is an object of another namespace, or none at all.
func (g *generator) owner() metav1.OwnerReference {
	return metav1.OwnerReference{
		APIVersion: "aiven.io/v1alpha1", Kind: pick(g, []string{"PostgreSQL", "Database", "ServiceUser", "Kafka"}), Name: "my-pg",
		UID: types.UID(pick(g, g.around.IDs)), Controller: new(g.chance(2)),
	}
}

// Change is an edit of an object. A request that the API server refuses changes nothing.
type Change struct {
	Says string
	Do   func(client.Object)
}

// both are two edits in one request.
func both(one, another Change) Change {
	return Change{one.Says + ", and " + another.Says, func(o client.Object) { one.Do(o); another.Do(o) }}
}

// together are edits that are drawn one by one, of which some come in one request.
func (g *generator) together(draw func() Change) Change {
	c := draw()
	for g.chance(3) {
		c = both(c, draw())
	}
	return c
}

// change draws an edit of what the role edit may edit.
func (g *generator) change(obj client.Object) Change {
	switch name, value := g.annotation(); g.rand.IntN(8) {
	case 0:
		finalizer := pick(g, finalizers)
		return Change{"finalizer " + finalizer, func(o client.Object) { o.SetFinalizers([]string{finalizer}) }}
	case 1:
		return Change{"no finalizers", func(o client.Object) { o.SetFinalizers(nil) }}
	case 2:
		other := g.objectLike(obj)
		return Change{"the spec of another manifest", func(o client.Object) { setSpec(o, other) }}
	case 3:
		return Change{"no spec", func(o client.Object) { removeSpec(o) }}
	case 4:
		return Change{"without " + name, func(o client.Object) { removeAnnotation(o, name) }}
	case 5:
		return Change{"no annotations", func(o client.Object) { o.SetAnnotations(nil) }}
	default:
		return Change{name + "=" + value, func(o client.Object) { annotate(o, name, value) }}
	}
}

// secrets are those that a tenant makes for itself.
func (g *generator) secrets() []client.Object {
	secret := func(name string, data map[string]string) *corev1.Secret {
		s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: g.around.Namespace, Name: name}, Data: map[string][]byte{}}
		for key, value := range data {
			s.Data[key] = []byte(value)
		}
		return s
	}
	ofAnother := secret(foreign, map[string]string{"tls.key": "key-of-another-controller", "token": "token-of-another-controller"})
	ofAnother.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: "cert-manager.io/v1", Kind: "Certificate", Name: foreign, UID: "3f0b7b5e-8f5e-4f2c-9d36-6a1f7d6b0c11", Controller: new(true),
	}}
	consents := secret(adoptable, map[string]string{"token": "token-of-the-tenant", "PASSWORD": "password-of-the-tenant"})
	annotate(consents, annotations+"adopt-secret", "true")
	return []client.Object{
		secret(TokenSecret, map[string]string{"token": g.around.Token}), secret(garbage, map[string]string{"token": "two tokens", "PASSWORD": "short"}),
		ofAnother, secret(plain, map[string]string{"token": "token-of-the-tenant", "PASSWORD": "password-of-the-tenant"}), consents,
	}
}
