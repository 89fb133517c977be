package connection

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/annotation"
)

func TestSecretOfAivenOperatorForTheSameObjectIsTakenOver(t *testing.T) {
	for _, manager := range []string{"manager", "aiven-operator", "renamed-binary"} {
		t.Run(manager, func(t *testing.T) {
			b := newBench(t)
			legacy := Render(kafkaOwner, target, detailsOf("HOST", "a", "STALE", "b"))
			legacy.Labels = map[string]string{"team": "old"}
			require.NoError(t, b.Create(t.Context(), legacy, client.FieldOwner(manager)))
			edited := b.secret(t)
			edited.Data["EXTRA"] = []byte("theirs")
			require.NoError(t, b.Update(t.Context(), edited, client.FieldOwner("kubectl-edit")))

			changed, err := b.publish(t, target, detailsOf("HOST", "a"))
			require.NoError(t, err)
			assert.True(t, changed)
			assert.Equal(t, []string{"patch", "apply"}, b.writes)
			secret := b.secret(t)
			assert.Equal(t, map[string]string{"KAFKA_HOST": "a", "EXTRA": "theirs"}, keysOf(secret))
			assert.Equal(t, Render(kafkaOwner, target, Info{}).Labels, secret.Labels)

			_, err = b.publish(t, target, detailsOf("HOST", "a"))
			require.NoError(t, err)
			assert.Empty(t, b.writes)
		})
	}
}

func TestAChangeThatWasCutShortIsCompletedLater(t *testing.T) {
	for _, verb := range []string{"patch", "apply"} {
		for _, lost := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, its answer lost: %t", verb, lost), func(t *testing.T) {
				b := newBench(t)
				_, err := b.publish(t, target, detailsOf("HOST", "a", "PORT", "1"))
				require.NoError(t, err)
				if lost {
					b.lose = verb
				} else {
					b.fail[verb] = errors.New("connection reset")
				}
				_, err = b.publish(t, target, detailsOf("HOST", "a"))
				require.ErrorContains(t, err, "connection reset")

				b.lose = ""
				delete(b.fail, verb)
				_, err = b.publish(t, target, detailsOf("HOST", "a"))
				require.NoError(t, err)
				assert.Equal(t, map[string]string{"KAFKA_HOST": "a"}, keysOf(b.secret(t)))
			})
		}
	}
}

func existing(refs ...metav1.OwnerReference) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "events", OwnerReferences: refs},
		Data:       map[string][]byte{"theirs": []byte("hush")},
	}
}

// adoptable has the consent of a user who may write Secrets.
func adoptable(refs ...metav1.OwnerReference) *corev1.Secret {
	secret := existing(refs...)
	secret.Annotations = map[string]string{annotation.AdoptSecret: "true"}
	return secret
}

func TestSecretOfAnotherOwnerIsLeftAlone(t *testing.T) {
	deleted := metav1.Now()
	dying := existing(kafkaOwner.reference())
	dying.DeletionTimestamp, dying.Finalizers = &deleted, []string{"example.org/wait"}
	predecessor := kafkaOwner
	predecessor.UID = "older"
	olderVersion := predecessor
	olderVersion.GVK.Version = "v1alpha0"
	deployment := Owner{GVK: schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, Name: "web", UID: "d"}
	namesake := Owner{GVK: schema.GroupVersionKind{Group: "other.org", Version: "v1", Kind: "Kafka"}, Name: "events", UID: "o"}
	notController := kafkaOwner.reference()
	notController.Controller = nil

	cases := map[string]struct {
		secret  *corev1.Secret
		says    string
		pending bool
	}{
		"when its controller is another kind": {
			secret: existing(deployment.reference()), says: "Secret apps/events belongs to Deployment web. Choose another spec.connInfoSecretTarget.name;",
		},
		"when its controller is another kind, even if adoption is allowed": {
			secret: adoptable(deployment.reference()), says: "Secret apps/events belongs to Deployment web",
		},
		"when its controller is a namesake of another group": {
			secret: existing(namesake.reference()), says: "Secret apps/events belongs to Kafka events",
		},
		"when it has no controller, and no consent of its own (review M4)": {
			secret: existing(), says: "Secret apps/events exists and has no controller",
		},
		"when it names the owner, but not as its controller": {
			secret: existing(notController), says: "Secret apps/events exists and has no controller",
		},
		"when its controller is a predecessor of the owner": {
			secret: existing(predecessor.reference()), pending: true,
			says: "Secret apps/events belongs to a deleted Kafka of the same name: waiting until it is garbage-collected",
		},
		"when its controller is a predecessor in another version of the API": {
			secret: existing(olderVersion.reference()), pending: true, says: "garbage-collected",
		},
		"when it is being deleted": {
			secret: dying, pending: true, says: "Secret apps/events is being deleted: waiting until it is gone",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, tc.secret)
			before := b.secret(t)
			changed, err := b.publish(t, Target{Name: "events", Prefix: "KAFKA_"}, kafkaDetails)
			require.ErrorContains(t, err, tc.says)
			assert.False(t, changed)
			assert.Empty(t, b.writes)
			assert.Equal(t, before, b.secret(t))
			assert.NotContains(t, err.Error(), "hush")
			var ownership *OwnershipError
			var pending *PendingError
			assert.Equal(t, !tc.pending, errors.As(err, &ownership))
			assert.Equal(t, tc.pending, errors.As(err, &pending))
		})
	}
}

func TestSecretWithoutControllerIsAdoptedOnRequest(t *testing.T) {
	secret := adoptable()
	secret.Type = corev1.SecretTypeBasicAuth
	secret.Labels = map[string]string{ManagedByLabel: "Helm"}
	b := newBench(t, secret)
	adopting := Target{Name: "events", Prefix: "KAFKA_"}
	changed, err := b.publish(t, adopting, detailsOf("HOST", "a"))
	require.NoError(t, err)
	assert.True(t, changed)
	assert.Equal(t, []string{"apply"}, b.writes)
	got := b.secret(t)
	assert.Equal(t, map[string]string{"KAFKA_HOST": "a", "theirs": "hush"}, keysOf(got))
	assert.Equal(t, kafkaOwner.UID, metav1.GetControllerOf(got).UID)
	assert.Equal(t, corev1.SecretTypeBasicAuth, got.Type, "the type of a Secret can't be changed")
	assert.Equal(t, "Helm", got.Labels[ManagedByLabel])

	_, err = b.publish(t, adopting, detailsOf("HOST", "a"))
	require.NoError(t, err)
	assert.Empty(t, b.writes)
}

func TestImmutableSecretIsRefusedOnlyIfItsDataIsOutdated(t *testing.T) {
	b := newBench(t)
	_, err := b.publish(t, target, detailsOf("HOST", "a", "PORT", "1"))
	require.NoError(t, err)
	secret := b.secret(t)
	secret.Immutable = new(true)
	require.NoError(t, b.Update(t.Context(), secret, client.FieldOwner("kubectl-edit")))

	_, err = b.publish(t, Target{Name: "events", Prefix: "KAFKA_", Labels: map[string]string{"a": "b"}}, detailsOf("HOST", "a", "PORT", "1"))
	require.NoError(t, err, "labels of an immutable Secret may change")
	for name, details := range map[string]Info{
		"another value": detailsOf("HOST", "hush", "PORT", "1"),
		"one key less":  detailsOf("HOST", "a"),
	} {
		_, err = b.publish(t, target, details)
		require.ErrorContains(t, err, "Secret apps/events is immutable and its data is outdated", name)
		assert.NotContains(t, err.Error(), "hush")
		assert.Empty(t, b.writes)
	}
}

// late is a reader that finds nothing the first time, as if the Secret was created between the read and the POST.
type late struct {
	client.Reader
	asked bool
}

func (l *late) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	if !l.asked {
		l.asked = true
		return apierrors.NewNotFound(schema.GroupResource{Resource: "secrets"}, key.Name)
	}
	return l.Reader.Get(ctx, key, obj, opts...)
}

func TestSecretThatCameMeanwhileIsCheckedToo(t *testing.T) {
	t.Run("and refused if it belongs to another owner", func(t *testing.T) {
		b := newBench(t, existing())
		_, err := Publisher{Client: b, Reader: &late{Reader: b}, FieldManager: "aero"}.
			Publish(t.Context(), kafka(), kafkaKind, target, kafkaDetails)
		var ownership *OwnershipError
		require.ErrorAs(t, err, &ownership)
		assert.Equal(t, map[string]string{"theirs": "hush"}, keysOf(b.secret(t)))
	})
	t.Run("and brought up to date if it is ours", func(t *testing.T) {
		b := newBench(t)
		_, err := b.publish(t, target, detailsOf("HOST", "a"))
		require.NoError(t, err)
		changed, err := Publisher{Client: b, Reader: &late{Reader: b}, FieldManager: "aero"}.
			Publish(t.Context(), kafka(), kafkaKind, target, detailsOf("HOST", "b"))
		require.NoError(t, err)
		assert.True(t, changed)
		assert.Equal(t, map[string]string{"KAFKA_HOST": "b"}, keysOf(b.secret(t)))
	})
}
