package conformance_test

import (
	"testing"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// withSource is the user of the example, whose password is in a Secret.
func withSource(e *testenv.Env) *v1alpha1.ServiceUser {
	user := e.Example("serviceuser").(*v1alpha1.ServiceUser)
	user.Spec.ConnInfoSecretSource = &v1alpha1.ConnInfoSecretSource{Name: sourceSecret, PasswordKey: sourceKey}
	return user
}

func published(e *testenv.Env) string {
	secret := e.Secret(userName)
	if secret == nil {
		return ""
	}
	return string(secret.Data["ORDERS_PASSWORD"])
}

// K10, I01, E05: the source comes later, is edited, and loses its key.
func TestK10_ADeclaredPasswordReachesAivenAndTheSecretAtOnce(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"ServiceUser"}, Config: testenv.OnlyWatches})
	e.Aiven.Service(e.Project, serviceName)
	user := withSource(e)
	e.Create(user)
	e.Wait(user, testenv.Condition("SecretSourceReady", metav1.ConditionFalse, "NotFound"), testenv.Saying("Ready", sourceSecret))
	assert.Empty(t, e.Aiven.Writes(0))

	for _, password := range []string{"the-first-password", "the-second-password"} {
		e.SetSecret(sourceSecret, map[string]string{sourceKey: password})
		e.Until(func() bool { return passwordOf(e, userName) == password && published(e) == password }, func() string {
			return "the password doesn't arrive"
		})
		e.Wait(user, testenv.Ready())
	}
	assert.Equal(t, []string{"ServiceUserCreate", "ServiceUserCredentialsModify", "ServiceUserCredentialsModify"}, e.Aiven.Writes(0))

	e.SetSecret(sourceSecret, map[string]string{"another": "value-under-another-key"})
	e.Wait(user, testenv.Condition("SecretSourceReady", metav1.ConditionFalse, "KeyMissing"), testenv.Saying("SecretSourceReady", sourceKey))
	assert.Equal(t, "the-second-password", passwordOf(e, userName))
}

// E05, X07: what is missing for longer than the grace period is an error.
func TestAMissingSourceIsAFaultAfterTheGrace(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"ServiceUser"}})
	e.Aiven.Service(e.Project, serviceName)
	user := withSource(e)
	e.Create(user)
	e.Wait(user, testenv.Condition("Ready", metav1.ConditionFalse, "ReferenceNotFound"),
		testenv.Condition("ConfigValid", metav1.ConditionFalse, "ReferenceNotFound"), testenv.Phase(v1alpha1.PhaseFailed))
	e.SetSecret(sourceSecret, map[string]string{sourceKey: declaredPassword})
	e.Wait(user, testenv.Ready(), testenv.Condition("ConfigValid", metav1.ConditionTrue, "ConfigurationValid"))
}

// K10, K09, E04: the field is named, the value is not.
func TestK10_APasswordThatIsTooShortIsAnInvalidSpec(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"ServiceUser"}, Config: testenv.OnlyWatches})
	e.Aiven.Service(e.Project, serviceName)
	const short = "sh0rt!!"
	e.SetSecret(sourceSecret, map[string]string{sourceKey: short})
	user := withSource(e)
	e.Create(user)
	e.Wait(user, testenv.Condition("Ready", metav1.ConditionFalse, "InvalidSpec"), testenv.Saying("Ready", "spec.connInfoSecretSource"),
		testenv.Phase(v1alpha1.PhaseFailed), testenv.Condition("Stalled", metav1.ConditionTrue, "InvalidSpec"))
	assert.NotContains(t, testenv.Find(user, "Ready").Message, short)
	for _, line := range e.Operator.Log() {
		assert.NotContains(t, line, short)
	}
	assert.Empty(t, e.Aiven.Writes(0))
	e.SetSecret(sourceSecret, map[string]string{sourceKey: declaredPassword})
	e.Wait(user, testenv.Ready())
	assert.Equal(t, declaredPassword, published(e))
}

// C-11: without a declared password, the one at Aiven stays, however it was set.
func TestAPasswordResetAtTheConsoleReachesTheSecret(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"ServiceUser"}})
	e.Aiven.Service(e.Project, serviceName)
	user := e.Example("serviceuser")
	e.Create(user)
	e.Wait(user, testenv.Ready())
	mark := e.Aiven.Mark()
	setPassword(e, "reset-at-the-console")
	e.Until(func() bool { return published(e) == "reset-at-the-console" }, func() string { return "the Secret is stale" })
	assert.Empty(t, e.Aiven.Writes(mark))
}

// P14: what is there already is taken over, and the primary user outlives its object.
func TestThePrimaryUserIsTakenOverAndNeverDeleted(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"ServiceUser"}})
	e.Aiven.Service(e.Project, serviceName)
	user := e.Example("serviceuser").(*v1alpha1.ServiceUser)
	user.Spec.Username = "avnadmin"
	e.Create(user)
	e.Wait(user, testenv.Ready())
	assert.Equal(t, "primary", user.Status.Type)
	e.Delete(user)
	e.WaitGone(user)
	assert.Empty(t, e.Aiven.Writes(0))
	assert.True(t, e.Aiven.Has("user", e.Project+"/"+serviceName+"/avnadmin"))
}

// P14: so does the database that Aiven makes with each service.
func TestTheDefaultDatabaseIsTakenOverAndNeverDeleted(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"Database"}})
	e.Aiven.Service(e.Project, serviceName)
	const name = "defaultdb"
	database := e.Example("database").(*v1alpha1.Database)
	database.Spec.DatabaseName = name
	e.Create(database)
	e.Wait(database, testenv.Ready())
	e.Delete(database)
	e.WaitGone(database)
	assert.Empty(t, e.Aiven.Writes(0))
	assert.Contains(t, mainService(e).Databases, name)
}

// W11: protection is a wish of the spec, and its end lets a deletion go on.
func TestW11_TerminationProtectionBlocksADeletionUntilItIsTurnedOff(t *testing.T) {
	t.Parallel()
	for kind, example := range map[string]string{"Database": "database", "PostgreSQL": "postgresql"} {
		t.Run(example, func(t *testing.T) {
			t.Parallel()
			e := testenv.New(t, testenv.Options{Kinds: []string{kind}, Config: testenv.OnlyWatches})
			if example == "database" {
				e.Aiven.Service(e.Project, serviceName)
			}
			obj := e.Example(example)
			protect(obj, true)
			e.Create(obj)
			e.Wait(obj, testenv.Ready())
			mark := e.Aiven.Mark()
			e.Delete(obj)
			e.Wait(obj, testenv.Condition("Ready", metav1.ConditionFalse, "TerminationProtected"))
			assert.Empty(t, e.Aiven.Writes(mark))
			e.Change(obj, func() { protect(obj, false) })
			e.WaitGone(obj)
		})
	}
}

func protect(obj testenv.Object, on bool) {
	switch o := obj.(type) {
	case *v1alpha1.Database:
		o.Spec.TerminationProtection = &on
	case *v1alpha1.PostgreSQL:
		o.Spec.TerminationProtection = &on
	}
}

// X22: what the spec asks for is fine, even if that is nothing.
func TestX22_AServiceThatIsPoweredOffOnRequestIsReady(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"PostgreSQL"}})
	obj := e.Example("postgresql").(*v1alpha1.PostgreSQL)
	e.Create(obj)
	e.Wait(obj, testenv.Ready(), testenv.Phase(v1alpha1.PhaseRunning))
	off, on := false, true
	e.Change(obj, func() { obj.Spec.Powered = &off })
	e.Wait(obj, testenv.Ready(), testenv.Condition("Ready", metav1.ConditionTrue, "PoweredOffAsRequested"),
		testenv.Phase(v1alpha1.PhaseNotAvailable))
	assert.Equal(t, "false", obj.GetAnnotations()[running])
	e.Change(obj, func() { obj.Spec.Powered = &on })
	e.Wait(obj, testenv.Ready(), testenv.Phase(v1alpha1.PhaseRunning))
	require.Equal(t, service.ServiceStateTypeRunning, mainService(e).State)
}

// E03, X06: a 403 may be a lag in access control, until it lasts.
func TestX06_AForbiddenReadIsALagFirstAndAnErrorLater(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"ServiceUser"}, Config: func(c *config.Config) { c.AuthGrace = grace }})
	e.Aiven.Service(e.Project, serviceName)
	user := e.Example("serviceuser")
	e.Aiven.AddFault(forbidden())
	e.Create(user)
	e.Wait(user, testenv.Condition("Ready", metav1.ConditionUnknown, "ProgressingWithRetry"),
		testenv.Condition("DependenciesReachable", metav1.ConditionFalse, "Forbidden"))
	e.Wait(user, testenv.Condition("Ready", metav1.ConditionFalse, "AuthFailed"),
		testenv.Condition("AuthValid", metav1.ConditionFalse, "AuthFailed"))
	e.Aiven.RemoveFaults()
	e.Wait(user, testenv.Ready())
}
