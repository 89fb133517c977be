package credentials_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/aero-operator/aero/controllers/internal/credentials"
)

// mount is a volume of a Secret, whose files the kubelet replaces all at once, by a symbolic link to another folder.
type mount struct {
	t      *testing.T
	dir    string
	serial int
}

func newMount(t *testing.T) *mount { return &mount{t: t, dir: t.TempDir()} }

func (m *mount) path() string { return filepath.Join(m.dir, "token") }

// swap puts a file with a value into the volume, or no file.
func (m *mount) swap(value *string) {
	m.t.Helper()
	m.serial++
	version, next := filepath.Join(m.dir, "..version"+strconv.Itoa(m.serial)), filepath.Join(m.dir, "..data_tmp")
	require.NoError(m.t, os.Mkdir(version, 0o700))
	if value != nil {
		require.NoError(m.t, os.WriteFile(filepath.Join(version, "token"), []byte(*value), 0o600))
	}
	require.NoError(m.t, os.Symlink(filepath.Base(version), next))
	require.NoError(m.t, os.Rename(next, filepath.Join(m.dir, "..data")))
	if m.serial == 1 {
		require.NoError(m.t, os.Symlink(filepath.Join("..data", "token"), m.path()))
	}
}

func TestTheFileOfTheDefaultTokenIsChecked(t *testing.T) {
	for name, tc := range map[string]struct {
		value    *string
		optional bool
		want     string
		problem  string
	}{
		"a token":                        {value: new("planted\n"), want: "planted"},
		"an empty file":                  {value: new(" \n"), problem: "the operator's default token is empty"},
		"two tokens":                     {value: new("planted planted"), problem: "the operator's default token isn't a token"},
		"no file":                        {problem: "no such file"},
		"no file that is needed":         {optional: true},
		"an empty file that is optional": {value: new(""), optional: true, problem: "is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMount(t)
			m.swap(tc.value)
			d, err := credentials.ReadDefault(m.path(), tc.optional)
			if tc.problem != "" {
				require.ErrorContains(t, err, tc.problem)
				require.ErrorContains(t, err, m.path())
				assert.NotContains(t, err.Error(), "planted")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.want, d.Value())
		})
	}
}

func TestTheDefaultTokenFollowsItsFile(t *testing.T) {
	m := newMount(t)
	m.swap(nil)
	d, err := credentials.ReadDefault(m.path(), true)
	require.NoError(t, err)
	changes, lines := 0, []string{}
	d.OnChange(func() { changes++ })
	ctx := log.IntoContext(t.Context(), funcr.New(func(_, args string) { lines = append(lines, args) }, funcr.Options{}))
	for _, step := range []struct {
		reason          string
		value           *string
		want            string
		changes, logged int
	}{
		{"it doesn't exist yet", nil, "", 0, 0},
		{"it appears", new("first\n"), "first", 1, 1},
		{"nothing changes", new("first"), "first", 0, 0},
		{"it is rotated", new("second"), "second", 1, 1},
		{"it is emptied", new(""), "second", 0, 1},
		{"it is still empty", new(" "), "second", 0, 0},
		{"it is gone", nil, "second", 0, 1},
		{"it is back as it was", new("second"), "second", 0, 0},
		{"it is gone once more", nil, "second", 0, 1},
		{"it is rotated after that", new("third"), "third", 1, 1},
	} {
		changes, lines = 0, nil
		m.swap(step.value)
		d.Refresh(ctx)
		assert.Equal(t, step.want, d.Value(), step.reason)
		assert.Equal(t, step.changes, changes, step.reason)
		assert.Len(t, lines, step.logged, step.reason)
		for _, line := range lines {
			assert.NotRegexp(t, "first|second|third", line)
		}
	}
}

func TestAFormerDefaultTokenIsForgottenUnlessASecretHasIt(t *testing.T) {
	var forgotten []string
	cluster := fake.NewFakeClient(secret("first"))
	m := newMount(t)
	m.swap(new("first"))
	d, err := credentials.ReadDefault(m.path(), false)
	require.NoError(t, err)
	cache := &credentials.Cache{
		Metadata: cluster, OnForget: func(token credentials.Token) { forgotten = append(forgotten, token.Reveal()) },
	}
	r := credentials.Resolver{Reader: cluster, Cache: cache, Default: d}
	r.Follow()
	_, err = r.Token(t.Context(), "apps", ref("aiven", "token"))
	require.NoError(t, err)
	rotate := func(value string) {
		m.swap(&value)
		d.Refresh(log.IntoContext(t.Context(), logr.Discard()))
	}
	rotate("second")
	assert.Empty(t, forgotten, "the Secret has it")
	rotate("third")
	assert.Equal(t, []string{"second"}, forgotten)
	token, err := r.Token(t.Context(), "apps", nil)
	require.NoError(t, err)
	assert.Equal(t, "third", token.Reveal())
	rotate("first")
	cache.Forget(client.ObjectKeyFromObject(secret("")))
	assert.Equal(t, []string{"second", "third"}, forgotten, "the file has it")
}
