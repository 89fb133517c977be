package conformance_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

// setNamespace gives the Namespace of a test an annotation, as a platform team does; "" removes it.
func setNamespace(e *testenv.Env, name, value string) {
	e.T.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: e.Namespace}}
	require.NoError(e.T, e.Client.Get(e.T.Context(), client.ObjectKeyFromObject(ns), ns))
	e.Annotate(ns, name, value)
}

func TestReviewM11_ANamespaceDecidesWhichProjectsItsObjectsUse(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"Database"}, Config: testenv.OnlyWatches})
	e.Aiven.Service(e.Project, serviceName)
	setNamespace(e, "controllers.aiven.io/allowed-projects", "other")
	mark := e.Aiven.Mark()
	obj := e.Example("database").(*v1alpha1.Database)
	e.Create(obj)
	e.Wait(obj, testenv.Condition("Ready", metav1.ConditionFalse, "ProjectNotAllowed"), testenv.Saying("Ready", e.Project))
	assert.Empty(t, e.Aiven.Calls(mark), "whatever the token could do")
	setNamespace(e, "controllers.aiven.io/allowed-projects", "other, "+e.Project)
	e.Wait(obj, testenv.Ready())
	setNamespace(e, "controllers.aiven.io/allowed-projects", "other")
	e.Wait(obj, testenv.Condition("Ready", metav1.ConditionFalse, "ProjectNotAllowed"))
	e.Delete(obj)
	e.WaitGone(obj)
	assert.False(t, e.Aiven.Has("database", e.Project+"/"+serviceName+"/"+obj.GetDatabaseName()), "what it has made is cleaned up all the same")
}

func TestATokenOfANamespaceThatIsReplacedIsForgottenThoughItsObjectsArePaused(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"Database"}, Second: true})
	e.Aiven.Service(e.Project, serviceName)
	team := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: e.Second, Name: "team"}, StringData: map[string]string{"token": goodToken}}
	e.Create(team)
	setNamespace(e, "controllers.aiven.io/token-secret", "team")
	obj, own := e.Example("database").(*v1alpha1.Database), e.Example("database").(*v1alpha1.Database)
	obj.Spec.AuthSecretRef, obj.Name, obj.Spec.DatabaseName = nil, "team", "team"
	mark := e.Aiven.Mark()
	e.Create(obj)
	e.Wait(obj, testenv.Ready())
	was := e.Aiven.Calls(mark)[0].Token
	e.Create(own)
	e.Wait(own, testenv.Ready())
	e.Annotate(obj, paused, "true")
	e.Wait(obj, testenv.Condition("Paused", metav1.ConditionTrue, "PausedByAnnotation"))
	e.Change(team, func() { team.Data = map[string][]byte{"token": []byte(otherToken)} })
	e.Until(func() bool {
		mark := e.Aiven.Mark()
		e.Rest(3)
		return !slices.ContainsFunc(e.Aiven.Calls(mark), func(call localaiven.Entry) bool { return call.Token == was })
	}, func() string { return "Aiven is polled with the former token" })
}

func TestANamespaceNamesTheTokenOfItsObjects(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"Database"}, Second: true, Config: testenv.OnlyWatches})
	e.Aiven.Service(e.Project, serviceName)
	obj := e.Example("database").(*v1alpha1.Database)
	obj.Spec.AuthSecretRef = nil
	e.Create(obj)
	e.Wait(obj, testenv.Condition("AuthValid", metav1.ConditionFalse, "TokenMissing"))
	setNamespace(e, "controllers.aiven.io/token-secret", "team")
	e.Wait(obj, testenv.Saying("AuthValid", "Secret "+e.Second+"/team doesn't exist"))
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: e.Second, Name: "team"}, StringData: map[string]string{"token": e.Token}}
	e.Create(secret)
	e.Wait(obj, testenv.Ready())
	e.Delete(obj)
	e.WaitGone(obj)
}
