package testenv

import (
	"flag"
	"fmt"
	"path/filepath"

	"k8s.io/client-go/rest"
)

// RESTConfig leads to the control plane, with all rights.
func (e *Env) RESTConfig() *rest.Config { return rest.CopyConfig(shared.rest) }

// Kubeconfig is a kubeconfig (YAML) with all rights. There is one as soon as Main runs the tests.
func Kubeconfig() []byte { return shared.plane.Kubeconfig() }

// Program is the path of a program that make build makes.
func (e *Env) Program(name string) string { return filepath.Join(shared.root, "bin", name) }

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
