package connection

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func (b *bench) published(t *testing.T, target Target) (Published, error) {
	t.Helper()
	return Publisher{Client: b, Reader: b, FieldManager: "aero"}.Published(t.Context(), kafka(), kafkaKind, target)
}

func TestPublishedValues(t *testing.T) {
	const hush = "hush-hush"
	withPassword := Info{Layout: keys(map[string]string{"HOST": "a", "PASSWORD": hush}, map[string]string{"PASSWORD": hush})}
	kubectl := client.FieldOwner("kubectl-edit")
	edit := func(t *testing.T, b *bench, change func(*corev1.Secret)) {
		secret := b.secret(t)
		change(secret)
		require.NoError(t, b.Update(t.Context(), secret, kubectl))
	}
	for name, tc := range map[string]struct {
		prepare func(*testing.T, *bench)
		target  Target
		want    string
		problem string
	}{
		"a Secret that doesn't exist": {prepare: func(*testing.T, *bench) {}, target: target},
		"what our POST wrote is ours": {target: target, want: hush},
		"what we applied is ours": {
			prepare: func(t *testing.T, b *bench) {
				for _, details := range []Info{detailsOf("HOST", "a"), withPassword} {
					_, err := b.publish(t, target, details)
					require.NoError(t, err)
				}
			},
			target: target, want: hush,
		},
		"what aiven-operator wrote for the object is ours": {
			prepare: func(t *testing.T, b *bench) {
				require.NoError(t, b.Create(t.Context(), Render(kafkaOwner, target, withPassword), client.FieldOwner("manager")))
			},
			target: target, want: hush,
		},
		"a value without the prefix serves when the prefix has changed": {target: Target{Name: "events", Prefix: "NEW_"}, want: hush},
		"a value that was overwritten isn't ours": {
			prepare: func(t *testing.T, b *bench) {
				_, err := b.publish(t, target, detailsOf("PASSWORD", hush))
				require.NoError(t, err)
				edit(t, b, func(s *corev1.Secret) { s.Data["KAFKA_PASSWORD"] = []byte("theirs") })
			},
			target: target,
		},
		"a key that was added isn't ours": {
			prepare: func(t *testing.T, b *bench) {
				_, err := b.publish(t, target, detailsOf("HOST", "a"))
				require.NoError(t, err)
				edit(t, b, func(s *corev1.Secret) { s.Data["PASSWORD"] = []byte("theirs") })
			},
			target: target,
		},
		"nothing is published where that is turned off": {
			target: Target{Name: "events", Disabled: true}, problem: "spec.connInfoSecretTargetDisabled is set",
		},
		"nothing is published to an impossible name": {target: Target{Name: "My_Secret"}, problem: "spec.connInfoSecretTarget.name: "},
		"nothing is published to a Secret of another owner": {
			prepare: func(t *testing.T, b *bench) { require.NoError(t, b.Create(t.Context(), existing())) },
			target:  target, problem: "Secret apps/events exists and has no controller",
		},
		"a Secret may be adopted on request": {
			prepare: func(t *testing.T, b *bench) { require.NoError(t, b.Create(t.Context(), adoptable())) },
			target:  target,
		},
		"nothing is published to an immutable Secret, but its values are known": {
			prepare: func(t *testing.T, b *bench) {
				_, err := b.publish(t, target, withPassword)
				require.NoError(t, err)
				edit(t, b, func(s *corev1.Secret) { s.Immutable = new(true) })
			},
			target: target, want: hush, problem: "Secret apps/events is immutable",
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			if tc.prepare == nil {
				_, err := b.publish(t, target, withPassword)
				require.NoError(t, err)
			} else {
				tc.prepare(t, b)
			}
			b.writes = nil
			published, err := b.published(t, tc.target)
			require.NoError(t, err)
			assert.Empty(t, b.writes)
			value, ok := published.Value("PASSWORD", "")
			assert.Equal(t, tc.want, value)
			assert.Equal(t, tc.want != "", ok)
			if tc.problem == "" {
				require.NoError(t, published.Problem)
			} else {
				require.ErrorContains(t, published.Problem, tc.problem)
			}
			for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
				text := fmt.Sprintf(verb, published)
				assert.NotContains(t, text, hush, verb)
				assert.NotContains(t, text, fmt.Sprintf("%x", hush), verb)
			}
		})
	}
}

func TestASecretThatCannotBeReadIsNotAbsent(t *testing.T) {
	b := newBench(t)
	b.fail["get"] = errors.New("connection refused")
	_, err := b.published(t, target)
	require.ErrorIs(t, err, b.fail["get"])
}

func TestAKeyThatAivenNoLongerReturnsStays(t *testing.T) {
	full := Info{Layout: keys(map[string]string{"HOST": "a", "PASSWORD": "hush", "OTHER": "x"}, map[string]string{"PASSWORD": "hush"})}
	without := func(host string, keep ...string) Info {
		return Info{Layout: keys(map[string]string{"HOST": host}, nil), Keep: keep}
	}
	for name, tc := range map[string]struct {
		target  Target
		details Info
		edit    func(*corev1.Secret)
		want    map[string]string
		writes  []string
	}{
		"while nothing else changes": {
			target: target, details: without("a", "PASSWORD", "OTHER"),
			want: map[string]string{"KAFKA_HOST": "a", "KAFKA_PASSWORD": "hush", "PASSWORD": "hush", "KAFKA_OTHER": "x"},
		},
		"while other values change": {
			target: target, details: without("b", "PASSWORD", "OTHER"), writes: []string{"patch", "apply"},
			want: map[string]string{"KAFKA_HOST": "b", "KAFKA_PASSWORD": "hush", "PASSWORD": "hush", "KAFKA_OTHER": "x"},
		},
		"and a key that isn't kept goes": {
			target: target, details: without("a", "PASSWORD"), writes: []string{"patch", "apply"},
			want: map[string]string{"KAFKA_HOST": "a", "KAFKA_PASSWORD": "hush", "PASSWORD": "hush"},
		},
		"also under another prefix": {
			target: Target{Name: "events", Prefix: "NEW_"}, details: without("a", "PASSWORD"), writes: []string{"patch", "apply"},
			want: map[string]string{"NEW_HOST": "a", "NEW_PASSWORD": "hush", "PASSWORD": "hush"},
		},
		"and a new value replaces it": {
			target: target, writes: []string{"patch", "apply"},
			details: Info{Layout: keys(map[string]string{"HOST": "a", "PASSWORD": "new"}, map[string]string{"PASSWORD": "new"}), Keep: []string{"PASSWORD", "OTHER"}},
			want:    map[string]string{"KAFKA_HOST": "a", "KAFKA_PASSWORD": "new", "PASSWORD": "new", "KAFKA_OTHER": "x"},
		},
		"but what another client wrote over it isn't taken over": {
			target: target, details: without("a", "PASSWORD", "OTHER"), writes: nil,
			edit: func(s *corev1.Secret) { s.Data["KAFKA_OTHER"] = []byte("theirs") },
			want: map[string]string{"KAFKA_HOST": "a", "KAFKA_PASSWORD": "hush", "PASSWORD": "hush", "KAFKA_OTHER": "theirs"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			_, err := b.publish(t, target, full)
			require.NoError(t, err)
			if tc.edit != nil {
				secret := b.secret(t)
				tc.edit(secret)
				require.NoError(t, b.Update(t.Context(), secret, client.FieldOwner("kubectl-edit")))
			}
			_, err = b.publish(t, tc.target, tc.details)
			require.NoError(t, err)
			assert.Equal(t, tc.want, keysOf(b.secret(t)))
			assert.Equal(t, tc.writes, b.writes)
			_, err = b.publish(t, tc.target, tc.details)
			require.NoError(t, err)
			assert.Equal(t, tc.want, keysOf(b.secret(t)))
			assert.Empty(t, b.writes, "the second time nothing differs")
		})
	}
}

func TestCredentialsAreLostIfNeitherTheSecretNorTheDetailsHaveThem(t *testing.T) {
	withPassword := Info{Layout: keys(map[string]string{"PASSWORD": "x"}, nil), Keep: []string{"PASSWORD"}}
	without := Info{Layout: keys(map[string]string{"HOST": "a"}, nil), Keep: []string{"PASSWORD"}}
	secret := Published{prefix: "KAFKA_", data: func() map[string][]byte { return map[string][]byte{"KAFKA_PASSWORD": []byte("x")} }}
	for name, tc := range map[string]struct {
		published Published
		details   Info
		want      bool
	}{
		"neither has them":                               {Published{}, without, true},
		"the Secret has them":                            {secret, without, false},
		"the details have them":                          {Published{}, withPassword, false},
		"nothing is returned once":                       {Published{}, Info{}, false},
		"nothing is lost where nothing can be published": {Published{Problem: errDisabled}, without, false},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tc.want, tc.published.Lacks(tc.details)) })
	}
}

func TestPasswordsAndValuesThatStayAreSecretsOfTexts(t *testing.T) {
	b := newBench(t)
	_, err := b.publish(t, target, detailsOf("TOKEN", "published"))
	require.NoError(t, err)
	published, err := b.published(t, target)
	require.NoError(t, err)
	secrets := published.Secrets(Info{Layout: keys(map[string]string{"HOST": "db.example.com", "USERNAME": "joe", "PASSWORD": "p", "SASL_PASSWORD": "s", "ID": "i"}, nil), Keep: []string{"TOKEN", "ID"}})
	assert.ElementsMatch(t, []string{"p", "s", "i", "published", ""}, secrets)
	assert.Empty(t, Published{}.Secrets(Info{Layout: keys(map[string]string{"HOST": "db.example.com"}, nil)}))
}
