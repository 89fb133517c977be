package connection

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

func TestImpossibleTargetsAreRefusedBeforeAnyCall(t *testing.T) {
	cases := map[string]struct {
		target  Target
		details Info
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
			says: "(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'). Recreate the object with another spec.connInfoSecretTarget.name",
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

func TestAKeyOfASpecThatSecretsCannotHaveIsNamed(t *testing.T) {
	b := newBench(t)
	_, err := Publisher{Client: b, Reader: b, FieldManager: "aero"}.PublishData(t.Context(), kafka(), kafkaKind,
		Target{Name: "events", Field: "spec.target"}, map[string][]byte{"..": nil})
	require.EqualError(t, err, "spec.data[..]: must not be '..'")
	assert.True(t, fault.Is(err, fault.Invalid))
	assert.Empty(t, b.writes)
}

func TestDetailsMayBeAsLargeAsKubernetesAllows(t *testing.T) {
	require.NoError(t, validateSize(&corev1.Secret{Data: map[string][]byte{"HOST": make([]byte, corev1.MaxSecretSize)}}))
}
