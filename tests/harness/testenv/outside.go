package testenv

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/config"
)

// RESTConfig leads to the control plane, with all permissions.
func (e *Env) RESTConfig() *rest.Config { return rest.CopyConfig(shared.rest) }

// As returns a client of a user who has a role of these rules in the namespace, and no other permission.
func (e *Env) As(user string, rules ...rbacv1.PolicyRule) client.Client {
	e.T.Helper()
	named := metav1.ObjectMeta{Namespace: e.Namespace, Name: user}
	e.Create(&rbacv1.Role{ObjectMeta: named, Rules: rules})
	e.Create(&rbacv1.RoleBinding{
		ObjectMeta: named, Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: user},
	})
	config := e.RESTConfig()
	config.Impersonate = rest.ImpersonationConfig{UserName: user}
	c, err := newClient(config)
	require.NoError(e.T, err)
	return c
}

// Editor returns a client of a user who has the role edit of Kubernetes in a namespace, to which the chart adds its permissions.
func (e *Env) Editor(namespace string) client.Client {
	e.T.Helper()
	e.aggregate()
	user := "editor-of-" + namespace
	e.Create(&rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: user},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "edit"},
	})
	config := e.RESTConfig()
	config.Impersonate = rest.ImpersonationConfig{UserName: user}
	c, err := newClient(config)
	require.NoError(e.T, err)
	e.Until(func() bool {
		return c.List(e.T.Context(), &v1alpha1.DatabaseList{}, client.InNamespace(namespace)) == nil
	}, func() string { return "the role edit has no permissions on databases" })
	return c
}

// aggregate installs the roles of the chart, which Kubernetes adds to its own.
func (e *Env) aggregate() {
	e.T.Helper()
	raw, err := os.ReadFile(e.Path("config", "manager", "aggregate.yaml"))
	require.NoError(e.T, err)
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(raw), 4096)
	for {
		var role rbacv1.ClusterRole
		err := decoder.Decode(&role)
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(e.T, err)
		require.NoError(e.T, client.IgnoreAlreadyExists(e.Client.Create(e.T.Context(), &role)))
	}
}

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

// Flags say to the manager what the operator of this test is configured with, where that isn't the default: a chart may say the
// rest.
func (o *Operator) Flags() []string {
	var args []string
	configured, standard := o.config, config.Default()
	flags, defaults := flag.NewFlagSet("", flag.ContinueOnError), flag.NewFlagSet("", flag.ContinueOnError)
	configured.BindFlags(flags)
	standard.BindFlags(defaults)
	flags.VisitAll(func(f *flag.Flag) {
		if value := f.Value.String(); value != defaults.Lookup(f.Name).Value.String() {
			args = append(args, fmt.Sprintf("--%s=%s", f.Name, value))
		}
	})
	return args
}
