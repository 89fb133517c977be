package connection

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
)

// renamed is the target of an object whose details were published under the name of target.
var renamed = Target{Name: "orders", Former: target.Name, Prefix: target.Prefix}

func TestTheFormerSecretLosesWhatIsOurs(t *testing.T) {
	credentials := detailsOf("HOST", "a", "PASSWORD", "hush")
	strangers := metav1.OwnerReference{APIVersion: "v1", Kind: "Kafka", Name: "else", UID: "else", Controller: new(true)}
	for name, tc := range map[string]struct {
		change  func(s *corev1.Secret)
		fail    map[string]error
		problem string
		keys    []string // of the former Secret afterwards
		writes  []string
	}{
		"credentials":                {writes: []string{"create", "patch", "apply"}},
		"but not a key of a user":    {change: func(s *corev1.Secret) { s.Data["MINE"] = []byte("x") }, keys: []string{"MINE"}, writes: []string{"create", "patch", "apply"}},
		"but not if it is another's": {change: func(s *corev1.Secret) { s.OwnerReferences[0] = strangers }, keys: []string{"KAFKA_HOST", "KAFKA_PASSWORD"}, writes: []string{"create"}},
		"but not if it has no owner": {change: func(s *corev1.Secret) { s.OwnerReferences = nil }, keys: []string{"KAFKA_HOST", "KAFKA_PASSWORD"}, writes: []string{"create"}},
		"unless it is immutable": {
			change: func(s *corev1.Secret) { s.Immutable = new(true) }, keys: []string{"KAFKA_HOST", "KAFKA_PASSWORD"}, writes: []string{"create"},
			problem: "Secret apps/events is immutable, and has the connection details that are in Secret orders now: delete it",
		},
		"but not before the new one is published": {
			fail: map[string]error{"create": errors.New("quota")}, keys: []string{"KAFKA_HOST", "KAFKA_PASSWORD"}, writes: []string{"create"}, problem: "quota",
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			_, err := b.publish(t, target, credentials)
			require.NoError(t, err)
			if tc.change != nil {
				secret := b.secret(t)
				tc.change(secret)
				require.NoError(t, b.Update(t.Context(), secret, client.FieldOwner("kubectl-edit")))
			}
			b.fail = tc.fail
			_, err = b.publish(t, renamed, credentials)
			if tc.problem == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tc.problem)
			}
			assert.Equal(t, tc.writes, b.writes)
			var keys []string
			for key := range b.secret(t).Data {
				keys = append(keys, key)
			}
			assert.ElementsMatch(t, tc.keys, keys)
			if tc.problem == "" {
				_, err = b.publish(t, renamed, credentials)
				require.NoError(t, err)
				assert.Empty(t, b.writes, "it is done once")
			}
		})
	}
}

func TestAFormerSecretThatIsGoneOrUnreadable(t *testing.T) {
	b := newBench(t)
	_, err := b.publish(t, renamed, kafkaDetails)
	require.NoError(t, err)
	assert.Equal(t, []string{"create"}, b.writes)

	_, err = b.publish(t, target, kafkaDetails)
	require.NoError(t, err)
	b.fail["apply"] = apierrors.NewInternalError(errors.New("down"))
	_, err = b.publish(t, renamed, kafkaDetails)
	require.ErrorContains(t, err, "down", "credentials don't stay behind because of an error")
	delete(b.fail, "apply")
	_, err = b.publish(t, renamed, kafkaDetails)
	require.NoError(t, err)
	assert.Empty(t, b.secret(t).Data)
	assert.Equal(t, kafkaOwner.UID, b.secret(t).OwnerReferences[0].UID, "it goes with its owner")
}

func TestAValueThatAivenReturnsOnceIsTakenFromTheFormerSecret(t *testing.T) {
	b := newBench(t)
	_, err := b.publish(t, target, detailsOf("PASSWORD", "hush"))
	require.NoError(t, err)
	secret := b.secret(t)
	secret.Immutable = new(true)
	require.NoError(t, b.Update(t.Context(), secret, client.FieldOwner("kubectl-edit")))
	published, err := b.published(t, renamed)
	require.NoError(t, err)
	require.NoError(t, published.Problem)
	value, ok := published.Value("PASSWORD", "")
	assert.True(t, ok)
	assert.Equal(t, "hush", value)

	published, err = b.published(t, Target{Name: "orders", Former: "unknown"})
	require.NoError(t, err)
	_, ok = published.Value("PASSWORD", "")
	assert.False(t, ok)
}

func TestAValueIsTakenFromTheFormerSecretOnlyBeforeTheNewOneHasSome(t *testing.T) {
	b := newBench(t)
	_, err := b.publish(t, target, detailsOf("PASSWORD", "hush"))
	require.NoError(t, err)
	adopted := adoptable()
	adopted.Name = renamed.Name
	require.NoError(t, b.Create(t.Context(), adopted))
	password := func() string {
		published, err := b.published(t, renamed)
		require.NoError(t, err)
		require.NoError(t, published.Problem)
		value, _ := published.Value("PASSWORD", "")
		return value
	}
	assert.Equal(t, "hush", password())
	_, err = b.publish(t, Target{Name: renamed.Name, Prefix: target.Prefix}, detailsOf("PASSWORD", "new"))
	require.NoError(t, err)
	assert.Equal(t, "new", password())
	_, err = b.published(t, Target{Name: "events", Prefix: target.Prefix, Former: "unknown"})
	require.NoError(t, err, "there is no former one to read")
}

func TestTheFormerNameIsThatOfTheStatus(t *testing.T) {
	user := &v1alpha1.ServiceUser{ObjectMeta: metav1.ObjectMeta{Name: "joe"}}
	for last, want := range map[string]string{"": "", "joe": "", "old": "old"} {
		user.Status.Binding = nil
		if last != "" {
			user.Status.Binding = &v1alpha1.SecretBinding{Name: last}
		}
		assert.Equal(t, want, targetOf(user, "ServiceUser", &v1alpha1.SecretFields{}).Former)
	}
}
