package connectionsecret_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
)

// oddPassword has what files, URIs, shells and Java treat in a way of their own.
const oddPassword = `a: b\c'd"e/f@g?h=i&j#k%41+l;m$n,ö`

// loginTime is more than a client needs that starts while others do.
const loginTime = time.Minute

// What isn't there is reported by the test that needs it: bash tests/deps.sh all installs all of it.
const (
	java          = "javac" // which comes with a JVM
	jdbcOfPG      = "/usr/share/java/postgresql.jar"
	jdbcOfMariaDB = "/usr/share/java/mariadb-java-client.jar"
	driverOfCH    = "/usr/lib/python3/dist-packages/clickhouse_driver"
)

// login is a client that is no part of this project, and logs in with the keys of a Secret.
type login struct {
	name  string   // begins with the client's, and a comma
	needs []string // programs, or files by their path
	// script is for bash. It has the keys of the Secret as variables, as by envFrom, and in its folder as files, as in a volume.
	script string
	prints string
}

// variable are the keys that bash reads as variables.
var variable = regexp.MustCompile("^[A-Za-z_]+$")

// missing is what isn't installed; empty if the client can run.
func (l login) missing() string {
	for _, need := range l.needs {
		if !slices.ContainsFunc(strings.Split(need, " or "), isInstalled) {
			return need + " isn't installed: run `bash tests/deps.sh all`"
		}
	}
	return ""
}

func isInstalled(name string) bool {
	_, err := exec.LookPath(name)
	if filepath.IsAbs(name) {
		_, err = os.Stat(name)
	}
	return err == nil
}

// user creates that of the examples in a service, with a password that has to be escaped everywhere.
func (w world) user(service string) *v1alpha1.ServiceUser {
	w.T.Helper()
	user := w.Example("serviceuser").(*v1alpha1.ServiceUser)
	user.Spec.ServiceName, user.Spec.ConnInfoSecretSource = service, w.oddPassword()
	w.Create(user)
	return user
}

func (w world) oddPassword() *v1alpha1.ConnInfoSecretSource {
	w.T.Helper()
	w.Plant(oddPassword)
	w.SetSecret("password", map[string]string{"password": oddPassword})
	return &v1alpha1.ConnInfoSecretSource{Name: "password", PasswordKey: "password"}
}

// startClients lets the clients log in side by side, and returns when they have.
func startClients(t *testing.T, name string, secret map[string]string, logins ...login) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		for _, l := range logins {
			t.Run(l.name, func(t *testing.T) {
				t.Parallel()
				if missing := l.missing(); missing != "" {
					t.Skip(missing)
				}
				assert.Equal(t, l.prints, l.run(t, secret))
			})
		}
	})
}

// run returns what the client prints.
func (l login) run(t *testing.T, secret map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	environment := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + folder, "LC_ALL=C.UTF-8"}
	if slices.Contains(l.needs, java) {
		classes, err := compiled()
		require.NoError(t, err)
		environment = append(environment, "CLASSPATH="+classes, "JAVA_TOOL_OPTIONS=-XX:+UseSerialGC -XX:TieredStopAtLevel=1")
	}
	ctx, cancel := context.WithTimeout(t.Context(), loginTime)
	defer cancel()
	shell := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", l.script)
	shell.Dir = folder
	shell.Env = environment
	for key, value := range secret {
		if variable.MatchString(key) {
			shell.Env = append(shell.Env, key+"="+value)
		}
		require.NoError(t, os.WriteFile(filepath.Join(folder, key), []byte(value), 0o600))
	}
	var errors strings.Builder
	shell.Stderr = &errors
	printed, err := shell.Output()
	require.NoError(t, err, errors.String())
	return strings.TrimSpace(string(printed))
}

// compiled returns the folder with the classes of testdata. Each JVM would compile its source again, which takes most of its time.
var compiled = sync.OnceValues(func() (string, error) {
	sources, err := filepath.Glob("testdata/*.java")
	if err != nil {
		return "", err
	}
	output, err := exec.Command("javac", append([]string{"-d", classes}, sources...)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("compiling: %w: %s", err, output)
	}
	return classes, nil
})
