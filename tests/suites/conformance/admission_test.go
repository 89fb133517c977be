package conformance_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

const (
	acknowledgeRenewal = "controllers.aiven.io/acknowledge-renewal-after"
	deletionPolicy     = "controllers.aiven.io/deletion-policy"
	managementPolicy   = "controllers.aiven.io/management-policy"
	driftPolicy        = "controllers.aiven.io/drift-policy"
	pollInterval       = "controllers.aiven.io/poll-interval"
	connectionRoute    = "controllers.aiven.io/connection-route"
	rotationInterval   = "controllers.aiven.io/rotation-interval"
	rotateRequested    = "controllers.aiven.io/rotate-requested-at"
	adoptionPolicy     = "controllers.aiven.io/adoption-policy"
	recreatePolicy     = "controllers.aiven.io/recreate-policy"
	transferTo         = "controllers.aiven.io/transfer-to"
	confirmDataLoss    = "controllers.aiven.io/confirm-data-loss"
)

// annotated is the example of a database with annotations.
func annotated(e *testenv.Env, pairs ...string) *v1alpha1.Database {
	obj := e.Example("database").(*v1alpha1.Database)
	for i := 0; i < len(pairs); i += 2 {
		metav1.SetMetaDataAnnotation(&obj.ObjectMeta, pairs[i], pairs[i+1])
	}
	return obj
}

// idle is a world without an operator, in which the policies are enforced.
func idle(t *testing.T) *testenv.Env {
	e := testenv.New(t, testenv.Options{Idle: true})
	e.Admission(annotated(e, deletionPolicy, "orphan"))
	return e
}

func TestW08_AnAnnotationWithATypoIsRefusedAtAdmission(t *testing.T) {
	t.Parallel()
	e := idle(t)
	for name, tc := range map[string]struct{ key, value, says string }{
		"deletion policy":            {deletionPolicy, "orphan", "must be Delete or Orphan"},
		"empty deletion policy":      {deletionPolicy, "", "must be Delete or Orphan"},
		"management policy":          {managementPolicy, "observe", "must be Observe"},
		"drift policy":               {driftPolicy, "report", "must be Correct or Report"},
		"pause":                      {paused, "yes", "must be true or false"},
		"change policy":              {changePolicy, "Hold", "must be Auto, HoldDisruptive or HoldAll"},
		"approved changes":           {approvedChanges, "all", "must be the hash in status.pendingChanges"},
		"adoption policy":            {adoptionPolicy, "adopt", "must be Never, Adopt or AdoptOrCreate"},
		"recreate policy":            {recreatePolicy, "true", "must be Never or Always"},
		"confirmation":               {confirmDataLoss, "true", "must be the generation of the object"},
		"successor":                  {transferTo, "my-pg", "the namespace and the name of an object"},
		"route":                      {connectionRoute, "Public", "must be dynamic, public, private or privatelink"},
		"empty route":                {connectionRoute, "", "must be dynamic, public, private or privatelink"},
		"route without a connection": {connectionRoute, "privatelink/", "the id of a PrivateLink connection"},
		"route through nothing":      {connectionRoute, "public/plc1", "the id of a PrivateLink connection"},
		"poll interval":              {pollInterval, "often", "a duration of at least 30s"},
		"poll interval without unit": {pollInterval, "60", "a duration of at least 30s"},
		"short poll interval":        {pollInterval, "29s", "a duration of at least 30s"},
		"negative poll interval":     {pollInterval, "-1h", "a duration of at least 30s"},
		"rotation interval":          {rotationInterval, "monthly", "a duration of at least 1h"},
		"short rotation interval":    {rotationInterval, "59m59s", "a duration of at least 1h"},
		"acknowledgement":            {acknowledgeRenewal, "true", "must be a duration, such as 168h"},
		"empty acknowledgement":      {acknowledgeRenewal, "", "must be a duration, such as 168h"},
		"acknowledgement in days":    {acknowledgeRenewal, "7d", "must be a duration, such as 168h"},
		"negative acknowledgement":   {acknowledgeRenewal, "-1h", "must be a duration, such as 168h"},
	} {
		t.Run(name, func(t *testing.T) {
			err := e.Client.Create(t.Context(), annotated(e, tc.key, tc.value))
			require.Error(t, err)
			assert.Contains(t, err.Error(), tc.key)
			assert.Contains(t, err.Error(), tc.says)
		})
	}
	t.Run("pause of a ConnectionSecret", func(t *testing.T) {
		obj := &aero.ConnectionSecret{ObjectMeta: metav1.ObjectMeta{Namespace: e.Namespace, Name: "checkout", Annotations: map[string]string{paused: "yes"}}}
		obj.Spec.SourceRef, obj.Spec.Presets = aero.SourceReference{Kind: "PostgreSQL", Name: "my-pg"}, []aero.Preset{aero.PresetLibpq}
		require.ErrorContains(t, e.Client.Create(t.Context(), obj), "must be true or false")
		obj.Annotations[paused] = "true"
		require.NoError(t, e.Client.Create(t.Context(), obj))
	})
	for name, pairs := range map[string][]string{
		"none": nil, "all": {
			deletionPolicy, "Orphan", managementPolicy, "Observe", driftPolicy, "Report", paused, "false", pollInterval, "1m30s", rotationInterval, "1h", connectionRoute, "public",
			adoptionPolicy, "AdoptOrCreate", recreatePolicy, "Always", transferTo, "apps/my-pg.copy", confirmDataLoss, "17", acknowledgeRenewal, "168h",
		},
		"others": {deletionPolicy, "Delete", driftPolicy, "Correct", paused, "true", pollInterval, "30s", requested, "whatever", rotateRequested, "whatever", rotationInterval, "720h", connectionRoute, "privatelink/plc1", adoptionPolicy, "Never", recreatePolicy, "Never", acknowledgeRenewal, "0s"},
	} {
		t.Run("allowed: "+name, func(t *testing.T) {
			obj := annotated(e, pairs...)
			require.NoError(t, e.Client.Create(t.Context(), obj))
			require.NoError(t, e.Client.Delete(t.Context(), obj))
		})
	}
}

func TestW08_WhatWasThereBeforeAdmissionCanStillBeEdited(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Idle: true})
	old := annotated(e, deletionPolicy, "Retain")
	e.Create(old)
	other := annotated(e, deletionPolicy, "orphan")
	other.Name = "other"
	e.Admission(other)
	e.Change(old, func() { old.Labels = map[string]string{"team": "orders"} })
	err := e.Client.Patch(t.Context(), old, client.RawPatch("application/merge-patch+json",
		[]byte(`{"metadata":{"annotations":{"`+deletionPolicy+`":"retain"}}}`)))
	require.ErrorContains(t, err, "must be Delete or Orphan", "another typo is one too many")
	e.Annotate(old, deletionPolicy, "Orphan")
}

func TestW11_ProtectionIsRefusedAtAdmission(t *testing.T) {
	t.Parallel()
	e := idle(t)
	on := true
	service := e.Example("postgresql").(*v1alpha1.PostgreSQL)
	service.Spec.TerminationProtection = &on
	database := annotated(e)
	database.Spec.TerminationProtection = &on
	topic := e.Example("kafkatopic").(*v1alpha1.KafkaTopic)
	topic.Spec.TerminationProtection = &on
	for _, obj := range []testenv.Object{service, database, topic} {
		t.Run(obj.GetObjectKind().GroupVersionKind().Kind, func(t *testing.T) {
			e.Create(obj)
			err := e.Client.Delete(t.Context(), obj)
			require.True(t, apierrors.IsForbidden(err), "%v", err)
			assert.Contains(t, err.Error(), "termination protection is on")
			e.Annotate(obj, deletionPolicy, "Orphan")
			require.NoError(t, e.Client.Delete(t.Context(), obj), "Orphan keeps the resource")
		})
	}
	t.Run("what is being deleted may be deleted again", func(t *testing.T) {
		obj := annotated(e)
		obj.Finalizers = []string{finalizer}
		e.Create(obj)
		require.NoError(t, e.Client.Delete(t.Context(), obj))
		e.Get(obj)
		e.Change(obj, func() { obj.Spec.TerminationProtection = &on })
		require.NoError(t, e.Client.Delete(t.Context(), obj))
		e.Change(obj, func() { obj.Finalizers = nil })
	})
}

func TestW11_AProtectedObjectKeepsItsNamespace(t *testing.T) {
	t.Parallel()
	e := idle(t)
	obj := annotated(e)
	on := true
	obj.Spec.TerminationProtection = &on
	e.Create(obj)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: e.Namespace}}
	require.NoError(t, e.Client.Delete(t.Context(), namespace))
	e.Until(func() bool {
		require.NoError(t, e.Client.Get(t.Context(), client.ObjectKeyFromObject(namespace), namespace))
		for _, c := range namespace.Status.Conditions {
			if c.Type == corev1.NamespaceDeletionContentFailure && c.Status == corev1.ConditionTrue {
				return true
			}
		}
		return false
	}, func() string { return "the namespace doesn't say what holds it" })
	e.Get(obj)
	assert.Zero(t, obj.DeletionTimestamp, "the object lives")
	e.Change(obj, func() { obj.Spec.TerminationProtection = nil })
	e.Until(func() bool {
		return apierrors.IsNotFound(e.Client.Get(t.Context(), client.ObjectKeyFromObject(obj), obj))
	}, func() string { return "the object stays although nothing protects it" })
}
