package connection

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

// bench is a cluster with a journal of the writes that reach it.
type bench struct {
	client.WithWatch
	writes []string
	fail   map[string]error // by verb
}

func newBench(t *testing.T, objects ...client.Object) *bench {
	t.Helper()
	b := &bench{fail: map[string]error{}}
	note := func(verb string) error {
		b.writes = append(b.writes, verb)
		return b.fail[verb]
	}
	b.WithWatch = fake.NewClientBuilder().WithReturnManagedFields().WithObjects(objects...).
		WithInterceptorFuncs(interceptor.Funcs{
			Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
				if err := b.fail["get"]; err != nil {
					return err
				}
				return c.Get(ctx, key, obj, opts...)
			},
			Create: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
				if err := note("create"); err != nil {
					return err
				}
				return c.Create(ctx, obj, opts...)
			},
			Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
				if err := note("patch"); err != nil {
					return err
				}
				return c.Patch(ctx, obj, patch, opts...)
			},
			Apply: func(ctx context.Context, c client.WithWatch, obj runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
				if err := note("apply"); err != nil {
					return err
				}
				return c.Apply(ctx, obj, opts...)
			},
		}).Build()
	return b
}

func (b *bench) publish(t *testing.T, target Target, details Details) (bool, error) {
	t.Helper()
	b.writes = nil
	publisher := Publisher{Client: b, Reader: b, FieldManager: "aero"}
	return publisher.Publish(t.Context(), kafka(), kafkaKind, target, details)
}

func (b *bench) secret(t *testing.T) *corev1.Secret {
	t.Helper()
	secret := &corev1.Secret{}
	require.NoError(t, b.Get(t.Context(), client.ObjectKey{Namespace: "apps", Name: "events"}, secret))
	return secret
}

func kafka() client.Object {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "events", UID: kafkaOwner.UID}}
}

var target = Target{Name: "events", Prefix: "KAFKA_"}

func detailsOf(pairs ...string) Details {
	details := Details{Prefixed: map[string]string{}}
	for i := 0; i < len(pairs); i += 2 {
		details.Prefixed[pairs[i]] = pairs[i+1]
	}
	return details
}

func keysOf(secret *corev1.Secret) map[string]string {
	keys := map[string]string{}
	for key, value := range secret.Data {
		keys[key] = string(value)
	}
	return keys
}

func TestFirstPublicationIsAPostThatBecomesOurApply(t *testing.T) {
	b := newBench(t)
	changed, err := b.publish(t, target, kafkaDetails)
	require.NoError(t, err)
	assert.True(t, changed)
	assert.Equal(t, []string{"create", "patch"}, b.writes)

	secret := b.secret(t)
	want := Render(kafkaOwner, target, kafkaDetails)
	assert.Equal(t, want.Data, secret.Data)
	assert.Equal(t, want.Labels, secret.Labels)
	assert.Equal(t, want.OwnerReferences, secret.OwnerReferences)
	require.Len(t, secret.ManagedFields, 1)
	assert.Equal(t, "aero", secret.ManagedFields[0].Manager)
	assert.Equal(t, metav1.ManagedFieldsOperationApply, secret.ManagedFields[0].Operation)
}

func TestNothingIsWrittenAtRest(t *testing.T) {
	b := newBench(t)
	_, err := b.publish(t, target, kafkaDetails)
	require.NoError(t, err)
	before := b.secret(t)
	changed, err := b.publish(t, target, kafkaDetails)
	require.NoError(t, err)
	assert.False(t, changed)
	assert.Empty(t, b.writes)
	assert.Equal(t, before, b.secret(t))
}

func TestK01_K03_NothingIsPublished(t *testing.T) {
	b := newBench(t)
	for name, tc := range map[string]struct {
		target  Target
		details Details
	}{
		"without details":             {target, Details{}},
		"with details that are empty": {target, Details{Prefixed: map[string]string{}, Legacy: map[string]string{}}},
		"when turned off":             {Target{Name: "events", Disabled: true}, kafkaDetails},
	} {
		t.Run(name, func(t *testing.T) {
			changed, err := b.publish(t, tc.target, tc.details)
			require.NoError(t, err)
			assert.False(t, changed)
			assert.Empty(t, b.writes)
		})
	}
}

func TestLaterPublicationsAreAppliedOnce(t *testing.T) {
	cases := map[string]struct {
		reason  string
		disturb func(*corev1.Secret)
		target  Target
		details Details
		check   func(*testing.T, *corev1.Secret)
	}{
		"when a value changed": {
			reason: "a rotated password has to reach the application",
			target: target, details: detailsOf("HOST", "a", "PORT", "2"),
			check: func(t *testing.T, s *corev1.Secret) {
				assert.Equal(t, map[string]string{"KAFKA_HOST": "a", "KAFKA_PORT": "2"}, keysOf(s))
			},
		},
		"when a key is no longer wanted": {
			reason: "an outdated key misleads",
			target: target, details: detailsOf("HOST", "a"),
			check: func(t *testing.T, s *corev1.Secret) {
				assert.Equal(t, map[string]string{"KAFKA_HOST": "a"}, keysOf(s))
			},
		},
		"when the prefix changed": {
			reason: "the keys under the old prefix were ours",
			target: Target{Name: "events", Prefix: "NEW_"}, details: detailsOf("HOST", "a", "PORT", "1"),
			check: func(t *testing.T, s *corev1.Secret) {
				assert.Equal(t, map[string]string{"NEW_HOST": "a", "NEW_PORT": "1"}, keysOf(s))
			},
		},
		"when somebody wrote over a value": {
			reason:  "the Secret says what Aiven says",
			disturb: func(s *corev1.Secret) { s.Data["KAFKA_HOST"] = []byte("elsewhere") },
			target:  target, details: detailsOf("HOST", "a", "PORT", "1"),
			check: func(t *testing.T, s *corev1.Secret) { assert.Equal(t, "a", string(s.Data["KAFKA_HOST"])) },
		},
		"when somebody removed a key": {
			reason:  "applications need it",
			disturb: func(s *corev1.Secret) { delete(s.Data, "KAFKA_HOST") },
			target:  target, details: detailsOf("HOST", "a", "PORT", "1"),
			check: func(t *testing.T, s *corev1.Secret) { assert.Equal(t, "a", string(s.Data["KAFKA_HOST"])) },
		},
		"when somebody removed a label of ours": {
			reason:  "caches may select by it",
			disturb: func(s *corev1.Secret) { delete(s.Labels, OwnerKindLabel) },
			target:  target, details: detailsOf("HOST", "a", "PORT", "1"),
			check: func(t *testing.T, s *corev1.Secret) { assert.Equal(t, "Kafka", s.Labels[OwnerKindLabel]) },
		},
		"when the target has labels and annotations now": {
			reason: "the user edited the spec",
			target: Target{
				Name: "events", Prefix: "KAFKA_", Labels: map[string]string{"team": "red"},
				Annotations: map[string]string{"note": "x"},
			},
			details: detailsOf("HOST", "a", "PORT", "1"),
			check: func(t *testing.T, s *corev1.Secret) {
				assert.Equal(t, "red", s.Labels["team"])
				assert.Equal(t, "x", s.Annotations["note"])
			},
		},
		"and what others added stays": {
			reason: "their keys and labels are theirs",
			disturb: func(s *corev1.Secret) {
				s.Data["EXTRA"], s.Labels["extra"] = []byte("theirs"), "theirs"
				s.Annotations = map[string]string{"extra": "theirs"}
			},
			target: target, details: detailsOf("HOST", "b"),
			check: func(t *testing.T, s *corev1.Secret) {
				assert.Equal(t, map[string]string{"KAFKA_HOST": "b", "EXTRA": "theirs"}, keysOf(s))
				assert.Equal(t, "theirs", s.Labels["extra"])
				assert.Equal(t, "theirs", s.Annotations["extra"])
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			_, err := b.publish(t, target, detailsOf("HOST", "a", "PORT", "1"))
			require.NoError(t, err)
			if tc.disturb != nil {
				secret := b.secret(t)
				tc.disturb(secret)
				require.NoError(t, b.Update(t.Context(), secret, client.FieldOwner("kubectl-edit")))
			}
			changed, err := b.publish(t, tc.target, tc.details)
			require.NoError(t, err, tc.reason)
			assert.True(t, changed, tc.reason)
			assert.Equal(t, []string{"apply"}, b.writes, tc.reason)
			tc.check(t, b.secret(t))

			changed, err = b.publish(t, tc.target, tc.details)
			require.NoError(t, err)
			assert.False(t, changed, "the second time is rest")
			assert.Empty(t, b.writes, "the second time is rest")
		})
	}
}

func TestWhatOthersAddedDisturbsNoRest(t *testing.T) {
	b := newBench(t)
	_, err := b.publish(t, target, kafkaDetails)
	require.NoError(t, err)
	secret := b.secret(t)
	secret.Data["EXTRA"], secret.Labels["extra"], secret.Labels[ManagedByLabel] = []byte("x"), "x", "Helm"
	require.NoError(t, b.Update(t.Context(), secret, client.FieldOwner("helm")))

	changed, err := b.publish(t, target, kafkaDetails)
	require.NoError(t, err)
	assert.False(t, changed)
	assert.Empty(t, b.writes)
	assert.Equal(t, "Helm", b.secret(t).Labels[ManagedByLabel])
	assert.Contains(t, b.secret(t).Data, "EXTRA")
}

func TestSecretOfAnotherOperatorForTheSameObjectIsTakenOver(t *testing.T) {
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
			assert.Equal(t, Render(kafkaOwner, target, Details{}).Labels, secret.Labels)

			_, err = b.publish(t, target, detailsOf("HOST", "a"))
			require.NoError(t, err)
			assert.Empty(t, b.writes)
		})
	}
}

func TestMigrationThatWasCutShortIsMadeUpFor(t *testing.T) {
	b := newBench(t)
	b.fail["patch"] = errors.New("connection reset")
	changed, err := b.publish(t, target, detailsOf("HOST", "a", "PORT", "1"))
	require.ErrorIs(t, err, b.fail["patch"])
	assert.ErrorContains(t, err, "migrating the field managers of Secret apps/events")
	assert.True(t, changed, "the Secret was created")

	delete(b.fail, "patch")
	_, err = b.publish(t, target, detailsOf("HOST", "a"))
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"KAFKA_HOST": "a"}, keysOf(b.secret(t)))
}

func existing(refs ...metav1.OwnerReference) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "events", OwnerReferences: refs},
		Data:       map[string][]byte{"theirs": []byte("hush")},
	}
}

func TestSecretOfSomebodyElseIsLeftAlone(t *testing.T) {
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
		adopt   bool
		says    string
		pending bool
	}{
		"when its controller is another kind": {
			secret: existing(deployment.reference()), says: "Secret apps/events belongs to Deployment web",
		},
		"when its controller is another kind, even if adoption is allowed": {
			secret: existing(deployment.reference()), adopt: true, says: "Secret apps/events belongs to Deployment web",
		},
		"when its controller is a namesake of another group": {
			secret: existing(namesake.reference()), says: "Secret apps/events belongs to Kafka events",
		},
		"when it has no controller": {
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
			changed, err := b.publish(t, Target{Name: "events", Prefix: "KAFKA_", AdoptExisting: tc.adopt}, kafkaDetails)
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
	secret := existing()
	secret.Type = corev1.SecretTypeBasicAuth
	secret.Labels = map[string]string{ManagedByLabel: "Helm"}
	b := newBench(t, secret)
	adopting := Target{Name: "events", Prefix: "KAFKA_", AdoptExisting: true}
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
	for name, details := range map[string]Details{
		"another value": detailsOf("HOST", "hush", "PORT", "1"),
		"one key less":  detailsOf("HOST", "a"),
	} {
		_, err = b.publish(t, target, details)
		require.ErrorContains(t, err, "Secret apps/events is immutable and its data is outdated", name)
		assert.NotContains(t, err.Error(), "hush")
		assert.Empty(t, b.writes)
	}
}

func TestImpossibleTargetsAreRefusedBeforeAnyCall(t *testing.T) {
	cases := map[string]struct {
		target  Target
		details Details
		class   fault.Class
		says    string
	}{
		"a prefix with a character that keys can't have": {
			target: Target{Name: "events", Prefix: "MY KAFKA/"}, details: kafkaDetails, class: fault.Invalid,
			says: `spec.connInfoSecretTarget.prefix: Invalid value: "MY KAFKA/": makes the key "MY KAFKA/HOST": `,
		},
		"a prefix that is too long": {
			target: Target{Name: "events", Prefix: strings.Repeat("X", 250)}, details: kafkaDetails, class: fault.Invalid,
			says: "spec.connInfoSecretTarget.prefix: ",
		},
		"a name that Secrets can't have": {
			target: Target{Name: "My_Secret"}, details: kafkaDetails, class: fault.Invalid,
			says: "spec.connInfoSecretTarget.name: ",
		},
		"a label that can't be": {
			target: Target{Name: "events", Labels: map[string]string{"a": "not a label"}}, details: kafkaDetails,
			class: fault.Invalid, says: "spec.connInfoSecretTarget.labels",
		},
		"an annotation that can't be": {
			target:  Target{Name: "events", Annotations: map[string]string{"not a key": "x"}},
			details: kafkaDetails, class: fault.Invalid, says: "spec.connInfoSecretTarget.annotations",
		},
		"details that are too large": {
			target: target, details: detailsOf("HOST", strings.Repeat("x", corev1.MaxSecretSize+1)), class: fault.Unknown,
			says: "connection details are too large for Secret apps/events: 1048577 bytes, Kubernetes allows 1048576",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			_, err := b.publish(t, tc.target, tc.details)
			require.ErrorContains(t, err, tc.says)
			assert.Equal(t, tc.class, fault.Of(err).Class)
			assert.NotContains(t, err.Error(), "hush")
			assert.Empty(t, b.writes)
		})
	}
}

func TestTroubleWithTheAPIPassesThrough(t *testing.T) {
	for verb, says := range map[string]string{
		"get":    "reading Secret apps/events",
		"create": "creating Secret apps/events",
		"apply":  "applying Secret apps/events",
	} {
		t.Run(verb, func(t *testing.T) {
			b := newBench(t)
			if verb == "apply" {
				_, err := b.publish(t, target, detailsOf("HOST", "a"))
				require.NoError(t, err)
			}
			b.fail[verb] = apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "events", errors.New("no"))
			changed, err := b.publish(t, target, detailsOf("HOST", "hush"))
			require.ErrorContains(t, err, says)
			assert.True(t, apierrors.IsForbidden(err))
			assert.False(t, changed)
			assert.NotContains(t, err.Error(), "hush")
		})
	}
}

// late is a reader that finds nothing the first time, as if the Secret came between the read and the POST.
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
	t.Run("and refused if it is somebody else's", func(t *testing.T) {
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

func TestApplyIsBoundToWhatWasCompared(t *testing.T) {
	b := newBench(t)
	_, err := b.publish(t, target, detailsOf("HOST", "a"))
	require.NoError(t, err)
	live := b.secret(t)
	var sent *applycorev1.SecretApplyConfiguration
	spy := interceptor.NewClient(b, interceptor.Funcs{
		Apply: func(ctx context.Context, c client.WithWatch, obj runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
			copied := *obj.(*applycorev1.SecretApplyConfiguration)
			sent = &copied
			return c.Apply(ctx, obj, opts...)
		},
	})
	_, err = Publisher{Client: spy, Reader: b, FieldManager: "aero"}.
		Publish(t.Context(), kafka(), kafkaKind, target, detailsOf("HOST", "b"))
	require.NoError(t, err)
	require.NotNil(t, sent)
	assert.Equal(t, live.UID, *sent.UID)
	assert.Equal(t, live.ResourceVersion, *sent.ResourceVersion)
}
