package kube

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestATemporaryFolderIsSweptOnceItsControlPlaneWasKilled(t *testing.T) {
	for name, c := range map[string]struct {
		age    time.Duration
		locked bool
		swept  bool
	}{
		"an old one that nobody locks goes":      {age: time.Hour, swept: true},
		"an old one in use stays":                {age: time.Hour, locked: true},
		"a new one may not have been locked yet": {age: 0},
	} {
		t.Run(name, func(t *testing.T) {
			temp := t.TempDir()
			t.Setenv("TMPDIR", temp)
			dir := filepath.Join(temp, "aero-kube-1")
			require.NoError(t, os.Mkdir(dir, 0o700))
			if c.locked {
				lock, err := lockDir(dir)
				require.NoError(t, err)
				defer func() { require.NoError(t, lock.Close()) }()
			}
			then := time.Now().Add(-c.age)
			require.NoError(t, os.Chtimes(dir, then, then))
			sweep()
			if c.swept {
				assert.NoDirExists(t, dir)
			} else {
				assert.DirExists(t, dir)
			}
		})
	}
}
