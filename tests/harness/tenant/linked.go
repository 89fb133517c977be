package tenant

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// linked are steps about an object and some of those that it names, in one project: what another has there, too. Many begin by observing
// it. Then the object itself is edited a few times, and stays where it is.
func (g *generator) linked() []Step {
	example := pick(g, g.around.Examples)
	if several := g.several(); len(several) > 0 && g.chance(2) {
		example = pick(g, several)
	}
	named := slices.DeleteFunc(slices.Clone(g.around.Examples), func(other map[string]any) bool {
		return other["kind"] == example["kind"] || !Holds(example["spec"], nameOf(other))
	})
	g.rand.Shuffle(len(named), func(i, j int) { named[i], named[j] = named[j], named[i] })
	place := g.place()
	var steps []Step
	for _, manifest := range append(named[:min(len(named), 3)], example) {
		obj := place(manifest)
		if g.chance(2) {
			annotate(obj, annotations+"management-policy", "Observe")
		}
		steps = append(steps, Step{Verb: Create, Object: obj})
	}
	obj := steps[len(steps)-1].Object
	for range 1 + g.rand.IntN(3) {
		for _, change := range g.turns(obj, place) {
			steps = append(steps, Step{Verb: Edit, Object: obj, Change: change})
		}
	}
	return steps
}

// several are the manifests of kinds that have more than one: an object can become another one by an edit.
func (g *generator) several() []map[string]any {
	count := map[any]int{}
	for _, example := range g.around.Examples {
		count[example["kind"]]++
	}
	return slices.DeleteFunc(slices.Clone(g.around.Examples), func(example map[string]any) bool { return count[example["kind"]] < 2 })
}

// place draws a project and a token, and returns what makes objects there of manifests.
func (g *generator) place() func(manifest map[string]any) client.Object {
	project, hasToken := g.project(), g.chance(2)
	if len(g.around.Shared) > 0 && !g.chance(4) {
		project = pick(g, g.around.Shared)
	}
	return func(manifest map[string]any) client.Object {
		manifest = runtime.DeepCopyJSON(manifest)
		spec := manifest["spec"].(map[string]any)
		setProject(spec, func() string { return project })
		if !hasToken {
			delete(spec, "authSecretRef")
		}
		obj := typed(manifest)
		obj.SetNamespace(g.around.Namespace)
		return obj
	}
}

// holds are annotations with which an edit of the spec isn't carried out before they go.
var holds = [][2]string{{annotations + "management-policy", "Observe"}, {annotations + "change-policy", "HoldAll"}, {annotations + "paused", "true"}}

// turns draws edits of an object that stays in its place: it becomes another one there, or is held and no more, or all of it one after the
// other, so that another object can have what it is to become, or what it was, in the meantime.
func (g *generator) turns(obj client.Object, place func(map[string]any) client.Object) []Change {
	becomes := func() Change {
		other := place(pick(g, g.alike(obj)))
		return Change{"the spec of " + other.GetName(), func(o client.Object) { setSpec(o, other) }}
	}
	hold := pick(g, holds)
	held := Change{hold[0] + "=" + hold[1], func(o client.Object) { annotate(o, hold[0], hold[1]) }}
	goesOn := Change{"without " + hold[0], func(o client.Object) { removeAnnotation(o, hold[0]) }}
	if g.chance(2) {
		return []Change{held, becomes(), goesOn}
	}
	return []Change{g.together(func() Change {
		switch g.rand.IntN(4) {
		case 0:
			return held
		case 1:
			return goesOn
		default:
			return becomes()
		}
	})}
}

// Holds reports whether a text is somewhere in a value.
func Holds(v any, text string) bool {
	switch v := v.(type) {
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), func(entry any) bool { return Holds(entry, text) })
	case []any:
		return slices.ContainsFunc(v, func(entry any) bool { return Holds(entry, text) })
	default:
		return v == text
	}
}

func nameOf(manifest map[string]any) string {
	return (&unstructured.Unstructured{Object: manifest}).GetName()
}
