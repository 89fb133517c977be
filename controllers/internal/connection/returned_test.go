package connection

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestWhatAivenHasReturnedIsRememberedUntilItIsPublishedAndForAWhileAfterAReset(t *testing.T) {
	for name, tc := range map[string]struct {
		reset     bool
		published bool
		after     time.Duration
		want      bool
	}{
		"a creation that isn't published":        {after: time.Hour, want: true},
		"a creation that is published":           {published: true},
		"a reset that isn't published":           {reset: true, after: time.Hour, want: true},
		"a reset that is published":              {reset: true, published: true, after: resetPause - 1, want: true},
		"a reset that was published a while ago": {reset: true, published: true, after: resetPause},
	} {
		t.Run(name, func(t *testing.T) {
			b, now := newBench(t), time.Now()
			returned := &Returned{Now: func() time.Time { return now }}
			p := Publisher{Client: b, Reader: b, FieldManager: "aero", Returned: returned}
			returned.Record(kafkaOwner.UID, issued("hush", "u1"), tc.reset)
			if !tc.published {
				b.fail["create"] = errors.New("refused")
			}
			_, err := p.Publish(t.Context(), kafka(), kafkaKind, target, issued("hush", "u1"))
			require.Equal(t, tc.published, err == nil)
			if tc.published {
				require.NoError(t, b.Delete(t.Context(), b.secret(t)))
			}
			now = now.Add(tc.after)
			known, err := p.Published(t.Context(), kafka(), kafkaKind, target)
			require.NoError(t, err)
			value, ok := known.Value("PASSWORD", "u1")
			assert.Equal(t, tc.want, ok)
			assert.Equal(t, tc.want, value == "hush")
			assert.Equal(t, !tc.want, known.Lacks(issued("", "u1")))
			assert.True(t, known.Lacks(issued("", "u2")), "it isn't another's")
			assert.True(t, known.Lacks(issued("", "")), "which may be another")
			if tc.want {
				assert.Contains(t, known.Secrets(issued("", "u1")), "hush")
			}
			for _, verb := range []string{"%v", "%+v", "%#v"} {
				assert.NotContains(t, fmt.Sprintf(verb, known), "hush")
			}
			returned.Forget(kafkaOwner.UID)
			known, err = p.Published(t.Context(), kafka(), kafkaKind, target)
			require.NoError(t, err)
			assert.True(t, known.Lacks(issued("", "u1")))
		})
	}
}

// The Secret may have the password before a reset, where that of the reset couldn't be published.
func TestWhatAivenHasReturnedLastComesBeforeWhatIsPublished(t *testing.T) {
	b := newBench(t)
	p := Publisher{Client: b, Reader: b, FieldManager: "aero", Returned: &Returned{Now: time.Now}}
	_, err := p.Publish(t.Context(), kafka(), kafkaKind, target, issued("former", "u1"))
	require.NoError(t, err)
	p.Returned.Record(kafkaOwner.UID, issued("latest", "u1"), false)
	known, err := p.Published(t.Context(), kafka(), kafkaKind, target)
	require.NoError(t, err)
	value, _ := known.Value("PASSWORD", "u1")
	assert.Equal(t, "latest", value)
}

func TestOnlyWhatAivenReturnsOnceIsRemembered(t *testing.T) {
	for name, details := range map[string]Info{
		"nothing is returned once": detailsOf("PASSWORD", "hush"),
		"it wasn't returned":       {Layout: keys(map[string]string{"PASSWORD": Missing}, nil), Keep: []string{"PASSWORD"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			p := Publisher{Client: b, Reader: b, FieldManager: "aero", Returned: &Returned{Now: time.Now}}
			p.Returned.Record(kafkaOwner.UID, details, true)
			known, err := p.Published(t.Context(), kafka(), kafkaKind, target)
			require.NoError(t, err)
			_, ok := known.Value("PASSWORD", "")
			assert.False(t, ok)
			require.ErrorIs(t, client.IgnoreNotFound(b.Get(t.Context(), client.ObjectKeyFromObject(kafka()), kafka())), nil)
		})
	}
}
