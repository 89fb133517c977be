package connection

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/annotation"
)

// issued are details with a password that Aiven returns once, for the resource with an id.
func issued(password, id string) Info {
	values := map[string]string{"HOST": "a"}
	if password != "" {
		values["PASSWORD"] = password
	}
	return Info{Layout: keys(values, nil), Keep: []string{"PASSWORD"}, IssuedFor: id}
}

func TestAValueIsOfTheResourceThatItWasPublishedFor(t *testing.T) {
	for name, tc := range map[string]struct {
		published, id string
		want          bool
	}{
		"the same":                     {"u1", "u1", true},
		"another":                      {"u1", "u2", false},
		"it was published without one": {"", "u2", true},
		"the resource has none":        {"u1", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			_, err := b.publish(t, target, issued("hush", tc.published))
			require.NoError(t, err)
			assert.Equal(t, tc.published, b.secret(t).Annotations[annotation.CredentialsIssuedFor])
			published, err := b.published(t, target)
			require.NoError(t, err)
			_, known := published.Value("PASSWORD", tc.id)
			assert.Equal(t, tc.want, known)
			assert.Equal(t, !tc.want, published.Lacks(issued("", tc.id)))
			assert.Contains(t, published.Secrets(issued("", tc.id)), "hush", "no text may hold that of another, either")

			_, err = b.publish(t, target, issued("", tc.id))
			require.NoError(t, err)
			assert.Equal(t, tc.want, keysOf(b.secret(t))["KAFKA_PASSWORD"] == "hush", "what is another's isn't kept")
		})
	}
}

func TestAnIdOfDetailsWithoutAValueThatStaysIsPublished(t *testing.T) {
	b := newBench(t)
	details := issued("hush", "")
	details.Keep = nil
	_, err := b.publish(t, target, details)
	require.NoError(t, err)
	details.IssuedFor = "u1"
	_, err = b.publish(t, target, details)
	require.NoError(t, err)
	assert.Equal(t, "u1", b.secret(t).Annotations[annotation.CredentialsIssuedFor])
}

func TestTheIdIsPublishedTogetherWithAnotherValueOnly(t *testing.T) {
	user := Target{Name: "events", Prefix: "KAFKA_", Annotations: map[string]string{annotation.CredentialsIssuedFor: "of-the-user", "team": "a"}}
	for name, tc := range map[string]struct {
		target  Target
		details Info
		want    string
	}{
		"the value stays":                              {target, issued("hush", "u1"), ""},
		"Aiven no longer returns it":                   {target, issued("", "u1"), ""},
		"the value changes":                            {target, issued("new", "u1"), "u1"},
		"a user sets the annotation, and it changes":   {user, issued("new", "u1"), "u1"},
		"the value gets another prefix":                {Target{Name: "events", Prefix: "NEW_"}, issued("hush", "u1"), ""},
		"the value moves to a Secret of another name":  {Target{Name: "moved", Former: "events", Prefix: "KAFKA_"}, issued("hush", "u1"), ""},
		"and with another value, it is that of it all": {Target{Name: "moved", Former: "events", Prefix: "KAFKA_"}, issued("new", "u1"), "u1"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			details := issued("hush", "")
			details.Layout = details.Layout.Twice("PASSWORD")
			_, err := b.publish(t, target, details)
			require.NoError(t, err)
			tc.details.Layout = tc.details.Layout.Twice()
			for range 2 {
				_, err = b.publish(t, tc.target, tc.details)
				require.NoError(t, err)
			}
			assert.Empty(t, b.writes, "the second time nothing differs")
			secret := b.secret(t)
			require.NoError(t, b.Get(t.Context(), client.ObjectKey{Namespace: "apps", Name: tc.target.Name}, secret))
			assert.Equal(t, tc.want, secret.Annotations[annotation.CredentialsIssuedFor])
		})
	}
}
