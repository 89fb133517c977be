package reference

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/yaml"

	"github.com/aero-operator/aero/api/v1alpha1"
)

const planted = "pl4nted-passw0rd"

var vpcKind = schema.GroupVersionKind{Group: "aiven.io", Version: "v1alpha1", Kind: "ProjectVPC"}

func declare(name string, kind schema.GroupVersionKind, targets ...Target) Declaration {
	return Declaration{
		Name: name, Kind: kind, Field: "spec." + name,
		Targets: func(client.Object) []Target { return targets },
	}
}

func passwordSecret() *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "password", UID: "s-1"},
		Data:       map[string][]byte{"value": []byte(planted), "user": []byte("eve"), "empty": {}},
	}
}

// vpc makes a ProjectVPC of generation 2 from what a test adds to it.
func vpc(t *testing.T, extra string) *unstructured.Unstructured {
	t.Helper()
	content, err := yaml.YAMLToJSON([]byte(extra + "\nkind: ProjectVPC"))
	require.NoError(t, err)
	u := &unstructured.Unstructured{}
	require.NoError(t, u.UnmarshalJSON(content))
	u.SetGroupVersionKind(vpcKind)
	u.SetNamespace("apps")
	u.SetName("main")
	u.SetUID("v-1")
	u.SetGeneration(2)
	return u
}

func readerOf(objects ...client.Object) client.Reader {
	scheme := runtime.NewScheme()
	_ = corev1.AddToScheme(scheme)
	scheme.AddKnownTypeWithName(vpcKind, &unstructured.Unstructured{})
	scheme.AddKnownTypeWithName(vpcKind.GroupVersion().WithKind("ProjectVPCList"), &unstructured.UnstructuredList{})
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
}

func only(t *testing.T, r Resolved) Outcome {
	t.Helper()
	require.Len(t, r.Outcomes(), 1)
	return r.Outcomes()[0]
}

func TestReferenceToASecret(t *testing.T) {
	cases := map[string]struct {
		target  Target
		state   State
		message string
		uid     types.UID
		value   string
		hasIt   bool
	}{
		"is ready when it has the key": {
			target: to("/password", "value"), state: Ready, message: "Secret apps/password exists", uid: "s-1",
			value: planted, hasIt: true,
		},
		"is ready when no key is asked for": {
			target: to("apps/password", ""), state: Ready, message: "Secret apps/password exists", uid: "s-1",
		},
		"is ready when the value is empty, which the kind decides about": {
			target: to("/password", "empty"), state: Ready, message: "Secret apps/password exists", uid: "s-1", hasIt: true,
		},
		"lacks the key": {
			target: to("/password", "other"), state: KeyMissing, uid: "s-1",
			message: `Secret apps/password, named by spec.Source, has no key "other". Add it, or correct spec.Source`,
		},
		"leads to another namespace, where there is none": {
			target: to("far/password", "value"), state: NotFound,
			message: "Secret far/password, named by spec.Source, doesn't exist. Create it, or correct spec.Source",
		},
		"leads nowhere": {
			target: to("/nothing", "value"), state: NotFound,
			message: "Secret apps/nothing, named by spec.Source, doesn't exist. Create it, or correct spec.Source",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			source := declare("Source", SecretKind, tc.target)
			source.Keys = []string{"user", "none"}
			resolved := Resolver{Reader: readerOf(passwordSecret())}.Resolve(t.Context(), referrer("apps", "x"), []Declaration{source})
			o := only(t, resolved)
			assert.Equal(t, tc.state, o.State)
			assert.Equal(t, string(tc.state), o.Reason)
			assert.Equal(t, tc.message, o.Message)
			assert.Equal(t, tc.uid, o.UID)
			assert.Equal(t, "SourceReady", o.Condition())
			require.NoError(t, o.Err)
			value, ok := resolved.SecretValue("Source")
			assert.Equal(t, tc.hasIt, ok)
			assert.Equal(t, tc.value, string(value))
			if tc.state == Ready {
				assert.Contains(t, resolved.SecretData("Source"), "user")
				assert.NotContains(t, resolved.SecretData("Source"), "none")
			} else {
				assert.Nil(t, resolved.SecretData("Source"))
			}
			assertSilent(t, resolved)
		})
	}
}

func TestReferenceToAnObject(t *testing.T) {
	cases := map[string]struct {
		object  string
		state   State
		reason  string
		message string
		id      string
	}{
		"is ready when its Ready condition is true for its generation": {
			object: `status: {id: vpc-id, conditions: [{type: Other, status: "False"}, {type: Ready, status: "True", observedGeneration: 2}]}`,
			state:  Ready, reason: "Ready", message: "ProjectVPC apps/main is ready", id: "vpc-id",
		},
		"is ready when the generation is only in the status": {
			object: `status: {id: vpc-id, observedGeneration: 2, conditions: [{type: Ready, status: "True"}]}`,
			state:  Ready, reason: "Ready", message: "ProjectVPC apps/main is ready", id: "vpc-id",
		},
		"is ready when no generation is stated at all": {
			object: `status: {conditions: [{type: Ready, status: "True"}]}`,
			state:  Ready, reason: "Ready", message: "ProjectVPC apps/main is ready",
		},
		"isn't ready when it was ready for an earlier spec": {
			object: `status: {id: vpc-id, conditions: [{type: Ready, status: "True", observedGeneration: 1}]}`,
			state:  NotReady, reason: "Progressing", message: "ProjectVPC apps/main, named by spec.ProjectVPC, isn't ready: its latest change hasn't been reconciled yet",
		},
		"isn't ready for the reason of its own condition, whose message stays there": {
			object: `status: {conditions: [{type: Ready, status: "False", reason: InvalidSpec, message: "The network overlaps.", observedGeneration: 2}]}`,
			state:  NotReady, reason: "InvalidSpec", message: "ProjectVPC apps/main, named by spec.ProjectVPC, isn't ready (InvalidSpec)",
		},
		"isn't ready when that is unknown without a reason": {
			object: `status: {conditions: [{type: Ready, status: Unknown}]}`,
			state:  NotReady, reason: "NotReady", message: "ProjectVPC apps/main, named by spec.ProjectVPC, isn't ready",
		},
		"isn't ready while it is being deleted, whatever its condition is": {
			object: `
metadata: {deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [example.org/wait]}
status: {conditions: [{type: Ready, status: "True", observedGeneration: 2}]}`,
			state: NotReady, reason: "Deleting", message: "ProjectVPC apps/main, named by spec.ProjectVPC, is being deleted",
		},
		"isn't ready when it was never reconciled": {
			object: `status: {observedGeneration: -1}`,
			state:  NotReady, reason: "Progressing", message: "ProjectVPC apps/main, named by spec.ProjectVPC, isn't ready",
		},
		"is ready by the annotations of aiven-operator": {
			object: `
metadata: {annotations: {controllers.aiven.io/generation-was-processed: "2", controllers.aiven.io/instance-is-running: "true"}}
status: {id: vpc-id, conditions: [{type: Running, status: "True", reason: CheckRunning}]}`,
			state: Ready, reason: "Ready", message: "ProjectVPC apps/main is ready", id: "vpc-id",
		},
		"isn't ready by annotations that a user can write": {
			object: `metadata: {annotations: {controllers.aiven.io/generation-was-processed: "2", controllers.aiven.io/instance-is-running: "true"}}`,
			state:  NotReady, reason: "Progressing", message: "ProjectVPC apps/main, named by spec.ProjectVPC, isn't ready",
		},
		"isn't ready by annotations and a condition that aiven-operator doesn't set": {
			object: `
metadata: {annotations: {controllers.aiven.io/generation-was-processed: "2", controllers.aiven.io/instance-is-running: "true"}}
status: {conditions: [{type: Drifted, status: "True", reason: Drifted}]}`,
			state: NotReady, reason: "Progressing", message: "ProjectVPC apps/main, named by spec.ProjectVPC, isn't ready",
		},
		"isn't ready by annotations for an earlier spec": {
			object: `metadata: {annotations: {controllers.aiven.io/generation-was-processed: "1", controllers.aiven.io/instance-is-running: "true"}}`,
			state:  NotReady, reason: "Progressing", message: "ProjectVPC apps/main, named by spec.ProjectVPC, isn't ready",
		},
		"isn't ready when it was processed and doesn't run": {
			object: `metadata: {annotations: {controllers.aiven.io/generation-was-processed: "2", controllers.aiven.io/instance-is-running: "false"}}`,
			state:  NotReady, reason: "Progressing", message: "ProjectVPC apps/main, named by spec.ProjectVPC, isn't ready",
		},
		"isn't ready by annotations against the Ready condition": {
			object: `
metadata: {annotations: {controllers.aiven.io/generation-was-processed: "2", controllers.aiven.io/instance-is-running: "true"}}
status: {conditions: [{type: Ready, status: "False", reason: AuthFailed, message: "no", observedGeneration: 2}]}`,
			state: NotReady, reason: "AuthFailed", message: "ProjectVPC apps/main, named by spec.ProjectVPC, isn't ready (AuthFailed)",
		},
		"survives a status of another shape": {
			object: `status: {id: [7], conditions: [Ready, {type: Ready, status: 1, observedGeneration: two}]}`,
			state:  NotReady, reason: "Progressing", message: "ProjectVPC apps/main, named by spec.ProjectVPC, isn't ready",
		},
		"may have a number as its id": {
			object: `status: {id: 7, conditions: [{type: Ready, status: "True"}]}`,
			state:  Ready, reason: "Ready", message: "ProjectVPC apps/main is ready", id: "7",
		},
		"may have an id of no use": {
			object: `status: {id: [7], conditions: [{type: Ready, status: "True"}]}`,
			state:  Ready, reason: "Ready", message: "ProjectVPC apps/main is ready",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			resolved := Resolver{Reader: readerOf(vpc(t, tc.object))}.
				Resolve(t.Context(), referrer("apps", "x"), []Declaration{declare("ProjectVPC", vpcKind, to("/main", ""))})
			o := only(t, resolved)
			assert.Equal(t, tc.state, o.State)
			assert.Equal(t, tc.reason, o.Reason)
			assert.Equal(t, tc.message, o.Message)
			assert.Equal(t, types.UID("v-1"), o.UID)
			assert.Equal(t, tc.id, resolved.ID("ProjectVPC"))
			value, ok := resolved.SecretValue("ProjectVPC")
			assert.False(t, ok)
			assert.Nil(t, value)
			var refs []v1alpha1.ResolvedReference
			if tc.state == Ready {
				refs = []v1alpha1.ResolvedReference{{Kind: "ProjectVPC", Namespace: "apps", Name: "main", UID: "v-1", ID: tc.id}}
			}
			assert.Equal(t, refs, resolved.Refs())
		})
	}
}

func TestP03_EveryReferenceIsFollowedInOrder(t *testing.T) {
	resolved := Resolver{Reader: readerOf(passwordSecret(), vpc(t, `status: {id: vpc-id, conditions: [{type: Ready, status: "True"}]}`))}.
		Resolve(t.Context(), referrer("apps", "x"), []Declaration{
			declare("Gone", SecretKind, to("/nothing", "value")),
			declare("None", SecretKind),
			declare("Source", SecretKind, to("/password", "value"), to("/password", "user")),
			declare("ProjectVPC", vpcKind, to("/main", "")),
		})
	var got []string
	for _, o := range resolved.Outcomes() {
		got = append(got, fmt.Sprint(o.Name, " ", o.NamespacedName, " ", o.Key, " ", o.State))
	}
	assert.Equal(t, []string{
		"Gone apps/nothing value NotFound",
		"Source apps/password value Ready",
		"Source apps/password user Ready",
		"ProjectVPC apps/main  Ready",
	}, got)
	value, ok := resolved.SecretValue("Source")
	assert.True(t, ok)
	assert.Equal(t, planted, string(value))
	assert.Equal(t, "vpc-id", resolved.ID("ProjectVPC"))
	_, ok = resolved.SecretValue("None")
	assert.False(t, ok)
	assert.Nil(t, resolved.SecretData("None"))
	assert.Empty(t, resolved.ID("None"))
	assertSilent(t, resolved)
}

func TestNothingToFollow(t *testing.T) {
	resolved := Resolver{}.Resolve(t.Context(), referrer("apps", "x"), nil)
	assert.Empty(t, resolved.Outcomes())
	_, ok := Resolved{}.SecretValue("Source")
	assert.False(t, ok)
}

// assertSilent checks that no way of printing shows the data of a Secret.
func assertSilent(t *testing.T, r Resolved) {
	t.Helper()
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
		for _, value := range []any{r, &r, r.Outcomes(), struct{ resolved Resolved }{r}} {
			text := fmt.Sprintf(verb, value)
			assert.NotContains(t, text, planted, verb)
			assert.NotContains(t, text, fmt.Sprintf("%x", planted), verb)
			assert.NotContains(t, text, fmt.Sprintf("%d", []byte(planted)), verb)
		}
	}
}
