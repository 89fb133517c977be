package conformance_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/tests/harness/sampling"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

const takenOver = "controllers.aiven.io/taken-over"

// forgeable are annotations that every user can set, with values of which none is consent. What is named to go on with a resource is an
// object of the namespace, of one kind or another, or none.
var forgeable = map[string][]string{
	attempted: {"true", "1"}, processed: {"1"}, running: {"true"}, takenOver: {"1"}, recreatePolicy: {"Always"},
	deletionPolicy: {"Delete", "Orphan"}, driftPolicy: {"Report", "Correct"}, adoptionPolicy: {"Never", "adopt", "yes"},
	management: {"Observe"}, transferTo: {"NAMESPACE/" + databaseName, "NAMESPACE/" + serviceName, "no-such/" + serviceName},
}

// gatedKinds are those whose objects need consent for what exists at Aiven.
func gatedKinds() []kind {
	return slices.DeleteFunc(slices.Clone(allKinds), isRule)
}

// makeForeign makes the resources of all examples at Aiven, without an object that manages one: services at the console, and what
// is left by an operator that is no longer there.
func makeForeign(e *testenv.Env) {
	for _, p := range []*parent{inPostgres, inKafka, inClickhouse, inKafkaConnect, inOpenSearch} {
		makeService(e, p)
	}
	enableRegistry(e)
	enableConnect(e)
	var made []testenv.Object
	for _, k := range gatedKinds() {
		if count(e, k) > 0 {
			continue
		}
		obj := e.Example(k.example)
		obj.SetAnnotations(map[string]string{adoptionPolicy: "AdoptOrCreate", deletionPolicy: "Orphan"})
		e.Create(obj)
		made = append(made, obj)
	}
	for _, obj := range made {
		e.Wait(obj, testenv.Ready())
	}
	for _, obj := range made {
		e.Delete(obj)
		e.WaitGone(obj)
	}
	e.Operator.Restart()
}

// specs makes random specs of the schemas of all kinds.
type specs struct {
	*rand.Rand

	schemas map[string]map[string]any
	most    int // fields that are set in each object, on average
}

// create creates the example of a kind with random values in fields that don't identify the resource, and with some of the marks
// that every user can set. Specs that the API server refuses don't count.
func (s *specs) create(e *testenv.Env, k kind) testenv.Object {
	e.T.Helper()
	var err error
	for attempt := range 100 {
		s.most = max(1, 4-attempt/5) // the more fields, the more rules
		obj := e.Example(k.example)
		content := loose(e, obj)
		spec := content.Object["spec"].(map[string]any)
		s.fill(s.schemas[k.name], spec)
		content.SetAnnotations(s.marks(e.Namespace))
		if s.IntN(2) == 0 {
			content.SetFinalizers([]string{finalizer})
		}
		if err = e.Client.Create(e.T.Context(), content); err == nil {
			return obj
		}
		require.True(e.T, apierrors.IsInvalid(err), "%v", err)
	}
	require.NoError(e.T, err)
	return nil
}

// marks are some of the forgeable annotations.
func (s *specs) marks(namespace string) map[string]string {
	marks := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(forgeable)) {
		if values := forgeable[name]; s.IntN(2) == 0 {
			marks[name] = strings.ReplaceAll(values[s.IntN(len(values))], "NAMESPACE", namespace)
		}
	}
	return marks
}

// fill sets some of the fields of an object by its schema. What can't be changed is left, as it may identify the resource, and so
// are references.
func (s *specs) fill(schema, object map[string]any) {
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		field := properties[name].(map[string]any)
		refers := strings.HasSuffix(name, "Ref") || strings.HasSuffix(name, "Source") || strings.HasSuffix(name, "Refs")
		if refers || isImmutable(field) || s.IntN(len(properties)) >= s.most {
			continue
		}
		if value, ok := s.value(field, object[name]); ok {
			object[name] = value
		}
	}
}

// isImmutable reports whether a rule of a field compares it with its former value.
func isImmutable(field map[string]any) bool {
	validations, _ := field["x-kubernetes-validations"].([]any)
	return strings.Contains(fmt.Sprint(validations), "oldSelf")
}

// value is a random value of a schema; false if none is known that is valid.
func (s *specs) value(schema map[string]any, before any) (value any, ok bool) {
	if choices, few := schema["enum"].([]any); few {
		return choices[s.IntN(len(choices))], true
	}
	switch schema["type"] {
	case "boolean":
		return s.IntN(2) == 0, true
	case "integer":
		return s.between(schema), true
	case "number":
		return float64(s.between(schema)), true
	case "string":
		return fmt.Sprintf("random-%d", s.IntN(1000)), schema["pattern"] == nil && schema["format"] == nil
	case "array":
		item, ok := s.value(schema["items"].(map[string]any), nil)
		return []any{item}, ok
	case "object":
		object, set := before.(map[string]any)
		if !set {
			object = map[string]any{}
		}
		s.fill(schema, object)
		return object, len(object) > 0
	default:
		return nil, false
	}
}

// between is a number within the bounds of a schema.
func (s *specs) between(schema map[string]any) int64 {
	bound := func(name string, otherwise int64) int64 {
		switch value := schema[name].(type) {
		case int64:
			return value
		case float64:
			return int64(value)
		default:
			return otherwise
		}
	}
	least := bound("minimum", 0)
	return least + s.Int64N(bound("maximum", least+100)-least+1)
}

// settles waits until an object that needs consent is refused, or one that only observes, and needs none, is ready. It reports false where
// a rule about two fields that the operator knows, and the API server doesn't, came first.
func settles(e *testenv.Env, obj testenv.Object) bool {
	wanted, reason := "AlreadyExists", ""
	e.Until(func() bool {
		e.Get(obj)
		if obj.GetAnnotations()[management] != "" {
			wanted = "ReconciliationSucceeded"
		}
		if ready := testenv.Find(obj, "Ready"); ready != nil {
			reason = ready.Reason
		}
		return reason == wanted || reason == "InvalidSpec"
	}, func() string {
		return fmt.Sprintf("%T: Ready is %v, and not %s", obj, testenv.Find(obj, "Ready"), wanted)
	})
	return reason == wanted
}

// ownedSecrets are the names of Secrets that an object owns.
func ownedSecrets(e *testenv.Env) (names []string) {
	var secrets corev1.SecretList
	require.NoError(e.T, e.Client.List(e.T.Context(), &secrets, client.InNamespace(e.Namespace)))
	for _, secret := range secrets.Items {
		if metav1.GetControllerOf(&secret) != nil {
			names = append(names, secret.Name)
		}
	}
	return names
}

// Whatever an object says, and whatever marks it brings along: what another client has made isn't written, nor deleted with the
// object, nor is anything else.
func TestReviewM1_NoRandomSpecWritesWhatAnotherClientHasMade(t *testing.T) {
	t.Parallel()
	var names []string
	for _, k := range gatedKinds() {
		names = append(names, k.name)
	}
	e := testenv.New(t, testenv.Options{Kinds: names, Config: testenv.OnlyWatches})
	makeForeign(e)
	s := &specs{schemas: specSchemas(e), Rand: sampling.Random("foreign")}
	kinds, before, mark := gatedKinds(), e.Aiven.Resources(), e.Aiven.Mark()
	total := 100
	if *sampling.Whole {
		total = 1000
	}
	made, settled := 0, 0
	for ; made < total; made += len(kinds) {
		var objects []testenv.Object
		for _, k := range kinds {
			objects = append(objects, s.create(e, k))
		}
		for _, obj := range objects {
			if settles(e, obj) {
				settled++
			}
		}
		require.Empty(t, ownedSecrets(e), "credentials of what isn't the objects' own")
		for _, obj := range objects {
			e.Delete(obj)
		}
		for _, obj := range objects {
			e.WaitGone(obj)
		}
		require.Empty(t, e.Aiven.Writes(mark))
	}
	assert.Equal(t, before, e.Aiven.Resources())
	assert.Greater(t, 2*settled, made, "objects whose specs have no other error")
}
