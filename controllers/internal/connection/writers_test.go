package connection

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestWritersOfValuesThatStayAreNamed(t *testing.T) {
	for name, tc := range map[string]struct {
		key  string
		want []string
	}{
		"the value":                    {"KAFKA_PASSWORD", []string{"sync-tool"}},
		"the value without the prefix": {"PASSWORD", []string{"sync-tool"}},
		"something else":               {"KAFKA_HOST", nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			_, err := b.publish(t, target, issued("hush", "u1"))
			require.NoError(t, err)
			secret := b.secret(t)
			secret.Data[tc.key] = []byte("theirs")
			require.NoError(t, b.Update(t.Context(), secret, client.FieldOwner("sync-tool")))
			published, err := b.published(t, target)
			require.NoError(t, err)
			assert.Equal(t, tc.want, published.Writers(issued("", "u1")))
		})
	}
	assert.Empty(t, Published{}.Writers(issued("", "u1")))
}
