package docs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/aero-operator/aero/tests/localaiven/engine/postgres"
)

// arrival is typed by each guest first. A namespace that exists has what is older than the operator.
const arrival = `
cp -RL docs/examples examples
sed -i s/my-project/"$PROJECT"/ examples/*.yaml
kubectl create namespace "$PROJECT" || kubectl get namespace "$PROJECT"
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
	inNamespace := strings.Replace(string(content), "namespace: default", "namespace: "+name, 1)
	require.NotEqual(t, string(content), inNamespace)
	require.NoError(t, os.Mkdir(filepath.Join(g.dir, filepath.Dir(access)), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(g.dir, access), []byte(inNamespace), 0o600))
	// What kubectl has learned of the API serves all of them.
	learned := filepath.Join(".kube", "cache")
	require.NoError(t, os.MkdirAll(filepath.Join(m.dir, learned), 0o700))
	require.NoError(t, os.Symlink(filepath.Join(m.dir, learned), filepath.Join(g.dir, learned)))
	g.types(arrival)
	g.replaced = append(slices.Clone(m.replaced),
		"my-project", name, "my-namespace", name, " default/", " "+name+"/", "docs/examples/", "examples/")
	return g
}

// atOnce runs cases, so many at a time: how many has little to do with the number of processors, as most of them wait.
func atOnce(t *testing.T, limit int, cases []pageCase, types func(*testing.T, pageCase)) {
	t.Helper()
	var all errgroup.Group
	all.SetLimit(limit)
	for _, c := range cases {
		all.Go(func() error {
			t.Run(c.name, func(t *testing.T) { types(t, c) })
			return nil
		})
	}
	require.NoError(t, all.Wait())
}

// TestPagesAtOneCluster types pages at one cluster, each in a namespace and a project of the name of its page. Those that may
// query PostgreSQL are skipped where it isn't installed.
func TestPagesAtOneCluster(t *testing.T) {
	t.Parallel()
	host, missing := newMachine(t), postgres.New().Available()
	if missing == nil {
		host.withDatabases()
	} else {
		host.withCluster()
	}
	host.types(installed + grants)
	atOnce(t, 4, slices.Concat(guestCases, queryCases), func(t *testing.T, s pageCase) {
		if missing != nil && slices.ContainsFunc(queryCases, func(q pageCase) bool { return q.name == s.name }) {
			t.Skip("PostgreSQL isn't installed: ", missing)
		}
		s.typedAt(host.guest(t, filepath.Base(strings.TrimSuffix(strings.TrimSuffix(s.page, ".md"), "/*"))))
	})
}
