package isolation_test

import (
	"math/rand/v2"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/aero-operator/aero/tests/harness/sampling"
)

// openLabel is the label of namespaces that the default token is open to.
const openLabel = "default-token"

// Tokens. That of a Namespace is in the operator's namespace.
const (
	defaultToken   = "token-of-the-operator-itself"
	bankToken      = "token-of-the-bank-alone"
	namespaceToken = "token-of-tenants-by-their-namespace"
	tenantToken    = "token-of-a-tenant-itself"
)

// boundaries are what a platform team sets for a tenant. Each keeps the tenant from something, so that the rule is about it.
type boundaries struct {
	labels, annotations map[string]string
	projects            []string // that the Namespace allows; nil for no limit
	forbidden           []string // tokens of others
	named               bool     // the Namespace names its token
}

// drawBoundaries draws from those that there are. Some tenants may use projects that others use, too.
func drawBoundaries(draw *rand.Rand, project string, shared ...string) boundaries {
	b := boundaries{labels: map[string]string{}, annotations: map[string]string{}, forbidden: []string{bankToken, defaultToken, namespaceToken}}
	if draw.IntN(3) > 0 {
		b.projects = []string{project}
		for _, other := range shared {
			if draw.IntN(2) == 0 {
				b.projects = append(b.projects, other)
			}
		}
		b.annotations["controllers.aiven.io/allowed-projects"] = strings.Join(b.projects, ", ")
	}
	switch n := draw.IntN(3); {
	case n == 0 && b.projects != nil:
		b.labels[openLabel], b.forbidden = "open", []string{bankToken, namespaceToken}
	case n == 1:
		b.named, b.forbidden = true, []string{bankToken, defaultToken}
		b.annotations["controllers.aiven.io/token-secret"] = "tenants"
	}
	return b
}

// allowed are those of some projects that the tenant may use.
func (b boundaries) allowed(projects ...string) []string {
	return slices.DeleteFunc(projects, func(name string) bool { return b.projects != nil && !slices.Contains(b.projects, name) })
}

// groups are the seeds that are tried, in groups: all of them, or those of the commit, and a part of these by the race detector.
func groups(all, sampled, size int) [][]int {
	first := 0
	if !*sampling.Whole {
		first, all = sampling.Choice(sampling.Commit, all/size, "isolation")*size, max(size, sampled/sampling.Raced/size*size)
	}
	var seeds [][]int
	for begin := first; begin < first+all; begin += size {
		var group []int
		for seed := begin; seed < begin+size; seed++ {
			group = append(group, seed)
		}
		seeds = append(seeds, group)
	}
	return seeds
}

// passwords are those in Secrets.
func passwords(secrets []corev1.Secret) []string {
	var found []string
	for _, secret := range secrets {
		for key, value := range secret.Data {
			if len(value) > 8 && (strings.Contains(key, "PASSWORD") || strings.Contains(key, "ACCESS_KEY")) {
				found = append(found, string(value))
			}
		}
	}
	return found
}
