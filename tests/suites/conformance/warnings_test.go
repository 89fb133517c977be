package conformance_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// warnings collects those that the API server answers.
type warnings []string

func (w *warnings) HandleWarningHeader(_ int, _, text string) { *w = append(*w, text) }

// warned is a user, with the warnings that are answered.
func warned(e *testenv.Env) (client.Client, *warnings) {
	config, heard := e.RESTConfig(), &warnings{}
	config.WarningHandler = heard
	user, err := client.New(config, client.Options{Scheme: e.Client.Scheme()})
	require.NoError(e.T, err)
	return user, heard
}

// A typo in the name of an annotation has no effect: without a warning, deletion-policies: Orphan is as good as Delete.
func TestW08_AnAnnotationWithoutEffectIsWarnedOf(t *testing.T) {
	t.Parallel()
	e := idle(t)
	user, heard := warned(e)
	create := func(obj client.Object) []string {
		*heard = nil
		require.NoError(t, user.Create(t.Context(), obj, client.DryRunAll))
		return slices.Clone(*heard)
	}
	const typo = "controllers.aiven.io/deletion-policies"
	e.Until(func() bool { return len(create(annotated(e, typo, "Orphan"))) > 0 }, func() string { return "no warning" })
	says := strings.Join(create(annotated(e, typo, "Orphan", "team", "orders", paused, "true")), "\n")
	assert.Contains(t, says, "annotations without effect on a Database: "+typo)
	assert.Contains(t, says, "deletion-policy, ")
	assert.NotContains(t, says, "team")
	assert.NotContains(t, says, "create-attempted", "users don't set what the operator writes")

	secret := &aero.ConnectionSecret{ObjectMeta: metav1.ObjectMeta{Namespace: e.Namespace, Name: "checkout", Annotations: map[string]string{deletionPolicy: "Orphan"}}}
	secret.Spec.SourceRef, secret.Spec.Presets = aero.SourceReference{Kind: "PostgreSQL", Name: "my-pg"}, []aero.Preset{aero.PresetLibpq}
	assert.Contains(t, strings.Join(create(secret), "\n"), "annotations without effect on a ConnectionSecret: "+deletionPolicy)
	users := &aero.ServiceUserRotation{ObjectMeta: metav1.ObjectMeta{Namespace: e.Namespace, Name: "checkout"}}
	users.Spec.UserRefs, users.Spec.Presets = []aero.UserReference{{Name: "a"}, {Name: "b"}}, secret.Spec.Presets
	users.Spec.RotationInterval = metav1.Duration{Duration: time.Hour}
	for _, tc := range []struct {
		name, value string
		obj         client.Object
		effect      bool
	}{
		{paused, "true", secret, true},
		{paused, "true", users, true},
		{requested, "now", secret, true},
		{requested, "now", users, true},
		{rotateRequested, "now", secret, false},
		{rotateRequested, "now", users, true},
		{rotationInterval, "1h", secret, false},
		{rotationInterval, "1h", users, false},
	} {
		tc.obj.SetAnnotations(map[string]string{tc.name: tc.value})
		tc.obj.SetResourceVersion("")
		kind := reflect.TypeOf(tc.obj).Elem().Name()
		says := create(tc.obj)
		if tc.effect {
			assert.Empty(t, says, "%s: %s", kind, tc.name)
			continue
		}
		assert.Contains(t, strings.Join(says, "\n"), "annotations without effect on a "+kind+": "+tc.name+". ")
	}
	assert.Empty(t, create(annotated(e,
		deletionPolicy, "Orphan", managementPolicy, "Observe", driftPolicy, "Report", paused, "false", pollInterval, "1m30s", rotationInterval, "1h",
		connectionRoute, "public", adoptionPolicy, "AdoptOrCreate", recreatePolicy, "Always", transferTo, "apps/my-pg.copy", confirmDataLoss, "17",
		requested, "now", rotateRequested, "now", changePolicy, "HoldAll", approvedChanges, strings.Repeat("0", 40),
		acknowledgeRenewal, "168h", "controllers.aiven.io/instance-is-running", "true",
		"controllers.aiven.io/generation-was-processed", "1", "controllers.aiven.io/taken-over", "1", "controllers.aiven.io/create-attempted", "x",
	)))
}

// A typo at a Namespace is worse than one at an object: with allowed-project, its objects may use all projects that a token reaches.
func TestW08_AnAnnotationOfANamespaceWithoutEffectIsWarnedOf(t *testing.T) {
	t.Parallel()
	e := idle(t)
	user, heard := warned(e)
	annotate := func(annotations map[string]string) string {
		was := &corev1.Namespace{}
		require.NoError(t, user.Get(t.Context(), client.ObjectKey{Name: e.Namespace}, was))
		now := was.DeepCopy()
		now.Annotations, *heard = annotations, nil
		require.NoError(t, user.Patch(t.Context(), now, client.MergeFrom(was), client.DryRunAll))
		return strings.Join(*heard, "\n")
	}
	const prefix = "controllers.aiven.io/"
	e.Until(func() bool { return annotate(map[string]string{prefix + "allowed-project": "p"}) != "" }, func() string { return "no warning" })
	for name, tc := range map[string]struct{ annotation, value, says string }{
		"a typo":             {"allowed-project", "p", "annotations without effect on a Namespace: " + prefix + "allowed-project. Those with an effect: adoption-policy, "},
		"one of objects":     {"paused", "true", "annotations without effect on a Namespace: " + prefix + "paused. "},
		"another adoption":   {"adoption-policy", "adopt", "must be Never, Adopt or AdoptOrCreate"},
		"another recreation": {"recreate-policy", "true", "must be Never or Always"},
		"another change":     {"change-policy", "Hold", "must be Auto, HoldDisruptive or HoldAll. Another value counts as HoldAll"},
		"another route":      {"connection-route", "vpc", "must be dynamic, public, private or privatelink"},
	} {
		assert.Contains(t, annotate(map[string]string{prefix + tc.annotation: tc.value}), tc.says, name)
	}
	assert.Empty(t, annotate(map[string]string{
		"team": "orders", prefix + "adoption-policy": "Adopt", prefix + "recreate-policy": "Always", prefix + "change-policy": "HoldAll",
		prefix + "connection-route": "privatelink/1", prefix + "token-secret": "team-a", prefix + "allowed-projects": "",
	}))
	assert.Empty(t, annotate(nil))
}
