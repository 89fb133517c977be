package connection

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// lost are details whose password is to be issued again.
var lost = Info{Layout: keys(map[string]string{"HOST": "a", "PASSWORD": Missing}, map[string]string{"URI": "ch://app:" + Missing + "@a"}), Keep: []string{"PASSWORD"}}

func (b *bench) dryRun(t *testing.T, details Info) error {
	t.Helper()
	b.writes = nil
	recorded := func(types.NamespacedName, string) { t.Error("nothing was written") }
	return Publisher{Client: b, Reader: b, FieldManager: "aero", RecordWrite: recorded}.DryRun(t.Context(), kafka(), kafkaKind, target, details)
}

func TestDryRunNeedsToReadTheSecret(t *testing.T) {
	b := newBench(t)
	b.fail["get"] = errors.New("connection refused")
	require.ErrorIs(t, b.dryRun(t, lost), b.fail["get"])
	assert.Empty(t, b.writes)
}

func TestDryRunAsksForPermission(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "events", errors.New("no"))
	for name, tc := range map[string]struct {
		exists bool
		fail   string
		writes []string
	}{
		"to create a Secret":              {writes: []string{"create"}},
		"to create one, which is refused": {fail: "create", writes: []string{"create"}},
		"to change one":                   {exists: true, writes: []string{"patch", "apply"}},
		"to change one, which is refused": {exists: true, fail: "apply", writes: []string{"patch", "apply"}},
		"to own the fields of one":        {exists: true, fail: "patch", writes: []string{"patch"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			if tc.exists {
				_, err := b.publish(t, target, kafkaDetails)
				require.NoError(t, err)
			}
			if tc.fail != "" {
				b.fail[tc.fail] = forbidden
			}
			err := b.dryRun(t, lost)
			assert.Equal(t, tc.fail != "", apierrors.IsForbidden(err))
			assert.Equal(t, tc.writes, b.writes)
			if tc.exists {
				assert.Equal(t, Render(kafkaOwner, target, kafkaDetails).Data, b.secret(t).Data)
				return
			}
			err = b.Get(t.Context(), client.ObjectKey{Namespace: "apps", Name: "events"}, &corev1.Secret{})
			assert.True(t, apierrors.IsNotFound(err), "nothing is written")
		})
	}
}

// A policy may refuse a key, and a quota the size of what is in it.
func TestDryRunIsAboutTheKeysThatWillBePublished(t *testing.T) {
	for name, tc := range map[string]struct {
		details Info
		want    []string
	}{
		"with what else is known": {lost, []string{"KAFKA_HOST", "KAFKA_PASSWORD", "URI"}},
		"with nothing else":       {Info{Keep: []string{"PASSWORD"}}, []string{"KAFKA_PASSWORD"}},
	} {
		for _, exists := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				b := newBench(t)
				if exists {
					_, err := b.publish(t, target, kafkaDetails)
					require.NoError(t, err)
				}
				refused := errors.New("refused by a policy")
				b.admit = func(data map[string][]byte) error {
					for _, key := range tc.want {
						assert.NotContains(t, string(data[key]), Missing)
						assert.NotEmpty(t, data[key], key)
					}
					assert.GreaterOrEqual(t, len(data["KAFKA_PASSWORD"]), 24, "as long as Aiven's")
					return refused
				}
				require.ErrorIs(t, b.dryRun(t, tc.details), refused)
			})
		}
	}
}

func TestDetailsWithAMissingValueArePublishedNowhereAndLost(t *testing.T) {
	b := newBench(t)
	_, err := b.publish(t, target, lost)
	require.NoError(t, err)
	assert.Empty(t, b.writes)
	assert.True(t, Published{}.Lacks(lost))
	assert.NotContains(t, Published{}.Secrets(lost), Missing)
}
