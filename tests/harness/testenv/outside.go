package testenv

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
)

// RESTConfig leads to the control plane, with all permissions.
func (e *Env) RESTConfig() *rest.Config { return rest.CopyConfig(shared.rest) }

// Kubeconfig is a kubeconfig (YAML) with all permissions. There is one as soon as Main runs the tests.
func Kubeconfig() []byte { return shared.plane.Kubeconfig() }

// Program is the path of a program that `make build` builds. No test compiles one: a compiler has no place in a deadline.
func (e *Env) Program(name string) string {
	e.T.Helper()
	path := filepath.Join(shared.root, "bin", name)
	_, err := os.Stat(path)
	require.NoError(e.T, err, "bin/%s isn't built: run `make build`", name)
	return path
}

// Path is that of a file or folder of the project.
func (e *Env) Path(elements ...string) string {
	return filepath.Join(append([]string{shared.root}, elements...)...)
}

// Flags say to the manager what the operator of this test is configured with.
func (o *Operator) Flags() []string {
	var args []string
	config := o.config
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	config.BindFlags(flags)
	flags.VisitAll(func(f *flag.Flag) { args = append(args, fmt.Sprintf("--%s=%s", f.Name, f.Value)) })
	return args
}
