package connection

import (
	"context"
	"errors"
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
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

func TestANewSecretIsWrittenOnce(t *testing.T) {
	b := newBench(t)
	for i, want := range [][]string{{"create"}, nil, nil} {
		changed, err := b.publish(t, target, kafkaDetails)
		require.NoError(t, err)
		assert.Equal(t, i == 0, changed)
		assert.Equal(t, want, b.writes, "publication %d", i)
	}
	secret := b.secret(t)
	want := Render(kafkaOwner, target, kafkaDetails)
	assert.Equal(t, want.Data, secret.Data)
	assert.Equal(t, want.Labels, secret.Labels)
	assert.Equal(t, want.OwnerReferences, secret.OwnerReferences)
	require.Len(t, secret.ManagedFields, 1)
	assert.Equal(t, "aero", secret.ManagedFields[0].Manager)
	assert.Equal(t, metav1.ManagedFieldsOperationUpdate, secret.ManagedFields[0].Operation)
}

func TestTheFirstChangeMigratesTheFieldManagers(t *testing.T) {
	b := newBench(t)
	for i, tc := range []struct {
		details Info
		writes  []string
	}{
		{detailsOf("HOST", "a", "PORT", "1"), []string{"create"}},
		{detailsOf("HOST", "a"), []string{"patch", "apply"}},
		{detailsOf("HOST", "b"), []string{"apply"}},
		{detailsOf("HOST", "b"), nil},
	} {
		_, err := b.publish(t, target, tc.details)
		require.NoError(t, err)
		assert.Equal(t, tc.writes, b.writes, "publication %d", i)
		secret := b.secret(t)
		assert.Equal(t, Render(kafkaOwner, target, tc.details).Data, secret.Data)
		require.Len(t, secret.ManagedFields, 1)
	}
	assert.Equal(t, metav1.ManagedFieldsOperationApply, b.secret(t).ManagedFields[0].Operation)
}

func TestAPostWhoseAnswerWasLostIsNotRepeated(t *testing.T) {
	b := newBench(t)
	b.lose = "create"
	_, err := b.publish(t, target, kafkaDetails)
	require.ErrorContains(t, err, "creating Secret apps/events")
	b.lose = ""
	for name, reader := range map[string]client.Reader{"with a read that shows it": b, "with a cache that is behind": &late{Reader: b}} {
		b.writes = nil
		changed, err := Publisher{Client: b, Reader: reader, FieldManager: "aero"}.
			Publish(t.Context(), kafka(), kafkaKind, target, kafkaDetails)
		require.NoError(t, err, name)
		assert.False(t, changed, name)
		assert.NotContains(t, b.writes, "apply", name)
		assert.NotContains(t, b.writes, "patch", name)
	}
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
		details Info
	}{
		"without details":             {target, Info{}},
		"with details that are empty": {target, Info{Layout: keys(map[string]string{}, map[string]string{})}},
		"while Aiven redacts a value": {target, Info{Layout: keys(map[string]string{"HOST": "h", "PASSWORD": "<redacted>"}, nil)}},
		"while it redacts an address": {target, Info{Layout: keys(map[string]string{"HOST": "h"}, map[string]string{"DATABASE_URI": "pg://a:%3Credacted%3E@h"})}},
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

func TestChangesAreAppliedOnce(t *testing.T) {
	cases := map[string]struct {
		reason  string
		disturb func(*corev1.Secret)
		target  Target
		details Info
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
		"when another client overwrote a value": {
			reason:  "the Secret has the values of Aiven",
			disturb: func(s *corev1.Secret) { s.Data["KAFKA_HOST"] = []byte("elsewhere") },
			target:  target, details: detailsOf("HOST", "a", "PORT", "1"),
			check: func(t *testing.T, s *corev1.Secret) { assert.Equal(t, "a", string(s.Data["KAFKA_HOST"])) },
		},
		"when another client removed a key": {
			reason:  "applications need it",
			disturb: func(s *corev1.Secret) { delete(s.Data, "KAFKA_HOST") },
			target:  target, details: detailsOf("HOST", "a", "PORT", "1"),
			check: func(t *testing.T, s *corev1.Secret) { assert.Equal(t, "a", string(s.Data["KAFKA_HOST"])) },
		},
		"when another client removed a label of ours": {
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
			for _, port := range []string{"0", "1"} { // the first change migrates the field managers
				_, err := b.publish(t, target, detailsOf("HOST", "a", "PORT", port))
				require.NoError(t, err)
			}
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
			assert.False(t, changed, "the second time nothing differs")
			assert.Empty(t, b.writes, "the second time nothing differs")
		})
	}
}

func TestWhatOthersAddedIsNoDifference(t *testing.T) {
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

func TestAnErrorOfTheAPIIsReturned(t *testing.T) {
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

func TestApplyIsBoundToWhatWasCompared(t *testing.T) {
	b := newBench(t)
	for _, host := range []string{"0", "a"} {
		_, err := b.publish(t, target, detailsOf("HOST", host))
		require.NoError(t, err)
	}
	live := b.secret(t)
	var sent *applycorev1.SecretApplyConfiguration
	spy := interceptor.NewClient(b, interceptor.Funcs{
		Apply: func(ctx context.Context, c client.WithWatch, obj runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
			copied := *obj.(*applycorev1.SecretApplyConfiguration)
			sent = &copied
			return c.Apply(ctx, obj, opts...)
		},
	})
	_, err := Publisher{Client: spy, Reader: b, FieldManager: "aero"}.
		Publish(t.Context(), kafka(), kafkaKind, target, detailsOf("HOST", "b"))
	require.NoError(t, err)
	require.NotNil(t, sent)
	assert.Equal(t, live.UID, *sent.UID)
	assert.Equal(t, live.ResourceVersion, *sent.ResourceVersion)
}
