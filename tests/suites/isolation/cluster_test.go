package isolation_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/tests/harness/tenant"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

// All tenants of the rule on a real control plane, those of a commit, and how many share an operator and the others around them.
const (
	allOnCluster     = 200
	sampledOnCluster = 10
	tenantsOfACase   = 5
)

func TestNoTenantReachesBeyondItsNamespaceOnARealControlPlane(t *testing.T) {
	for _, seeds := range groups(allOnCluster, sampledOnCluster, tenantsOfACase) {
		t.Run(fmt.Sprintf("seeds from %d", seeds[0]), func(t *testing.T) {
			t.Parallel()
			newNeighborhood(t, seeds).live()
		})
	}
}

// neighborhood has an operator with a default token, objects of others that are ready, and tenants who act at the same time.
type neighborhood struct {
	*testenv.Env
	tenants []*neighbor
	victims []testenv.Object
	hashes  map[string]string // of tokens in the journal of Aiven
	mark    testenv.Mark
	audit   int64
}

// neighbor is a tenant as the API server knows it.
type neighbor struct {
	tenant.Tenant
	boundaries
	client.Client
	namespace string
}

func newNeighborhood(t *testing.T, seeds []int) *neighborhood {
	t.Helper()
	n := &neighborhood{Env: testenv.New(t, testenv.Options{
		Second: true, Tenants: len(seeds), NoToken: true,
		Aiven: localaiven.Options{Tokens: []string{defaultToken, bankToken, namespaceToken}},
		Config: func(c *config.Config) {
			c.DefaultToken = defaultToken
			open, err := labels.Parse(openLabel + "=open")
			require.NoError(t, err)
			c.DefaultTokenFor.Labels = open
		},
	})}
	n.SetSecret(testenv.TokenSecret, map[string]string{testenv.TokenKey: bankToken})
	n.Create(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: n.Second, Name: "tenants"}, StringData: map[string]string{"token": namespaceToken}})
	n.makeVictims()
	refused := n.Example("database")
	refused.SetName("refused")
	refused.SetAnnotations(map[string]string{"controllers.aiven.io/deletion-policy": "orphan"})
	n.Admission(refused)
	for i, seed := range seeds {
		n.tenants = append(n.tenants, n.invite(n.Tenants[i], uint64(seed)))
	}
	n.hashes = map[string]string{}
	for _, token := range []string{defaultToken, bankToken, namespaceToken} {
		n.hashes[token] = n.Aiven.Hash(token)
	}
	n.Rest(100)
	n.mark, n.audit = n.Aiven.Mark(), auditMark(t)
	return n
}

// makeVictims makes an object of each kind, and waits until all are ready.
func (n *neighborhood) makeVictims() {
	n.T.Helper()
	n.Aiven.Service("my-production", "my-pg")
	for _, name := range testenv.KindNames() {
		obj := n.Example(strings.ToLower(name))
		n.Create(obj)
		n.victims = append(n.victims, obj)
	}
	for _, obj := range n.victims {
		n.Wait(obj, testenv.Ready())
	}
}

// invite makes the namespace of a tenant what its boundaries say.
func (n *neighborhood) invite(namespace string, seed uint64) *neighbor {
	n.T.Helper()
	around := tenant.Surroundings{
		Examples: examples(n.T), Namespace: namespace, Namespaces: []string{n.Namespace}, Project: fmt.Sprintf("team-%d-of-%s", seed, n.Namespace),
		Projects: []string{n.Project, n.Project, "my-project", "my-organization-project", "my-production"}, Token: tenantToken,
	}
	for _, obj := range n.victims {
		around.IDs = append(around.IDs, string(obj.GetUID()))
	}
	draw := rand.New(rand.NewPCG(seed, 1))
	one := &neighbor{Tenant: tenant.New(seed, around), boundaries: drawBoundaries(draw, around.Project), Client: n.Editor(namespace), namespace: namespace}
	for one.named && one.projects == nil { // that token may do everything here
		one.boundaries = drawBoundaries(draw, around.Project)
	}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	n.Change(ns, func() {
		for name, value := range one.labels {
			ns.Labels[name] = value
		}
		ns.Annotations = one.annotations
	})
	return one
}

// live lets all tenants act, and the others leave at the end.
func (n *neighborhood) live() {
	longest := 0
	for _, one := range n.tenants {
		longest = max(longest, len(one.Steps))
	}
	for i := range longest {
		for _, one := range n.tenants {
			if i < len(one.Steps) {
				one.take(n.T, one.Steps[i])
			}
		}
		n.Rest(20)
	}
	n.Rest(100)
	n.checkCalls()
	n.checkAudit()
	n.checkReadable()
	for _, obj := range n.victims {
		n.Wait(obj, testenv.Ready())
	}
	for _, obj := range n.victims {
		n.Delete(obj)
	}
	for _, obj := range n.victims {
		n.WaitGone(obj)
	}
	for _, r := range n.Aiven.Resources() {
		assert.False(n.T, strings.HasPrefix(r.ID, n.Project+"/"), "%s %s of the others stays at Aiven", r.Type, r.ID)
	}
	if n.T.Failed() {
		for _, one := range n.tenants {
			n.T.Logf("Namespace %s with the labels %v and the annotations %v. %s", one.namespace, one.labels, one.annotations, one)
		}
	}
}

// take takes a step. What the API server refuses changes nothing.
func (one *neighbor) take(t *testing.T, step tenant.Step) {
	obj, ctx := step.Object.DeepCopyObject().(client.Object), t.Context()
	switch step.Verb {
	case tenant.Create:
		_ = one.Create(ctx, obj)
	case tenant.Edit:
		if one.Get(ctx, client.ObjectKeyFromObject(obj), obj) == nil {
			before := obj.DeepCopyObject().(client.Object)
			step.Change.Do(obj)
			_ = one.Patch(ctx, obj, client.MergeFrom(before))
		}
	case tenant.Delete:
		_ = one.Delete(ctx, obj)
	}
}

// checkCalls reads the journal of Aiven: with the tokens that tenants may use, only their projects are named, and the others, which are at
// rest, have nothing changed.
func (n *neighborhood) checkCalls() {
	projects := map[string][]string{} // by the hashes of the tokens that tenants may use
	for _, one := range n.tenants {
		for _, token := range []string{defaultToken, namespaceToken} {
			if !slices.Contains(one.forbidden, token) {
				projects[n.hashes[token]] = append(projects[n.hashes[token]], one.projects...)
			}
		}
	}
	for _, entry := range n.Aiven.Calls(n.mark) {
		made := call{method: entry.Method, path: entry.Path, body: string(entry.Body)}
		switch entry.Token {
		case n.hashes[bankToken]:
			assert.False(n.T, made.writes(), "the others are at rest: %s", made)
		case n.hashes[defaultToken], n.hashes[namespaceToken]:
			for _, project := range made.projects() {
				assert.Contains(n.T, projects[entry.Token], project, "no tenant with this token may use the project: %s", made)
			}
		}
	}
}

// checkAudit reads the audit log: outside of the namespaces of tenants the operator writes nothing, and reads no Secrets but those of the
// others for themselves, and the one that Namespaces name.
func (n *neighborhood) checkAudit() {
	own := []string{testenv.TokenSecret}
	for _, obj := range n.victims {
		own = append(own, obj.GetName())
		if publisher, ok := obj.(interface{ GetSecretFields() *v1alpha1.SecretFields }); ok {
			own = append(own, publisher.GetSecretFields().ConnInfoSecretTarget.Name)
		}
	}
	for _, r := range auditedSince(n.T, n.audit, n.Operator.UserAgent()) {
		at := r.ObjectRef
		switch {
		case slices.Contains(n.Env.Tenants, at.Namespace), at.Namespace == "" && !r.writes(), at.Resource == "events":
		case r.writes():
			assert.Fail(n.T, "A write outside of the tenants' namespaces", "%s %s", r.Verb, r.RequestURI)
		case at.Resource != "secrets" || at.Name == "", at.Namespace == n.Second && at.Name == "tenants":
		default:
			assert.True(n.T, at.Namespace == n.Namespace && slices.Contains(own, at.Name), "a Secret of the others is read: %s", r.RequestURI)
		}
	}
}

// checkReadable searches all that tenants can read for secrets of the others.
func (n *neighborhood) checkReadable() {
	var others corev1.SecretList
	require.NoError(n.T, n.Client.List(n.T.Context(), &others, client.InNamespace(n.Namespace)))
	secrets := append(passwords(others.Items), defaultToken, bankToken, namespaceToken)
	for _, one := range n.tenants {
		for what, text := range n.Readable(one.namespace) {
			for _, secret := range secrets {
				assert.NotContains(n.T, text, secret, "%s has a secret of another", what)
			}
		}
	}
}
