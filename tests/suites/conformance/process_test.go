package conformance_test

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/tests/harness/testenv"
)

// Secrets of others: 20 MB in all.
const (
	strangers    = 120
	strangerSize = 512 << 10
	// flat is what the memory of a process moves by itself: its first object may be ready before all controllers have
	// started. It is half of what the Secrets hold.
	flat = 30 << 20
)

func TestI02_SecretsAreWatchedByTheirMetadataOnly(t *testing.T) {
	e := testenv.New(t, testenv.Options{Outside: true})
	e.Aiven.Service(e.Project, serviceName)
	first, second := e.Example("serviceuser"), e.Example("database")
	v := newVictim(e, trap{})
	e.Create(first)
	e.Wait(first, testenv.Ready())
	before := v.memory()
	for i := range strangers {
		e.Create(&corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: e.Namespace, Name: fmt.Sprintf("stranger-%d", i)},
			Data:       map[string][]byte{"data": bytes.Repeat([]byte("x"), strangerSize)},
		})
	}
	e.Create(second)
	e.Wait(second, testenv.Ready())
	assert.Less(t, v.memory()-before, flat, "Secrets of others must not be in the operator's memory")

	v.mu.Lock()
	defer v.mu.Unlock()
	require.NotEmpty(t, v.secrets)
	for _, accepts := range v.secrets {
		assert.Contains(t, accepts, "as=PartialObjectMetadata")
	}
}

// memory is what the process has allocated, in bytes.
func (v *victim) memory() int {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", v.program.Pid()))
	require.NoError(v.T, err)
	for line := range strings.Lines(string(content)) {
		if value, found := strings.CutPrefix(line, "RssAnon:"); found {
			kilobytes, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")))
			require.NoError(v.T, err)
			return kilobytes << 10
		}
	}
	require.Fail(v.T, "the kernel doesn't report the memory of the process")
	return 0
}

func TestQ14_AnObjectInANamespaceThatIsNotWatchedIsLeftAlone(t *testing.T) {
	t.Parallel()
	e, elsewhere := testenv.New(t, testenv.Options{Kinds: []string{"Database"}}), testenv.New(t, testenv.Options{Idle: true})
	e.Aiven.Service(e.Project, serviceName)
	ours, theirs := e.Example("database"), elsewhere.Example("database")
	elsewhere.Create(theirs)
	e.Create(ours)
	e.Wait(ours, testenv.Ready())
	e.Rest(2)
	elsewhere.Get(theirs)
	assert.Empty(t, theirs.GetFinalizers())
	assert.Empty(t, theirs.GetCommonStatus().Conditions)
}
