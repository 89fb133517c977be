// Package tenant generates tenants for the isolation rule: users with the role edit in one namespace, who write there whatever that role
// allows, to reach what is another's. A seed makes the same tenant again.
//
// A tenant knows all names of the others, and guesses the rest: its objects are the examples of the documentation, as those of the
// others are, so that names and identities collide; then fields, annotations, finalizers, owners and Secrets are drawn from what could
// lead out of the namespace.
package tenant

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// Surroundings are what a tenant knows of the cluster and of Aiven.
type Surroundings struct {
	// Examples are manifests of all kinds, as those that others have of them. A kind may have more than one.
	Examples []map[string]any
	// Namespace is the tenant's, and Namespaces are those of others.
	Namespace  string
	Namespaces []string
	// Project is the tenant's, and Projects are those of others, whether the tenant may use them or not. It may use the Shared.
	Project          string
	Projects, Shared []string
	// IDs are UIDs of objects of others, and ids of their resources at Aiven.
	IDs []string
	// Token is one that Aiven accepts for the tenant's project.
	Token string
}

// Verb is what a step does.
type Verb string

// The verbs.
const (
	Create Verb = "create"
	Edit   Verb = "edit"
	Delete Verb = "delete"
)

// Step is one request of a tenant.
type Step struct {
	Verb   Verb
	Object client.Object // as it is created; of the others only the kind and the name count
	Change Change
}

// Tenant is what one tenant does, in this order. The API server may refuse some of it.
type Tenant struct {
	Seed  uint64
	Steps []Step
}

// New generates the tenant of a seed.
func New(seed uint64, around Surroundings) Tenant {
	g := &generator{rand: rand.New(rand.NewPCG(seed, 0)), around: around}
	t := Tenant{Seed: seed}
	for _, obj := range append(g.secrets(), g.leases()...) {
		t.Steps = append(t.Steps, Step{Verb: Create, Object: obj})
	}
	var made []client.Object
	if g.chance(2) {
		for _, obj := range g.connected() {
			made = append(made, obj)
			t.Steps = append(t.Steps, Step{Verb: Create, Object: obj})
		}
	}
	if g.chance(2) {
		for _, step := range g.linked() {
			if step.Verb == Create {
				made = append(made, step.Object)
			}
			t.Steps = append(t.Steps, step)
		}
	}
	for range 3 + g.rand.IntN(7) {
		switch n := g.rand.IntN(10); {
		case len(made) == 0 || n < 6:
			obj := g.object()
			if g.chance(4) {
				obj = g.connection()
			}
			made = append(made, obj)
			t.Steps = append(t.Steps, Step{Verb: Create, Object: obj})
		case n < 9:
			obj := pick(g, made)
			t.Steps = append(t.Steps, Step{Verb: Edit, Object: obj, Change: g.together(func() Change { return g.change(obj) })})
		default:
			t.Steps = append(t.Steps, Step{Verb: Delete, Object: pick(g, made)})
		}
	}
	return t
}

// String is all that it takes to do the same by hand.
func (t Tenant) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "The tenant of seed %d:\n", t.Seed)
	for _, step := range t.Steps {
		fmt.Fprintf(&text, "# %s\n", step)
		if step.Verb == Create {
			manifest, err := yaml.Marshal(step.Object)
			if err != nil {
				manifest = []byte(err.Error())
			}
			fmt.Fprintf(&text, "%s---\n", manifest)
		}
	}
	return text.String()
}

func (s Step) String() string {
	text := fmt.Sprintf("%s %s %s", s.Verb, strings.TrimPrefix(fmt.Sprintf("%T", s.Object), "*"), s.Object.GetName())
	if s.Verb == Edit {
		text += ": " + s.Change.Says
	}
	return text
}

// generator draws.
type generator struct {
	rand   *rand.Rand
	around Surroundings
}

func pick[T any](g *generator, from []T) T { return from[g.rand.IntN(len(from))] }

// chance is true once in n times.
func (g *generator) chance(n int) bool { return g.rand.IntN(n) == 0 }
