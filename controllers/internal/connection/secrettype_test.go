package connection

import (
	"cmp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// publishData publishes as an object of the group aero-operator.io does.
func (b *bench) publishData(t *testing.T, secretType corev1.SecretType) error {
	t.Helper()
	b.writes = nil
	_, err := Publisher{Client: b, Reader: b, FieldManager: "aero"}.PublishData(t.Context(), kafka(), kafkaKind,
		Target{Name: "events", Field: "spec.target", Type: secretType}, map[string][]byte{"key": []byte("pl4nted")})
	return err
}

func TestASecretOfAnotherTypeIsNoPlaceForDataOfAType(t *testing.T) {
	for name, tc := range map[string]struct {
		wanted  corev1.SecretType
		refused bool
	}{
		"another one":      {"servicebinding.io/postgresql", true},
		"the default":      {corev1.SecretTypeOpaque, true},
		"the same":         {"example.com/other", false},
		"none in the spec": {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, &corev1.Secret{
				ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "events", Annotations: map[string]string{annotation.AdoptSecret: "true"}},
				Type:       "example.com/other",
			})
			err := b.publishData(t, tc.wanted)
			if !tc.refused {
				require.NoError(t, err)
				assert.Equal(t, corev1.SecretType("example.com/other"), b.secret(t).Type)
				return
			}
			assert.True(t, fault.Is(err, fault.Invalid))
			require.EqualError(t, err, "spec.target.type: Secret apps/events has the type example.com/other, which can't be changed, and not "+string(tc.wanted)+
				". Delete the Secret, or create another object with another spec.target.name")
			assert.Empty(t, b.writes)
			assert.Empty(t, b.secret(t).Data)
		})
	}
}

func TestTheSecretOfAKindWithoutATypeKeepsItsOwn(t *testing.T) {
	b := newBench(t, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "events", Annotations: map[string]string{annotation.AdoptSecret: "true"}},
		Type:       "example.com/other",
	})
	_, err := b.publish(t, target, kafkaDetails)
	require.NoError(t, err)
	assert.Equal(t, corev1.SecretType("example.com/other"), b.secret(t).Type)
	assert.NotEmpty(t, b.secret(t).Data)
}

// The answer of the API server to bad JSON has a character of it.
func TestARefusalByTheAPIServerIsExplainedWithoutItsAnswer(t *testing.T) {
	const corrects = ". Correct spec.data, or create another object with another type"
	for secretType, needs := range map[corev1.SecretType]string{
		"kubernetes.io/tls":              "the keys tls.crt and tls.key",
		"kubernetes.io/dockerconfigjson": "the key .dockerconfigjson, with JSON in it",
		"kubernetes.io/dockercfg":        "the key .dockercfg, with JSON in it",
		"kubernetes.io/basic-auth":       "the key username or password",
		"kubernetes.io/ssh-auth":         "the key ssh-privatekey, with a value",
		"example.com/checked":            "other keys or values",
		"":                               "other keys or values",
	} {
		refusal := apierrors.NewInvalid(corev1.SchemeGroupVersion.WithKind("Secret").GroupKind(), "events", field.ErrorList{
			field.Invalid(field.NewPath("data[key]"), "<secret contents redacted>", "invalid character 'p'"),
		})
		b := newBench(t)
		for _, verb := range []string{"create", "apply"} {
			t.Run(string(secretType)+" by "+verb, func(t *testing.T) {
				b.fail = map[string]error{verb: refusal}
				err := b.publishData(t, secretType)
				assert.True(t, fault.Is(err, fault.Invalid))
				require.EqualError(t, err, "spec.target.type: the API server refuses the data for the type "+cmp.Or(string(secretType), "of the Secret")+", which needs "+needs+corrects)
				assert.False(t, apierrors.IsInvalid(err), "nothing of the answer is in the error")
			})
			b.fail = nil
			require.NoError(t, b.publishData(t, secretType))
			secret := b.secret(t)
			secret.Data["key"] = []byte("changed by others")
			require.NoError(t, b.Update(t.Context(), secret))
		}
	}
}
