package valkey_test

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/enginetest"
	"github.com/aero-operator/aero/tests/localaiven/engine/valkey"
)

func TestAdminDoesEverythingButChangeTheServer(t *testing.T) {
	s := start(t)
	ctx, client := t.Context(), s.login(t, admin)
	require.NoError(t, client.Set(ctx, "greeting", "grüße", 0).Err())
	assert.Equal(t, "grüße", client.Get(ctx, "greeting").Val())
	require.NoError(t, client.FlushAll(ctx).Err())
	assert.Equal(t, "avnadmin", client.Do(ctx, "ACL", "WHOAMI").Val())
	for _, command := range [][]any{{"CONFIG", "GET", "*"}, {"SHUTDOWN"}, {"ACL", "SETUSER", "eve"}, {"REPLICAOF", "NO", "ONE"}, {"MODULE", "LIST"}} {
		assert.ErrorContains(t, client.Do(ctx, command...).Err(), "NOPERM", command)
	}
}

func TestOnlyVerifiedLoginsWork(t *testing.T) {
	s := start(t)
	cases := map[string]struct {
		change  func(*redis.Options)
		refusal string
	}{
		"the certificate is good for localhost": {change: func(o *redis.Options) { o.Addr = strings.Replace(o.Addr, "127.0.0.1", "localhost", 1) }},
		"plain TCP is refused":                  {func(o *redis.Options) { o.TLSConfig = nil }, " "},
		"a client without the project's CA":     {func(o *redis.Options) { o.TLSConfig.RootCAs = nil }, "certificate"},
		"a wrong password":                      {func(o *redis.Options) { o.Password = "wrong" }, "WRONGPASS"},
		"no user at all":                        {func(o *redis.Options) { o.Username, o.Password = "", "" }, "NOAUTH"},
		"the user default":                      {func(o *redis.Options) { o.Username = "default" }, "WRONGPASS"},
		"the engine's own user":                 {func(o *redis.Options) { o.Username = "@aero-keeper" }, "WRONGPASS"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			options := s.options(admin)
			tc.change(options)
			client := redis.NewClient(options)
			err := client.Set(t.Context(), "key", "value", 0).Err()
			assert.NoError(t, client.Close())
			if tc.refusal == "" {
				require.NoError(t, err)
				return
			}
			require.Error(t, err)
			if tc.refusal != " " {
				require.ErrorContains(t, err, tc.refusal)
			}
		})
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	s := start(t)
	client := s.login(t, admin)
	require.NoError(t, client.Ping(t.Context()).Err())
	require.Len(t, enginetest.Processes(t, s.dir), 1)
	require.NoError(t, s.Close(t.Context()))
	assert.Empty(t, enginetest.Processes(t, s.dir))
	assert.NoDirExists(t, s.dir)
	require.Error(t, client.Ping(t.Context()).Err())
	_, err := net.Dial("tcp", net.JoinHostPort(s.Endpoint().Host, strconv.Itoa(s.Endpoint().Port)))
	require.Error(t, err)
	require.NoError(t, s.Close(t.Context()), "closing twice is fine")
	require.Error(t, s.Users().Set(t.Context(), alice))
}

func TestStartGivesUpOnceItsContextIsDone(t *testing.T) {
	needsValkey(t)
	for name, file := range map[string]string{"before it does anything": "", "with its configuration": "valkey.conf", "while the server starts": "server.log"} {
		t.Run(name, func(t *testing.T) {
			what, _ := spec(t)
			enginetest.GivesUp(t, valkey.New(), what, file)
		})
	}
}

func TestStartRefusesAUsedDirectory(t *testing.T) {
	needsValkey(t)
	what, _ := spec(t)
	enginetest.RefusesUsed(t, valkey.New(), what)
}

func TestServersStartAtOnceInFoldersWithLongPaths(t *testing.T) {
	needsValkey(t)
	var work sync.WaitGroup
	for range 4 {
		what, _ := spec(t)
		what.DataDir = filepath.Join(what.DataDir, strings.Repeat("long ", 30))
		work.Go(func() {
			instance, err := valkey.New().Start(t.Context(), what)
			if assert.NoError(t, err) {
				assert.NoError(t, instance.Close(t.Context()))
			}
		})
	}
	work.Wait()
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	require.ErrorContains(t, valkey.New().Available(), "install the Debian package redis-server")
	what, _ := spec(t)
	_, err := valkey.New().Start(t.Context(), what)
	require.Error(t, err)
	assert.NoDirExists(t, what.DataDir)
}

func TestFilesHoldNoPassword(t *testing.T) {
	s := start(t)
	require.NoError(t, s.Users().Set(t.Context(), alice))
	err := s.Users().Set(t.Context(), engine.Credential{Username: "default", Password: alice.Password})
	require.Error(t, err)
	assert.NotContains(t, err.Error(), alice.Password)
	for _, name := range []string{"server.log", "valkey.conf"} {
		content, err := os.ReadFile(filepath.Join(s.dir, name))
		require.NoError(t, err)
		assert.NotContains(t, string(content), alice.Password)
		assert.NotContains(t, string(content), admin.Password)
	}
}
