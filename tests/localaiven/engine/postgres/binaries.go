package postgres

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	missingPostgres  = "PostgreSQL isn't installed: run `make deps`, or install the Debian package postgresql"
	missingPgBouncer = "PgBouncer isn't installed: run `make deps`, or install the Debian package pgbouncer"
)

// installs are where distributions put PostgreSQL; its initdb isn't in PATH
// since several versions can be installed side by side.
var installs = []string{
	"/usr/lib/postgresql/*/bin",
	"/usr/pgsql-*/bin",
	"/opt/homebrew/opt/postgresql@*/bin",
}

// findPostgres returns the folder of initdb and postgres: of the wanted version
// if the machine has it, else of the newest, else what is in PATH.
func findPostgres(version string) (string, error) {
	wanted := major(version)
	newest, best := "", -1
	for _, pattern := range installs {
		folders, err := filepath.Glob(pattern)
		if err != nil {
			return "", fmt.Errorf("finding PostgreSQL: %w", err)
		}
		for _, folder := range folders {
			found := major(filepath.Base(filepath.Dir(folder)))
			if !complete(folder) || found <= best {
				continue
			}
			if found == wanted {
				return folder, nil
			}
			newest, best = folder, found
		}
	}
	if newest != "" {
		return newest, nil
	}
	initdb, err := exec.LookPath("initdb")
	if err != nil || !complete(filepath.Dir(initdb)) {
		return "", errors.New(missingPostgres)
	}
	return filepath.Dir(initdb), nil
}

func complete(folder string) bool {
	for _, name := range []string{"initdb", "postgres"} {
		if _, err := exec.LookPath(filepath.Join(folder, name)); err != nil {
			return false
		}
	}
	return true
}

// major is 15 for "15", "15.4", "pgsql-15" and "postgresql@15", and 0 for what has no number.
func major(version string) int {
	if cut := strings.LastIndexAny(version, "-@"); cut >= 0 {
		version = version[cut+1:]
	}
	version, _, _ = strings.Cut(version, ".")
	number, err := strconv.Atoi(version)
	if err != nil {
		return 0
	}
	return number
}

// poolers are where PgBouncer can be. Debian has it in a folder that isn't
// in the PATH of ordinary users.
var poolers = []string{"pgbouncer", "/usr/sbin/pgbouncer"}

func findPgBouncer() (string, error) {
	for _, name := range poolers {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New(missingPgBouncer)
}
