package tenant

import (
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
)

// Names of Secrets in the namespace of a tenant. Those that the namespaces of others have, too, are the first.
const (
	TokenSecret = "aiven-token" // with a token that Aiven accepts for the tenant's project
	garbage     = "garbage"     // with none
	foreign     = "foreign"     // of another controller
	plain       = "plain"       // of no controller
	adoptable   = "adoptable"   // of no controller, with consent
	absent      = "absent"
)

var secretNames = []string{TokenSecret, garbage, foreign, plain, adoptable, absent}

// scheme knows the kinds.
var scheme = newScheme()

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		panic(err)
	}
	return scheme
}

// object is one of any kind.
func (g *generator) object() client.Object { return g.from(pick(g, g.around.Examples)) }

// objectLike is another one of a kind.
func (g *generator) objectLike(obj client.Object) client.Object {
	if alike := g.alike(obj); len(alike) > 0 {
		return g.from(pick(g, alike))
	}
	return obj
}

// alike are the manifests of an object's kind.
func (g *generator) alike(obj client.Object) []map[string]any {
	return slices.DeleteFunc(slices.Clone(g.around.Examples), func(example map[string]any) bool {
		return example["kind"] != reflect.TypeOf(obj).Elem().Name()
	})
}

// from is an object that is made from an example, and asks for what is another's more often than not.
func (g *generator) from(example map[string]any) client.Object {
	manifest := runtime.DeepCopyJSON(example)
	spec, _ := manifest["spec"].(map[string]any)
	setProject(spec, g.project)
	switch g.rand.IntN(4) { // else it is the token of the tenant
	case 0:
		spec["authSecretRef"] = map[string]any{"name": pick(g, secretNames), "key": pick(g, []string{"token", "tls.key", "PASSWORD"})}
	case 1:
		delete(spec, "authSecretRef")
	}
	lures := g.lures()
	for _, name := range slices.Sorted(maps.Keys(lures)) {
		before, had := spec[name]
		if often := slices.Contains(rare, name) && g.chance(2); !often && !g.chance(4) {
			continue
		}
		if spec[name] = lures[name]; !valid(manifest) {
			delete(spec, name)
			if had {
				spec[name] = before
			}
		}
	}
	obj := typed(manifest)
	obj.SetNamespace(g.around.Namespace)
	switch g.rand.IntN(6) { // else it has the name of the example
	case 0:
		obj.SetName(g.around.Namespace)
	case 1:
		obj.SetName(pick(g, append(slices.Clone(g.around.Projects), g.around.Project)))
	}
	if _, is := obj.(*v1alpha1.Project); is && g.chance(2) { // whose name is that of the project
		obj.SetName(g.around.Project)
	}
	g.metadata(obj)
	return obj
}

// projectFields are those of specs that hold the name of a project.
var projectFields = []string{"project", "sourceProjectName", "destinationProjectName", "copyFromProject", "projectId"}

// setProject sets the projects of a spec.
func setProject(spec map[string]any, project func() string) {
	for _, name := range projectFields {
		if _, set := spec[name]; set {
			spec[name] = project()
		}
	}
}

// project is the tenant's as often as another's: who reaches nothing at all can't go too far.
func (g *generator) project() string {
	if g.chance(2) {
		return g.around.Project
	}
	return pick(g, g.around.Projects)
}

// lures are fields that lead out of an object. A kind takes those that it has.
func (g *generator) lures() map[string]any {
	name := pick(g, secretNames)
	return map[string]any{
		"connInfoSecretTarget": map[string]any{"name": name, "prefix": pick(g, []string{"", "X_"}), "labels": map[string]any{"aiven.io/owner-name": "another"},
			"annotations": map[string]any{annotations + "adopt-secret": "true"}},
		"connInfoSecretTargetDisabled": g.chance(2),
		"connInfoSecretSource":         map[string]any{"name": name, "passwordKey": pick(g, []string{"PASSWORD", "token", "tls.key"})},
		"migrationSecretSource":        map[string]any{"name": name},
		"projectVPCRef":                map[string]any{"name": "my-vpc", "namespace": pick(g, g.around.Namespaces)},
		"projectVpcId":                 pick(g, g.around.IDs),
		"copyFromProject":              g.project(),
		"sourceProjectName":            g.project(),
		"destinationProjectName":       g.project(),
		"destinationEndpointId":        pick(g, g.around.IDs),
		"sourceEndpointID":             pick(g, g.around.IDs),
		"billingGroupId":               pick(g, g.around.IDs),
		"terminationProtection":        true,
		"serviceIntegrations":          []any{map[string]any{"integrationType": "read_replica", "sourceServiceName": "my-pg"}},
		"userConfig":                   map[string]any{"project_to_fork_from": g.project(), "service_to_fork_from": pick(g, []string{"my-pg", "my-mysql", "my-valkey"})},
	}
}

// rare are lures that few kinds have.
var rare = []string{"connInfoSecretTarget", "copyFromProject", "terminationProtection"}

// valid reports whether all fields of a manifest are known to its kind.
func valid(manifest map[string]any) bool {
	obj, err := scheme.New(v1alpha1.GroupVersion.WithKind(manifest["kind"].(string)))
	return err == nil && runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(manifest, obj, true) == nil
}

func typed(manifest map[string]any) client.Object {
	obj, err := scheme.New(v1alpha1.GroupVersion.WithKind(manifest["kind"].(string)))
	if err == nil {
		err = runtime.DefaultUnstructuredConverter.FromUnstructured(manifest, obj)
	}
	if err != nil {
		panic(err)
	}
	return obj.(client.Object)
}

// setSpec gives an object the spec of another one of its kind.
func setSpec(obj, other client.Object) {
	reflect.ValueOf(obj).Elem().FieldByName("Spec").Set(reflect.ValueOf(other).Elem().FieldByName("Spec"))
}

func removeSpec(obj client.Object) { reflect.ValueOf(obj).Elem().FieldByName("Spec").SetZero() }
