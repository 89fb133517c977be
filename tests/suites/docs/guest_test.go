package docs

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// arrival is typed by each guest first. A namespace that exists has what is older than the operator.
const arrival = `
cp -RL docs/examples examples
sed -i s/my-project/"$PROJECT"/ examples/*.yaml
kubectl get namespace "$PROJECT" > /dev/null || kubectl create namespace "$PROJECT"
kubectl config set-context --current --namespace="$PROJECT"
`

// guest is another reader's machine, at the same cluster and account: cases that share a cluster are typed by a guest each. Its
// namespace and its project have a name of their own, and so have the examples that it applies.
func (m *machine) guest(t *testing.T, name string) *machine {
	t.Helper()
	g := newMachine(t)
	g.aiven, g.aivenURL = m.aiven, m.aivenURL
	g.environment = append(g.environment, "AIVEN_WEB_URL="+m.aivenURL, "PROJECT="+name)
	access := filepath.Join(".kube", "config")
	content, err := os.ReadFile(filepath.Join(m.dir, access))
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(g.dir, filepath.Dir(access)), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(g.dir, access), content, 0o600))
	g.types(arrival)
	g.replaced = append(slices.Clone(m.replaced),
		"my-project", name, "my-namespace", name, " default/", " "+name+"/", "docs/examples/", "examples/")
	return g
}
