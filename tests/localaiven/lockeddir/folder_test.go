package lockeddir_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/lockeddir"
)

func TestATemporaryFolderIsSweptOnceItsOwnerWasKilled(t *testing.T) {
	for name, c := range map[string]struct {
		age    time.Duration
		locked bool
		swept  bool
	}{
		"an old one without a lock goes":         {age: time.Hour, swept: true},
		"an old one in use stays":                {age: time.Hour, locked: true},
		"a new one may not have been locked yet": {age: 0},
	} {
		t.Run(name, func(t *testing.T) {
			temp := t.TempDir()
			t.Setenv("TMPDIR", temp)
			dir := filepath.Join(temp, "some-1")
			require.NoError(t, os.Mkdir(dir, 0o700))
			if c.locked {
				owner, err := lockeddir.Open(dir)
				require.NoError(t, err)
				defer func() { require.NoError(t, owner.Close()) }()
			}
			then := time.Now().Add(-c.age)
			require.NoError(t, os.Chtimes(dir, then, then))
			mine, err := lockeddir.Temp("some-*")
			require.NoError(t, err)
			if c.swept {
				assert.NoDirExists(t, dir)
			} else {
				assert.DirExists(t, dir)
			}
			require.NoError(t, mine.Close())
			assert.NoDirExists(t, mine.Path)
		})
	}
}

func TestAFolderHasOneOwnerAtATimeAndIsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	first, err := lockeddir.Open(dir)
	require.NoError(t, err)
	_, err = lockeddir.Open(dir)
	require.ErrorContains(t, err, "another process uses it")
	require.NoError(t, first.Close())
	second, err := lockeddir.Open(dir)
	require.NoError(t, err)
	require.NoError(t, second.Close())
	assert.DirExists(t, dir)
}
