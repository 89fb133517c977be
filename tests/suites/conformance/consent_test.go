package conformance_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

// Who agrees that a service is created again agrees that what it contained is.
func TestReviewH5_TheConsentForAServiceCountsForTheDataInIt(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Database", "KafkaTopic"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := entryOf(t, name)
			e := testenv.New(t, testenv.Options{Kinds: k.needs()})
			service, content := e.Example(k.in.example), e.Example(k.example)
			e.Create(service)
			e.Create(content)
			e.Wait(service, testenv.Ready())
			e.Wait(content, testenv.Ready())
			made := content.GetCommonStatus().Provenance.Time
			e.Until(func() bool { return time.Now().Unix() > made.Unix() }, func() string { return "times of provenance are in seconds" })

			mark := e.Aiven.Mark()
			require.NoError(t, e.Aiven.Console.ServiceDelete(t.Context(), e.Project, k.in.name))
			e.Wait(service, testenv.Condition("Ready", metav1.ConditionFalse, "RemoteMissing"))
			e.Wait(content, testenv.Condition("Ready", metav1.ConditionUnknown, "Progressing"))
			e.Rest(2)
			assert.Empty(t, e.Aiven.Writes(mark), "without consent")
			e.Annotate(service, recreatePolicy, "Always")
			e.Wait(service, testenv.Ready())
			e.Wait(content, testenv.Ready())
			assert.NotContains(t, content.GetAnnotations(), recreatePolicy)
			assert.Equal(t, []string{"ServiceCreate", k.create}, e.Aiven.Writes(mark))
			assert.Equal(t, 1, count(e, k))
		})
	}
}

// A token of another account knows nothing of the project, or may see nothing of it: neither says that the resource is gone.
func TestReviewH7_ATokenOfAnotherAccountDeletesNothing(t *testing.T) {
	t.Parallel()
	const elsewhere = "elsewhere" // known before the local Aiven starts, as Project isn't
	for says, tc := range map[string]struct {
		denied map[string][]string
		swap   func(e *testenv.Env) // what Aiven answers from then on
		ready  testenv.Want
		saying string
	}{
		"and may not see the project": {
			map[string][]string{otherToken: {elsewhere}}, func(*testenv.Env) {},
			testenv.Condition("Ready", metav1.ConditionUnknown, "ProgressingWithRetry"), "Aiven denied access",
		},
		"and doesn't know the project": {nil, func(e *testenv.Env) {
			e.Aiven.AddFault(localaiven.Fault{
				Match: localaiven.Match{Path: "^/v1/project/" + elsewhere + "(/|$)"}, Effect: localaiven.Effect{
					Status: http.StatusNotFound, Body: []byte(`{"message":"Project does not exist","errors":[{"message":"Project does not exist"}]}`),
				},
			})
		}, testenv.Condition("Ready", metav1.ConditionUnknown, "DeletionBlocked"), elsewhere},
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			e := testenv.New(t, testenv.Options{Kinds: []string{"PostgreSQL", "Database"}, NoToken: true, Aiven: localaiven.Options{
				Tokens: []string{goodToken, otherToken}, DeniedProjects: tc.denied,
			}})
			e.Plant(otherToken)
			e.SetSecret(testenv.TokenSecret, map[string]string{testenv.TokenKey: goodToken})
			service, database := e.Example("postgresql").(*v1alpha1.PostgreSQL), e.Example("database").(*v1alpha1.Database)
			service.Spec.Project, database.Spec.Project = elsewhere, elsewhere
			objects := []testenv.Object{database, service}
			for _, obj := range objects {
				e.Create(obj)
			}
			for _, obj := range objects {
				e.Wait(obj, testenv.Ready())
			}
			before := e.Aiven.Resources()
			tc.swap(e)
			e.SetSecret(testenv.TokenSecret, map[string]string{testenv.TokenKey: otherToken})
			for _, obj := range objects {
				e.Delete(obj)
			}
			for _, obj := range objects {
				e.Wait(obj, tc.ready, testenv.Saying("Ready", tc.saying))
			}
			e.Rest(2)
			for _, obj := range objects {
				e.Get(obj)
				assert.Equal(t, []string{finalizer}, obj.GetFinalizers())
				e.Annotate(obj, deletionPolicy, "Orphan")
				e.WaitGone(obj)
			}
			assert.Equal(t, before, e.Aiven.Resources())
		})
	}
}
