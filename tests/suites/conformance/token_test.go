package conformance_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

const (
	goodToken  = "a-token-that-aiven-accepts"
	otherToken = "another-token-that-aiven-accepts"
)

var tokenRequirements = []requirement{
	{
		says: "a missing token is reported, Aiven is not called, and the Secret enqueues the object", proves: "E03 E05 I01 I05",
		options: testenv.Options{NoToken: true, Config: testenv.OnlyWatches}, check: (*testCase).waitsForToken,
	},
	{
		says: "a rejected token changes nothing, and the new one is used at once", proves: "E03 X06 I01",
		options: testenv.Options{Config: testenv.OnlyWatches, Aiven: localaiven.Options{Tokens: []string{goodToken}}},
		check:   (*testCase).replacesRejectedToken,
	},
	{
		says: "a token that stops working leaves a ready object Degraded until it is replaced", proves: "E03 F03",
		options: testenv.Options{
			Config: testenv.OnlyWatches, Aiven: localaiven.Options{Tokens: []string{goodToken}}, NoToken: true,
		},
		check: (*testCase).degradesWithoutToken,
	},
}

func (s *testCase) waitsForToken() {
	s.Create(s.obj)
	missing := []testenv.Want{
		testenv.Condition("Ready", metav1.ConditionFalse, "AuthFailed"), testenv.Phase(v1alpha1.PhasePending),
		testenv.Condition("AuthValid", metav1.ConditionFalse, "TokenMissing"), testenv.Saying("AuthValid", testenv.TokenSecret),
	}
	s.Wait(s.obj, missing...)
	s.WaitEvent(s.obj, corev1.EventTypeWarning, "UnableToGetAuthSecret")
	s.SetSecret(testenv.TokenSecret, map[string]string{"tokn": s.Token})
	s.Wait(s.obj, append(missing, testenv.Saying("AuthValid", testenv.TokenKey))...)
	s.SetSecret(testenv.TokenSecret, map[string]string{testenv.TokenKey: " \n"})
	s.Wait(s.obj, missing...)
	assert.Empty(s.T, s.Aiven.Calls(0))
	s.SetSecret(testenv.TokenSecret, map[string]string{testenv.TokenKey: s.Token + "\n"})
	s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase), testenv.Condition("AuthValid", metav1.ConditionTrue, "AuthenticationValid"))
}

func (s *testCase) replacesRejectedToken() {
	s.Create(s.obj)
	s.Wait(s.obj, testenv.Condition("Ready", metav1.ConditionFalse, "AuthFailed"), testenv.Phase(v1alpha1.PhasePending),
		testenv.Condition("AuthValid", metav1.ConditionFalse, "AuthFailed"))
	s.WaitEvent(s.obj, corev1.EventTypeWarning, "AuthFailed")
	assert.Empty(s.T, s.Aiven.Writes(0))
	s.SetSecret(testenv.TokenSecret, map[string]string{testenv.TokenKey: goodToken})
	s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase))
}

func (s *testCase) degradesWithoutToken() {
	s.SetSecret(testenv.TokenSecret, map[string]string{testenv.TokenKey: goodToken})
	s.begin()
	mark := s.Aiven.Mark()
	s.SetSecret(testenv.TokenSecret, map[string]string{testenv.TokenKey: "a-token-of-the-past"})
	s.Wait(s.obj, testenv.Condition("Ready", metav1.ConditionFalse, "AuthFailed"), testenv.Phase(v1alpha1.PhaseDegraded))
	assert.Equal(s.T, "true", s.obj.GetAnnotations()[running], "what runs goes on running")
	assert.Empty(s.T, s.Aiven.Writes(mark))
	s.SetSecret(testenv.TokenSecret, map[string]string{testenv.TokenKey: goodToken})
	s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase))
}

func TestP18_EachNamespaceUsesItsOwnToken(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{
		Kinds: []string{"Database"}, Second: true, NoToken: true, Aiven: localaiven.Options{Tokens: []string{goodToken, otherToken}},
	})
	e.SetSecret(testenv.TokenSecret, map[string]string{testenv.TokenKey: goodToken})
	e.Plant(otherToken)
	e.Create(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: e.Second, Name: testenv.TokenSecret},
		StringData: map[string]string{testenv.TokenKey: otherToken},
	})
	e.Aiven.Service(e.Project, serviceName)
	first, second := e.Example("database"), e.Example("database")
	second.SetNamespace(e.Second)
	second.(*v1alpha1.Database).Spec.DatabaseName = "second"
	hashes := map[string]bool{}
	for _, obj := range []testenv.Object{first, second} {
		mark := e.Aiven.Mark()
		e.Create(obj)
		e.Wait(obj, testenv.Ready())
		for _, call := range e.Aiven.Calls(mark) {
			if call.Operation == "ServiceDatabaseCreate" {
				hashes[call.Token] = true
			}
		}
	}
	assert.Len(t, hashes, 2, "each create must have been made with another token")
}

func TestP18_TheTokenOfTheObjectWinsOverTheDefault(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{
		Kinds: []string{"Database"}, Config: func(c *config.Config) { c.DefaultToken = otherToken },
		Aiven: localaiven.Options{Tokens: []string{otherToken}},
	})
	e.Plant(otherToken)
	e.Aiven.Service(e.Project, serviceName)
	own, byDefault := e.Example("database"), e.Example("database")
	byDefault.SetName("by-default")
	byDefault.(*v1alpha1.Database).Spec.AuthSecretRef = nil
	e.Create(own)
	e.Create(byDefault)
	e.Wait(byDefault, testenv.Ready())
	e.Wait(own, testenv.Condition("AuthValid", metav1.ConditionFalse, "AuthFailed"))
	require.True(t, e.Aiven.Has("database", e.Project+"/"+serviceName+"/by-default"))
	assert.False(t, e.Aiven.Has("database", e.Project+"/"+serviceName+"/"+databaseName))
}

// A user may make any number of Secrets with the finalizer, each of which costs a write: they hold up no release in another namespace.
func TestTheReleaseOfTokenSecretsIsSharedAmongNamespaces(t *testing.T) {
	e := testenv.New(t, testenv.Options{Config: testenv.OnlyWatches, Kinds: []string{"Database"}})
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: e.Namespace, Name: "unused", Finalizers: []string{"finalizers.aiven.io/needed-to-delete-services"}}}
	require.NoError(t, e.Client.Create(t.Context(), secret))
	e.Until(func() bool {
		require.NoError(t, e.Client.Get(t.Context(), client.ObjectKeyFromObject(secret), secret))
		return len(secret.Finalizers) == 0
	}, func() string { return "a Secret that no object names keeps the finalizer" })
	families, err := metrics.Registry.Gather()
	require.NoError(t, err)
	var fair []string // the kinds whose queue shares its workers
	for _, family := range families {
		for _, series := range family.GetMetric() {
			if family.GetName() == "aero_queue_held_objects" {
				fair = append(fair, series.GetLabel()[0].GetValue())
			}
		}
	}
	assert.Contains(t, fair, "Secret")
}
