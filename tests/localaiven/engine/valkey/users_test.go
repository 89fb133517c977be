package valkey_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/engine"
)

func TestAccessIsEnforced(t *testing.T) {
	s := start(t)
	get, set, publish := []any{"GET", "app:1"}, []any{"SET", "app:1", "x"}, []any{"PUBLISH", "chat", "x"}
	cases := map[string]struct {
		access    engine.Access
		may, mayn [][]any
	}{
		"no access at all": {engine.Access{}, nil, [][]any{get, set, publish, {"PING"}}},
		"everything":       {everything, [][]any{get, set, publish, {"FLUSHDB"}}, [][]any{{"CONFIG", "GET", "*"}}},
		"keys of a pattern": {
			engine.Access{Keys: []string{"app:*", "one"}, Categories: []string{"+@all"}},
			[][]any{get, set, {"GET", "one"}}, [][]any{{"GET", "other"}, {"GET", "one2"}, publish},
		},
		"keys to read only": {
			engine.Access{Keys: []string{"%R~app:*"}, Categories: []string{"+@all"}}, [][]any{get}, [][]any{set},
		},
		"a channel": {
			engine.Access{Channels: []string{"chat"}, Categories: []string{"+@all"}}, [][]any{publish}, [][]any{{"PUBLISH", "other", "x"}, get},
		},
		"categories in their order": {
			engine.Access{Keys: []string{"*"}, Categories: []string{"+@all", "-@write"}}, [][]any{get, {"PING"}}, [][]any{set},
		},
		"commands after categories": {
			engine.Access{Keys: []string{"*"}, Categories: []string{"-@all", "+@read"}, Commands: []string{"+set", "-get"}},
			[][]any{set, {"STRLEN", "app:1"}}, [][]any{get, {"DEL", "app:1"}},
		},
		"what the server doesn't know": {
			engine.Access{Keys: []string{"*"}, Categories: []string{"+@later"}, Commands: []string{"+later", "-later|one", "+get"}},
			[][]any{get}, [][]any{set},
		},
		"what is for no user": {
			engine.Access{Categories: []string{"+@all"}, Commands: []string{"+acl|setuser", "+shutdown"}}, nil,
			[][]any{{"ACL", "SETUSER", "alice-1", "+@all"}, {"SHUTDOWN"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			user := engine.Credential{Username: "bob", Password: "secret", Access: tc.access}
			require.NoError(t, s.Users().Set(t.Context(), user))
			client := s.login(t, user)
			for _, command := range tc.may {
				if err := client.Do(t.Context(), command...).Err(); err != nil {
					assert.EqualError(t, err, "redis: nil", command)
				}
			}
			for _, command := range tc.mayn {
				assert.ErrorContains(t, client.Do(t.Context(), command...).Err(), "NOPERM", command)
			}
		})
	}
}

func TestAccessChangesUnderAnOpenSession(t *testing.T) {
	s := start(t)
	require.NoError(t, s.Users().Set(t.Context(), alice))
	client := s.login(t, alice)
	require.NoError(t, client.Set(t.Context(), "key", "value", 0).Err())
	reader := engine.Credential{Username: alice.Username, Access: engine.Access{Keys: []string{"*"}, Categories: []string{"+@read"}}}

	require.NoError(t, s.Users().Set(t.Context(), reader))

	require.ErrorContains(t, client.Set(t.Context(), "key", "value", 0).Err(), "NOPERM")
	assert.Equal(t, "value", client.Get(t.Context(), "key").Val())
	assert.Equal(t, "value", s.login(t, alice).Get(t.Context(), "key").Val(), "the password is still the same")
}

func TestUserGetsANewPassword(t *testing.T) {
	s := start(t)
	require.NoError(t, s.Users().Set(t.Context(), alice))
	require.NoError(t, s.Users().Set(t.Context(), alice), "setting it twice is fine")
	renewed := engine.Credential{Username: alice.Username, Password: "renewed", Access: everything}

	require.NoError(t, s.Users().Set(t.Context(), renewed))

	require.ErrorContains(t, s.login(t, alice).Ping(t.Context()).Err(), "WRONGPASS")
	require.NoError(t, s.login(t, renewed).Ping(t.Context()).Err())
}

func TestRemovedUserIsGoneAtOnce(t *testing.T) {
	s := start(t)
	require.NoError(t, s.Users().Set(t.Context(), alice))
	client := s.login(t, alice)
	require.NoError(t, client.Set(t.Context(), "kept", "value", 0).Err())

	require.NoError(t, s.Users().Remove(t.Context(), alice.Username))

	require.Error(t, client.Ping(t.Context()).Err(), "its sessions end")
	require.ErrorContains(t, s.login(t, alice).Ping(t.Context()).Err(), "WRONGPASS")
	assert.Equal(t, "value", s.login(t, admin).Get(t.Context(), "kept").Val())
	require.NoError(t, s.Users().Remove(t.Context(), alice.Username), "removing it twice is fine")
	require.NoError(t, s.Users().Set(t.Context(), alice), "the name is free")
}

func TestNamesThatNoUserCanHave(t *testing.T) {
	s := start(t)
	for _, name := range []string{"", "default", "@aero-keeper", "@aero-probe", "two words", "two\nlines"} {
		t.Run(name, func(t *testing.T) {
			require.Error(t, s.Users().Set(t.Context(), engine.Credential{Username: name, Password: "x"}))
			require.Error(t, s.Users().Remove(t.Context(), name))
		})
	}
	require.Error(t, s.Users().Set(t.Context(), engine.Credential{Username: "bob"}), "no password")
	assert.Nil(t, s.Databases())
	assert.Nil(t, s.Pools())
}
