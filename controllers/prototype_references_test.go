package controllers_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"

	"github.com/aiven/go-client-codegen/handler/kafkaschemaregistry"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/resource"
)

// A kind with many references to its own kind, and a deletion guard, as KafkaSchema is.

type schemaSpec struct {
	Service, Schema string
	Refs            []string
}

type schema = prototype[schemaSpec]

// subjectVersion is the value of a reference.
type subjectVersion struct {
	Subject string
	Version int
}

const refName = "SchemaPrototype"

var schemaKind = resource.Definition[*schema, kafkaschemaregistry.ServiceSchemaRegistrySubjectVersionGetOut]{
	Object: &schema{},
	Place: resource.InServices(func(*schema) string { return "demo" }, func(obj *schema) []resource.End {
		return []resource.End{{ServiceKey: aiven.ServiceKey{Project: "demo", Service: obj.Spec.Service}}}
	}),
	Identity: func(obj *schema) controllers.Identity {
		return controllers.Identity{Name: "demo/" + obj.Spec.Service + "/" + obj.Name}
	},
	Item: func(obj *schema) aiven.Item { return aiven.Item{List: subjects(obj.Spec.Service), Key: obj.Name} },
	References: []reference.Declaration{{
		Name: refName, Kind: v1alpha1.GroupVersion.WithKind("SchemaPrototype"), Field: "spec.refs", BlocksDeletion: true,
		Targets: func(obj client.Object) []reference.Target {
			var targets []reference.Target
			for _, name := range obj.(*schema).Spec.Refs {
				targets = append(targets, reference.Target{NamespacedName: types.NamespacedName{Name: name}})
			}
			return targets
		},
		Ready: reference.Typed(func(referrer, target *schema) (subjectVersion, error) {
			switch {
			case target.Spec.Service != referrer.Spec.Service:
				return subjectVersion{}, fault.InvalidSpec("spec.refs", fmt.Sprintf("%s is in another service", target.Name))
			case target.Status.Version == 0 && referrer.DeletionTimestamp.IsZero():
				return subjectVersion{}, errors.New(target.Name + " has no version yet")
			}
			return subjectVersion{target.Name, target.Status.Version}, nil
		}),
	}},
	Find: findSchema,
	Diff: func(s resource.Scope, obj *schema, found *kafkaschemaregistry.ServiceSchemaRegistrySubjectVersionGetOut) controllers.Diff {
		var diff controllers.Diff
		if found.Schema != obj.Spec.Schema {
			diff.Add("spec.schema", obj.Spec.Schema, found.Schema)
		}
		wanted, _ := reference.Values[subjectVersion](s.Refs, refName)
		if have := versionsOf(found.References); !slices.Equal(wanted, have) {
			diff.Add("spec.refs", wanted, have)
		}
		return diff
	},
	Create: func(ctx context.Context, s resource.Scope, obj *schema) (*kafkaschemaregistry.ServiceSchemaRegistrySubjectVersionGetOut, error) {
		return nil, postSchema(ctx, s, obj)
	},
	Update: func(
		ctx context.Context, s resource.Scope, obj *schema, _ *kafkaschemaregistry.ServiceSchemaRegistrySubjectVersionGetOut, _ controllers.Diff,
	) (*kafkaschemaregistry.ServiceSchemaRegistrySubjectVersionGetOut, error) {
		return nil, postSchema(ctx, s, obj)
	},
	Delete: func(ctx context.Context, s resource.Scope, obj *schema, _ *kafkaschemaregistry.ServiceSchemaRegistrySubjectVersionGetOut) error {
		return s.Client.API().ServiceSchemaRegistrySubjectDelete(ctx, "demo", obj.Spec.Service, obj.Name)
	},
}.Kind()

func subjects(service string) aiven.ListKey {
	return aiven.ListKey{Project: "demo", Service: service, Operation: "ServiceSchemaRegistrySubjects"}
}

func findSchema(ctx context.Context, s resource.Scope, obj *schema) (*kafkaschemaregistry.ServiceSchemaRegistrySubjectVersionGetOut, error) {
	names, err := aiven.List(ctx, s.Client, subjects(obj.Spec.Service), aiven.ListSource[[]string]{
		Read: func(ctx context.Context) ([]string, error) {
			return s.Client.API().ServiceSchemaRegistrySubjects(ctx, "demo", obj.Spec.Service)
		},
		Items: aiven.IndexBy(func(name string) string { return name }),
	}, obj.Name)
	if err != nil || !slices.Contains(names, obj.Name) {
		return nil, err
	}
	versions, err := s.Client.API().ServiceSchemaRegistrySubjectVersionsGet(ctx, "demo", obj.Spec.Service, obj.Name)
	if err != nil {
		return nil, err
	}
	found, err := s.Client.API().ServiceSchemaRegistrySubjectVersionGet(ctx, "demo", obj.Spec.Service, obj.Name, slices.Max(versions))
	if err == nil {
		obj.Status.Version = found.Version
	}
	return found, err
}

func postSchema(ctx context.Context, s resource.Scope, obj *schema) error {
	wanted, _ := reference.Values[subjectVersion](s.Refs, refName)
	var refs []kafkaschemaregistry.ReferenceIn
	for _, ref := range wanted {
		refs = append(refs, kafkaschemaregistry.ReferenceIn{Name: ref.Subject, Subject: ref.Subject, Version: ref.Version})
	}
	_, err := s.Client.API().ServiceSchemaRegistrySubjectVersionPost(ctx, "demo", obj.Spec.Service, obj.Name,
		&kafkaschemaregistry.ServiceSchemaRegistrySubjectVersionPostIn{Schema: obj.Spec.Schema, References: &refs})
	return err
}

func versionsOf(refs []kafkaschemaregistry.ReferenceOut) []subjectVersion {
	var versions []subjectVersion
	for _, ref := range refs {
		versions = append(versions, subjectVersion{ref.Subject, ref.Version})
	}
	return versions
}

// registry is an API with a schema registry, which refuses what refers to nothing and the deletion of what is referred to.
type registry struct {
	*api
	subjects map[string][]fields
	deleted  []string
}

const (
	subjectRoute = "/v1/project/demo/service/my-kafka/kafka/schema/subjects"
	postVersion  = "POST " + subjectRoute + "/{subject}/versions"
)

func newRegistry(t *testing.T, objects ...client.Object) (*registry, *controllers.Prototype[*schema]) {
	a := &registry{api: newAPI(t), subjects: map[string][]fields{}}
	a.on("GET /v1/project/demo/service/my-kafka", func(*http.Request) (any, int) {
		return service("my-kafka", "kafka", "RUNNING", nil), http.StatusOK
	})
	a.on("GET "+subjectRoute, func(*http.Request) (any, int) {
		return fields{"subjects": append([]string{}, slices.Sorted(maps.Keys(a.subjects))...)}, http.StatusOK
	})
	a.on("GET "+subjectRoute+"/{subject}/versions", func(r *http.Request) (any, int) {
		versions := []int{}
		for i := range a.subjects[r.PathValue("subject")] {
			versions = append(versions, i+1)
		}
		return fields{"versions": versions}, http.StatusOK
	})
	a.on("GET "+subjectRoute+"/{subject}/versions/{version}", func(r *http.Request) (any, int) {
		versions := a.subjects[r.PathValue("subject")]
		return fields{"version": versions[len(versions)-1]}, http.StatusOK
	})
	a.on(postVersion, func(r *http.Request) (any, int) {
		in, subject := decode[fields](t, r), r.PathValue("subject")
		refs, _ := in["references"].([]any)
		for _, ref := range refs {
			require.Contains(t, a.subjects, ref.(fields)["subject"], "%s refers to what isn't there yet", subject)
		}
		in["subject"], in["version"] = subject, len(a.subjects[subject])+1
		a.subjects[subject] = append(a.subjects[subject], in)
		return fields{"id": 1}, http.StatusOK
	})
	a.on("DELETE "+subjectRoute+"/{subject}", func(r *http.Request) (any, int) {
		delete(a.subjects, r.PathValue("subject"))
		a.deleted = append(a.deleted, r.PathValue("subject"))
		return fields{"message": "deleted"}, http.StatusOK
	})
	return a, controllers.NewPrototype(t, schemaKind, schemeOf[schemaSpec]("SchemaPrototype"), a, objects...)
}

// family is ten schemas, each of which refers to up to three of those before it.
func family() ([]client.Object, []string) {
	var objects []client.Object
	var names []string
	for i := range 10 {
		obj := &schema{ObjectMeta: named(fmt.Sprintf("s%d", i)), Spec: schemaSpec{Service: "my-kafka", Schema: fmt.Sprintf(`{"n":%d}`, i)}}
		obj.Spec.Refs = slices.Clone(names[max(0, i-3):])
		objects, names = append(objects, obj), append(names, obj.Name)
	}
	return objects, names
}

// rounds reconciles objects in a random order until all are done, and returns how many rounds that took.
func rounds(t *testing.T, p *controllers.Prototype[*schema], names []string, done func(name string) bool) int {
	random := rand.New(rand.NewPCG(1, uint64(len(names)))) // the same order every time
	names = slices.Clone(names)
	for round := range 20 {
		names = slices.DeleteFunc(names, done)
		if len(names) == 0 {
			return round
		}
		random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		p.Advance(controllers.ReadLag)
		for _, name := range names {
			require.NoError(t, p.Reconcile(name))
		}
	}
	t.Fatalf("not done after 20 rounds: %v", names)
	return 0
}

func applyFamily(t *testing.T) (*registry, *controllers.Prototype[*schema], []string) {
	objects, names := family()
	a, p := newRegistry(t, objects...)
	rounds(t, p, names, func(name string) bool {
		return p.Condition(name, condition.Ready) == "True/ReconciliationSucceeded"
	})
	return a, p, names
}

func TestObjectsThatReferToEachOtherAreAppliedInAnyOrder(t *testing.T) {
	a, p, names := applyFamily(t)
	assert.Equal(t, len(names), a.calls[postVersion], "each is written once")
	refs := a.subjects["s9"][0]["references"].([]any)
	require.Len(t, refs, 3)
	assert.Equal(t, fields{"name": "s6", "subject": "s6", "version": 1.0}, refs[0])
	assert.Contains(t, p.Message("s9", refName+"Ready"), "(and 2 more)")
}

func TestANewVersionOfAReferentReachesItsReferrers(t *testing.T) {
	a, p, _ := applyFamily(t)
	changed := p.Get("s8")
	changed.Spec.Schema, changed.Generation = `{"n":"new"}`, 2
	require.NoError(t, p.Cluster().Update(t.Context(), changed))
	require.NoError(t, p.ReconcileLater("s8"))
	for range 2 {
		require.NoError(t, p.ReconcileLater("s9"))
	}
	require.Len(t, a.subjects["s9"], 2)
	assert.Equal(t, fields{"name": "s8", "subject": "s8", "version": 2.0}, a.subjects["s9"][1]["references"].([]any)[2])
}

func TestTheDeletionOfAReferentIsBlockedAndNamesItsReferrers(t *testing.T) {
	a, p, _ := applyFamily(t)
	p.Delete("s8")
	for range 2 {
		require.NoError(t, p.ReconcileLater("s8"))
		assert.Contains(t, p.Message("s8", condition.Ready), "Referred to by SchemaPrototype ns/s9. Delete what refers to it first")
		assert.Equal(t, "Unknown/DeletionBlocked", p.Condition("s8", condition.Ready))
	}
	assert.Empty(t, a.deleted)

	p.Delete("s9")
	require.NoError(t, p.ReconcileLater("s9"))
	assert.True(t, p.Gone("s9"))
	require.NoError(t, p.ReconcileLater("s8"))
	assert.True(t, p.Gone("s8"))
	assert.Equal(t, []string{"s9", "s8"}, a.deleted)
}

func TestObjectsThatReferToEachOtherAreDeletedAtOnceWithoutADeadlock(t *testing.T) {
	a, p, names := applyFamily(t)
	for _, name := range names {
		p.Delete(name)
	}
	rounds(t, p, names, p.Gone)
	assert.Empty(t, a.subjects)
	require.Len(t, a.deleted, len(names))
	slices.Reverse(names)
	assert.Equal(t, names, a.deleted, "referrers go before what they refer to")
}

func TestAReferenceToAnotherServiceIsAnErrorInTheSpec(t *testing.T) {
	target := &schema{ObjectMeta: named("target"), Spec: schemaSpec{Service: "other", Schema: "{}"}}
	target.Status.ObservedGeneration, target.Status.Conditions = 1, []metav1.Condition{{Type: condition.Ready, Status: metav1.ConditionTrue}}
	obj := &schema{ObjectMeta: named("obj"), Spec: schemaSpec{Service: "my-kafka", Schema: "{}", Refs: []string{"target"}}}
	_, p := newRegistry(t, obj, target)
	_ = p.Reconcile("obj")
	assert.Equal(t, "False/InvalidSpec", p.Condition("obj", condition.Ready), p.Message("obj", condition.Ready))
	assert.Contains(t, p.Message("obj", condition.Ready), "target is in another service")
}
