package conformance_test

import (
	"maps"
	"slices"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

var secretRequirements = []requirement{
	{says: "the Secret has exactly the keys of its kind, with the prefix asked for", proves: "K07 K04", applies: hasSecret, check: (*testCase).publishesWithPrefix},
	{says: "the Secret is named and prefixed after its object by default", proves: "K07", applies: hasSecret, check: (*testCase).publishesByDefault},
	{says: "the Secret belongs to its object and says so", proves: "K04 P06 P09 P10", applies: hasSecret, check: (*testCase).ownsSecret},
	{says: "a deleted Secret comes back at once", proves: "K06 R05 E06", applies: hasSecret, options: atOnce, check: (*testCase).restoresSecret},
	{says: "an edited Secret is reverted at once", proves: "K06 K04", applies: hasSecret, options: atOnce, check: (*testCase).revertsSecret},
	{says: "a Secret that the spec names no longer loses its keys to the new one", proves: "K04", applies: hasSecret, check: (*testCase).movesSecret},
	{says: "a Secret of another owner is not changed", proves: "K05", applies: hasSecret, check: (*testCase).sparesForeignSecret},
	{says: "the Secret has the addresses of the wanted route, and stays as it is while there is none", proves: "K04", applies: hasAddress, check: (*testCase).followsRoute},
	{says: "a request is one new password, which is at Aiven and in the Secret, or a condition with the reason", proves: "K09", applies: hasPassword, check: (*testCase).rotates},
	{says: "without a wish for a Secret there is none", proves: "K02", applies: hasSecret, check: (*testCase).publishesNothing},
	{
		says: "a secret that another client has written is shown nowhere, when it is reported and when it is corrected", proves: "K09",
		applies: hasForeignSecret, options: testenv.Options{Traced: true}, check: (*testCase).hidesForeignSecrets,
	},
	{
		says: "no secret option of a spec is shown, also if Aiven refuses and repeats it", proves: "K09",
		applies: hasSecretOptions, options: testenv.Options{Traced: true}, check: (*testCase).hidesSecretOptions,
	},
}

// target is where the object wants its Secret.
func (s *testCase) fields() *v1alpha1.SecretFields {
	return s.obj.(interface{ GetSecretFields() *v1alpha1.SecretFields }).GetSecretFields()
}

// secret is the one of the object, by the name in its spec or its own; nil if there is none.
func (s *testCase) secret() *corev1.Secret {
	s.T.Helper()
	if name := s.fields().ConnInfoSecretTarget.Name; name != "" {
		return s.Secret(name)
	}
	return s.Secret(s.obj.GetName())
}

// secretNames are those of all Secrets with an owner.
func (s *testCase) secretNames() []string {
	list := &corev1.SecretList{}
	require.NoError(s.T, s.Client.List(s.T.Context(), list, client.InNamespace(s.Namespace)))
	var names []string
	for _, secret := range list.Items {
		if len(secret.OwnerReferences) > 0 {
			names = append(names, secret.Name)
		}
	}
	return names
}

// assertKeys compares all keys of the Secret, and that none is empty that shouldn't be.
func (s *testCase) assertKeys(prefix string) {
	s.T.Helper()
	want := slices.Clone(s.kind.legacy)
	for _, key := range s.kind.keys {
		want = append(want, prefix+key)
	}
	secret := s.secret()
	assert.ElementsMatch(s.T, want, slices.Collect(maps.Keys(secret.Data)))
	for _, key := range s.kind.keys {
		switch key {
		case "CA_CERT":
			ca, err := s.Aiven.Console.ProjectKmsGetCA(s.T.Context(), s.kind.project(s.Env))
			require.NoError(s.T, err)
			assert.Equal(s.T, ca, string(secret.Data[prefix+key]), "the CA must be the project's")
		case "HOST", "PORT", "PASSWORD":
			assert.NotEmpty(s.T, secret.Data[prefix+key], key)
		}
	}
}

func (s *testCase) publishesWithPrefix() {
	s.fields().ConnInfoSecretTarget.Prefix = "MINE_"
	s.begin()
	s.assertKeys("MINE_")
	s.Change(s.obj, func() { s.fields().ConnInfoSecretTarget.Prefix = "YOURS_" })
	s.Wait(s.obj, testenv.Ready())
	s.assertKeys("YOURS_")
}

func (s *testCase) publishesByDefault() {
	s.fields().ConnInfoSecretTarget = v1alpha1.ConnInfoSecretTarget{}
	s.begin()
	require.NotNil(s.T, s.Secret(s.obj.GetName()))
	s.assertKeys(s.kind.prefix)
}

func (s *testCase) ownsSecret() {
	target := &s.fields().ConnInfoSecretTarget
	target.Labels, target.Annotations = map[string]string{"baz": "egg"}, map[string]string{"foo": "bar"}
	s.begin()
	secret := s.secret()
	owner := metav1.GetControllerOf(secret)
	require.NotNil(s.T, owner)
	assert.Equal(s.T, s.obj.GetUID(), owner.UID)
	assert.Equal(s.T, s.kind.name, owner.Kind)
	annotations := map[string]string{"foo": "bar"}
	if s.kind.once {
		annotations[issuedFor] = clickhouseUserID(s.Env)
	}
	assert.Equal(s.T, annotations, secret.Annotations)
	assert.Equal(s.T, map[string]string{
		"baz": "egg", "app.kubernetes.io/managed-by": "aero",
		"aiven.io/owner-kind": s.kind.name, "aiven.io/owner-name": s.obj.GetName(),
	}, secret.Labels)
}

func (s *testCase) restoresSecret() {
	s.begin()
	before := s.secret()
	s.Delete(before.DeepCopy())
	s.Until(func() bool {
		now := s.secret()
		return now != nil && now.UID != before.UID
	}, func() string { return "the Secret doesn't come back" })
	s.Wait(s.obj, testenv.Ready())
	if !s.kind.once {
		assert.Equal(s.T, before.Data, s.secret().Data)
	}
	assert.Equal(s.T, s.kind.reissued(s.kind.create), s.Aiven.Writes(0))
	assert.ElementsMatch(s.T, slices.Collect(maps.Keys(before.Data)), slices.Collect(maps.Keys(s.secret().Data)))
}

func (s *testCase) revertsSecret() {
	s.begin()
	before := s.secret()
	edited := before.DeepCopy()
	key := slices.Sorted(maps.Keys(edited.Data))[0]
	s.Change(edited, func() {
		edited.Data[key] = []byte("wrong")
		edited.Data["THEIRS"] = []byte("kept")
	})
	s.Until(func() bool { return string(s.secret().Data[key]) == string(before.Data[key]) }, func() string {
		return key + " stays wrong"
	})
	assert.Equal(s.T, "kept", string(s.secret().Data["THEIRS"]), "what others add is theirs")
}

func (s *testCase) movesSecret() {
	s.fields().ConnInfoSecretTarget = v1alpha1.ConnInfoSecretTarget{Name: "former"}
	s.begin()
	before := s.Secret("former")
	s.Change(s.obj, func() { s.fields().ConnInfoSecretTarget = v1alpha1.ConnInfoSecretTarget{} })
	s.Wait(s.obj, testenv.Ready())
	assert.Equal(s.T, before.Data, s.secret().Data, "also a password that Aiven returns once")
	former := s.Secret("former")
	assert.Empty(s.T, former.Data)
	assert.Equal(s.T, before.OwnerReferences, former.OwnerReferences, "it goes with the object")
	assert.Equal(s.T, s.obj.GetName(), s.obj.GetCommonStatus().Binding.Name)
}

func (s *testCase) sparesForeignSecret() {
	s.fields().ConnInfoSecretTarget = v1alpha1.ConnInfoSecretTarget{Name: "taken"}
	s.SetSecret("taken", map[string]string{"precious": "something-precious"})
	before := s.Secret("taken")
	s.Create(s.obj)
	s.Wait(s.obj, testenv.Condition("Ready", metav1.ConditionFalse, "ConnInfoSecretConflict"),
		testenv.Condition("SecretReady", metav1.ConditionFalse, "OwnedByOther"), testenv.Phase(v1alpha1.PhaseDegraded))
	s.WaitEvent(s.obj, corev1.EventTypeWarning, "CannotPublishConnectionDetails")
	s.Rest(2)
	assert.Equal(s.T, before, s.Secret("taken"))
	assert.Empty(s.T, s.obj.GetAnnotations()[running], "no client can connect")
	assert.Equal(s.T, []string{s.kind.create}, s.Aiven.Writes(0))
	for _, line := range s.Operator.Log() {
		assert.NotContains(s.T, line, `"msg"="Reconciler error"`, "what a user has to resolve is no error of the operator")
	}
	s.Delete(before)
	s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase))
}

func (s *testCase) publishesNothing() {
	disabled := true
	s.fields().ConnInfoSecretTargetDisabled = &disabled
	s.begin()
	s.Wait(s.obj, testenv.Condition("SecretReady", metav1.ConditionTrue, "Disabled"))
	assert.Empty(s.T, s.secretNames())
	assert.Equal(s.T, "true", s.obj.GetAnnotations()[running])
}
