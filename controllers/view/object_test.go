package view

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// read reads an object in YAML as one from the API server.
func read(t *testing.T, text string) *Object {
	t.Helper()
	u := &unstructured.Unstructured{}
	require.NoError(t, yaml.Unmarshal([]byte(text), &u.Object))
	o, err := Of(u)
	require.NoError(t, err)
	return o
}

func TestAnObjectIsReadWithoutItsType(t *testing.T) {
	o := read(t, `
apiVersion: aiven.io/v1alpha1
kind: KafkaTopic
metadata: {name: orders, namespace: shop, generation: 2, annotations: {controllers.aiven.io/paused: "true"}}
spec: {project: p, serviceName: k, partitions: 3}
status: {observedGeneration: 2, lastHandledReconcileAt: now, phase: Ready, somethingNew: [1]}
`)
	assert.Equal(t, "KafkaTopic/orders", o.String())
	assert.Equal(t, "p/k", o.InService())
	assert.True(t, o.Current())
	assert.True(t, o.Paused())
	assert.True(t, o.Handled("now"))
	assert.Equal(t, metav1.ConditionUnknown, o.Ready().Status)
	assert.Empty(t, o.Ready().Reason)
}

func TestOnlyOneValuePauses(t *testing.T) {
	for value, want := range map[string]bool{"true": true, "True": false, "": false, "yes": false} {
		o := &Object{}
		o.Annotations = map[string]string{"controllers.aiven.io/paused": value}
		assert.Equal(t, want, o.Paused(), value)
	}
}

func TestTheConditionThatDecidesReady(t *testing.T) {
	const waits = "{type: Ready, status: Unknown, reason: Progressing, message: Waiting for service p/pg}"
	for name, tc := range map[string]struct{ conditions, want string }{
		"one with the same message": {
			"[{type: Ready, status: 'False', reason: AuthFailed, message: refused}, {type: AuthValid, status: 'False', reason: TokenMissing, message: refused}]", "AuthValid",
		},
		"one with the same reason": {
			"[{type: Ready, status: 'False', reason: AlreadyExists, message: a}, {type: Drifted, status: 'True', reason: AlreadyExists, message: b}]", "Drifted",
		},
		"one whose message has more behind it": {
			"[{type: Ready, status: Unknown, reason: Progressing, message: Waiting (for 31m)}, {type: RemoteReady, status: 'False', reason: Creating, message: Waiting}]", "RemoteReady",
		},
		"a service that is waited for": {"[" + waits + ", {type: ServiceReady, status: 'False', reason: Rebuilding, message: b}]", "ServiceReady"},
		"no summary":                   {"[" + waits + ", {type: Reconciling, status: 'True', reason: Progressing, message: Waiting for service p/pg}]", "Ready"},
		"nothing that is as it should be": {
			"[" + waits + ", {type: ConfigValid, status: 'True', reason: Progressing, message: Waiting for service p/pg}]", "Ready",
		},
		"Ready, if it is True": {
			"[{type: Ready, status: 'True', reason: a, message: b}, {type: Drifted, status: 'True', reason: a, message: b}]", "Ready",
		},
		"no condition at all": {"[]", "Ready"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, read(t, "{status: {conditions: "+tc.conditions+"}}").Cause().Type)
		})
	}
}

func TestTheReasonThatHasTheRemedy(t *testing.T) {
	const waits = "{type: Ready, status: Unknown, reason: ProgressingWithRetry, message: m}"
	for name, tc := range map[string]struct{ conditions, want string }{
		"a rejected token":            {waits + ", {type: AuthValid, status: 'False', reason: AuthFailed, message: m}", "AuthFailed"},
		"a missing token":             {waits + ", {type: AuthValid, status: 'False', reason: TokenMissing, message: m}", "AuthFailed"},
		"tasks that can't log in":     {waits + ", {type: TasksReady, status: 'False', reason: AuthFailed, message: m}", "ProgressingWithRetry"},
		"an error":                    {waits + ", {type: DependenciesReachable, status: 'False', reason: ServerError, message: m}", "ProgressingWithRetry"},
		"a token that isn't at fault": {waits + ", {type: AuthValid, status: 'True', reason: AuthenticationValid, message: m}", "ProgressingWithRetry"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, read(t, "{status: {conditions: ["+tc.conditions+"]}}").Explaining())
		})
	}
}

func TestTheConnectionSecret(t *testing.T) {
	const published = "conditions: [{type: SecretReady, status: 'True', reason: Published}]"
	for name, tc := range map[string]struct{ object, want string }{
		"is the one of the status":      {"{kind: Kafka, metadata: {name: k}, spec: {connInfoSecretTarget: {name: new}}, status: {binding: {name: old}, " + published + "}}", "old"},
		"or else that of the spec":      {"{kind: Kafka, metadata: {name: k}, spec: {connInfoSecretTarget: {name: new}}, status: {" + published + "}}", "new"},
		"or has the name of the object": {"{kind: Kafka, metadata: {name: k}, status: {" + published + "}}", "k"},
		"may be disabled":               {"{kind: Kafka, metadata: {name: k}, status: {conditions: [{type: SecretReady, status: 'True', reason: Disabled}]}}", ""},
		"may be disabled before that":   {"{kind: Kafka, metadata: {name: k}, spec: {connInfoSecretTargetDisabled: true}}", ""},
		"may be one that comes":         {"{kind: Kafka, metadata: {name: k}, spec: {connInfoSecretTarget: {name: new}}}", "new"},
		"is missing for other kinds":    {"{kind: KafkaTopic, metadata: {name: k}}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			secret, has := read(t, tc.object).Secret()
			assert.Equal(t, tc.want, secret.Name)
			assert.Equal(t, tc.want != "", has)
		})
	}
}

// SecretReady comes with the first attempt to publish: until then, what keeps the object from that is in Ready.
func TestWhyASecretIsNotPublishedYetIsInReady(t *testing.T) {
	secret, has := read(t, "{kind: ServiceUser, metadata: {name: u}, status: {conditions: [{type: Ready, status: 'False', reason: AuthFailed, message: no token}]}}").Secret()
	require.True(t, has)
	assert.Equal(t, metav1.Condition{Type: "Ready", Status: "False", Reason: "AuthFailed", Message: "no token"}, secret.State)
}

func TestKeysOfTheSecretBeginWithThePrefix(t *testing.T) {
	assert.Equal(t, "KAFKA_", read(t, "{kind: Kafka}").SecretPrefix())
	assert.Equal(t, "MY_", read(t, "{kind: Kafka, spec: {connInfoSecretTarget: {prefix: MY_}}}").SecretPrefix())
}
