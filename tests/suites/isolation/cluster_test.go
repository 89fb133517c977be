package isolation_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/internal/startup"
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

// neighborhood has an operator with a default token, objects of others that are ready, and tenants who act at the same time. Each has two
// tokens, and one at most may use the default token, so that their calls differ in the journal of Aiven.
type neighborhood struct {
	*testenv.Env
	tenants []*neighbor
	victims []testenv.Object
	bank    string               // the hash of the others' token in the journal of Aiven
	users   map[string]*neighbor // who may use the other tokens, by their hashes; nil for no tenant
	mark    testenv.Mark
	audit   int64
}

// neighbor is a tenant as the API server knows it.
type neighbor struct {
	tenant.Tenant
	boundaries
	client.Client
	namespace        string
	own, ofNamespace string // tokens: that of the tenant, and the one that its Namespace may name
}

func newNeighborhood(t *testing.T, seeds []int) *neighborhood {
	t.Helper()
	accepted, denied := []string{defaultToken, bankToken}, map[string][]string{}
	for i := range seeds {
		for _, token := range tokensOf(i) {
			accepted, denied[token] = append(accepted, token), others
		}
	}
	n := &neighborhood{users: map[string]*neighbor{}, Env: testenv.New(t, testenv.Options{
		Kinds: testenv.KindNames(), Second: true, Tenants: len(seeds), NoToken: true, Idle: true,
		Aiven: localaiven.Options{Tokens: accepted, DeniedProjects: denied},
		Config: func(c *config.Config) {
			c.DefaultToken = defaultToken
			open, err := labels.Parse(openLabel + "=open")
			require.NoError(t, err)
			c.DefaultTokenFor.Labels = open
		},
	})}
	for i := range seeds { // nothing has called Aiven yet
		for _, token := range tokensOf(i) {
			denied[token] = n.closedTo(i, seeds)
		}
	}
	n.Operator.Start()
	n.SetSecret(testenv.TokenSecret, map[string]string{testenv.TokenKey: bankToken})
	n.makeVictims()
	refused := n.Example("database")
	refused.SetName("refused")
	refused.SetAnnotations(map[string]string{"controllers.aiven.io/deletion-policy": "orphan"})
	n.Admission(refused)
	n.bank = n.Aiven.Hash(bankToken)
	n.users[n.Aiven.Hash(defaultToken)] = nil
	n.invite(seeds)
	n.Rest(100)
	n.mark, n.audit = n.Aiven.Mark(), auditMark(t)
	return n
}

// others are projects of the others, beside that of the test.
var others = []string{"my-project", "my-organization-project", "my-production"}

// tokensOf are a tenant's own token, and that of its namespace.
func tokensOf(tenant int) []string {
	return []string{fmt.Sprintf("%s-%d", tenantToken, tenant), fmt.Sprintf("%s-%d", namespaceToken, tenant)}
}

// team is the project of the tenant of a seed.
func (n *neighborhood) team(seed int) string { return fmt.Sprintf("team-%d-of-%s", seed, n.Namespace) }

// closedTo are the projects that a tenant of some seeds has nothing to do with. It knows their names.
func (n *neighborhood) closedTo(tenant int, seeds []int) []string {
	projects := append(slices.Clone(others), n.Project)
	for i, seed := range seeds {
		if i != tenant {
			projects = append(projects, n.team(seed))
		}
	}
	return projects
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

// invite makes the tenants, and the tokens that their Namespaces may name.
func (n *neighborhood) invite(seeds []int) {
	n.T.Helper()
	tokens := map[string]string{}
	for i := range seeds {
		one := n.neighbor(i, seeds)
		n.tenants = append(n.tenants, one)
		tokens[one.namespace] = one.ofNamespace
		n.users[n.Aiven.Hash(one.own)], n.users[n.Aiven.Hash(one.ofNamespace)] = one, nil
		if one.named {
			n.users[n.Aiven.Hash(one.ofNamespace)] = one
		}
		if one.isOpen() {
			n.users[n.Aiven.Hash(defaultToken)] = one
		}
	}
	n.Create(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: n.Second, Name: "tenants"}, StringData: tokens})
}

// isOpen reports whether a tenant may use the default token.
func (one *neighbor) isOpen() bool { return one.labels[openLabel] != "" }

// neighbor makes the namespace of a tenant what its boundaries say.
func (n *neighborhood) neighbor(at int, seeds []int) *neighbor {
	n.T.Helper()
	seed, namespace, tokens := seeds[at], n.Env.Tenants[at], tokensOf(at)
	around := tenant.Surroundings{
		Examples: manifests(n.T), Namespace: namespace, Namespaces: []string{n.Namespace}, Project: n.team(seed),
		Projects: append(n.closedTo(at, seeds), n.Project), Token: tokens[0],
	}
	for _, obj := range n.victims {
		around.IDs = append(around.IDs, string(obj.GetUID()))
	}
	draw := rand.New(rand.NewPCG(uint64(seed), 1))
	one := &neighbor{
		Tenant: tenant.New(uint64(seed), around), boundaries: drawBoundaries(draw, around.Project), Client: n.Editor(namespace),
		namespace: namespace, own: tokens[0], ofNamespace: tokens[1],
	}
	for one.isOpen() && slices.ContainsFunc(n.tenants, (*neighbor).isOpen) {
		one.boundaries = drawBoundaries(draw, around.Project)
	}
	if one.named {
		one.annotations["controllers.aiven.io/token-secret"] = "tenants/" + namespace
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
	n.checkStart()
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

// checkCalls reads the journal of Aiven: with a token that a tenant may use, only its projects are named, and where the Namespace has no
// list, Aiven refuses the others; the others, which are at rest, have nothing changed.
func (n *neighborhood) checkCalls() {
	for _, entry := range n.Aiven.Calls(n.mark) {
		made := call{method: entry.Method, path: entry.Path, body: string(entry.Body)}
		one, known := n.users[entry.Token]
		switch {
		case entry.Token == n.bank:
			assert.False(n.T, made.writes(), "the others are at rest: %s", made)
		case !known: // a tenant has made it up
			assert.Equal(n.T, http.StatusUnauthorized, entry.Status, made)
		case one == nil:
			assert.Fail(n.T, "No tenant may use this token", made)
		case one.projects == nil:
			assert.True(n.T, made.project() == n.team(int(one.Seed)) || made.project() == "" || entry.Status >= http.StatusBadRequest, made)
		default:
			for _, project := range made.projects() {
				assert.Contains(n.T, one.projects, project, "the tenant in %s, whose token it is, may not use the project: %s", one.namespace, made)
			}
		}
	}
}

// checkAudit reads the audit log: outside of the namespaces of tenants the operator writes nothing, and reads no Secrets but the one that
// Namespaces name, and connection Secrets of the others, which it compares at each poll of them. Their token was read before.
func (n *neighborhood) checkAudit() {
	var published []string
	for _, obj := range n.victims {
		if publisher, ok := obj.(interface{ GetSecretFields() *v1alpha1.SecretFields }); ok {
			published = append(published, obj.GetName(), publisher.GetSecretFields().ConnInfoSecretTarget.Name)
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
			assert.True(n.T, at.Namespace == n.Namespace && slices.Contains(published, at.Name), "a Secret of the others is read: %s", r.RequestURI)
		}
	}
}

// checkReadable searches all that a tenant can read for secrets of the others, and for tokens of its neighbors and of its namespace.
func (n *neighborhood) checkReadable() {
	var others corev1.SecretList
	require.NoError(n.T, n.Client.List(n.T.Context(), &others, client.InNamespace(n.Namespace)))
	for _, one := range n.tenants {
		secrets := append(passwords(others.Items), defaultToken, bankToken)
		for i := range n.tenants {
			secrets = append(secrets, tokensOf(i)...)
		}
		for what, text := range n.Readable(one.namespace) {
			for _, secret := range secrets {
				if secret != one.own {
					assert.NotContains(n.T, text, secret, "%s has a secret of another", what)
				}
			}
		}
	}
}

// checkStart starts another operator as far as it asks who holds leases: those of tenants, which their pods hold, stop none.
func (n *neighborhood) checkStart() {
	for _, one := range n.tenants {
		for _, name := range tenant.Leases {
			n.Get(&coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: one.namespace, Name: name}})
		}
		n.Get(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: one.namespace, Name: tenant.Pod}})
	}
	cluster := startup.Cluster{Config: n.RESTConfig(), Scheme: n.Client.Scheme()}
	options := &startup.Options{ProbeAddress: "0", LeaderElect: true, LeaseNamespace: n.Second}
	ctx, cancel := context.WithTimeout(n.T.Context(), time.Minute)
	defer cancel()
	another, err := startup.NewSupervisor(ctx, options, cluster, logr.Discard())
	require.NoError(n.T, err)
	assert.True(n.T, another.Await(ctx), "what tenants have made keeps an operator from its work")
}
