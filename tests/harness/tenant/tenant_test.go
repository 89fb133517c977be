package tenant_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/tenant"
)

func around() tenant.Surroundings {
	return tenant.Surroundings{
		Examples: []map[string]any{
			{
				"apiVersion": "aiven.io/v1alpha1", "kind": "Database", "metadata": map[string]any{"name": "orders"},
				"spec": map[string]any{"project": "my-project", "serviceName": "my-pg"},
			},
			{
				"apiVersion": "aiven.io/v1alpha1", "kind": "PostgreSQL", "metadata": map[string]any{"name": "my-pg"},
				"spec": map[string]any{"project": "my-project", "plan": "startup-4", "cloudName": "google-europe-west1"},
			},
		},
		Namespace: "team", Namespaces: []string{"bank"}, Project: "team-project", Projects: []string{"bank-project"},
		IDs: []string{"an-id"}, Token: "a-token",
	}
}

func TestASeedMakesTheSameTenantAgain(t *testing.T) {
	for seed := range uint64(20) {
		assert.Equal(t, tenant.New(seed, around()).String(), tenant.New(seed, around()).String())
	}
	assert.NotEqual(t, tenant.New(1, around()).String(), tenant.New(2, around()).String())
}

// What an operator does when an observation ends, and what it does when the spec is another, must not be known to it one by one only.
func TestOneRequestMayEndAnObservationAndEditTheSpec(t *testing.T) {
	const ends = "without controllers.aiven.io/management-policy"
	linked, others := 0, 0
	for seed := range uint64(300) {
		for _, step := range tenant.New(seed, around()).Steps {
			says := strings.Split(step.Change.Says, ", and ")
			if len(says) < 2 || !slices.Contains(says, ends) {
				continue
			}
			if slices.ContainsFunc(says, func(one string) bool {
				return strings.HasPrefix(one, "the spec of ") && one != "the spec of another manifest"
			}) {
				linked++
			}
			if slices.Contains(says, "the spec of another manifest") {
				others++
			}
		}
	}
	assert.Positive(t, linked, "no tenant does both to an object that observes what it names")
	assert.Positive(t, others, "no tenant does both to any object")
}

func TestTenantsStayInTheirNamespaceAndNameWhatIsAnothers(t *testing.T) {
	verbs, projects, forged := map[tenant.Verb]int{}, map[string]int{}, map[string]int{}
	sources, leases, changes, rotations := map[string]int{}, map[string]int{}, map[string]int{}, 0
	for seed := range uint64(100) {
		for _, step := range tenant.New(seed, around()).Steps {
			verbs[step.Verb]++
			changes[step.Change.Says]++
			assert.Equal(t, "team", step.Object.GetNamespace())
			switch obj := step.Object.(type) {
			case *v1alpha1.Database:
				projects[obj.Spec.Project]++
			case *v1alpha1.PostgreSQL:
				projects[obj.Spec.Project]++
			case *aero.ConnectionSecret:
				sources[obj.GetSourceNamespace()]++
			case *aero.ServiceUserRotation:
				rotations++
			case *coordinationv1.Lease:
				leases[obj.Name]++
			case *corev1.Pod:
				assert.Equal(t, tenant.Pod, obj.Name)
			default:
				assert.IsType(t, &corev1.Secret{}, step.Object)
			}
			for name := range step.Object.GetAnnotations() {
				forged[name]++
			}
		}
	}
	for _, verb := range []tenant.Verb{tenant.Create, tenant.Edit, tenant.Delete} {
		assert.Positive(t, verbs[verb], verb)
	}
	for _, name := range tenant.Leases {
		assert.Positive(t, leases[name], name)
	}
	assert.Positive(t, changes["without controllers.aiven.io/management-policy"])
	assert.Positive(t, changes["no annotations"])
	assert.Positive(t, sources["bank"])
	assert.Positive(t, sources["team"])
	assert.Positive(t, rotations)
	assert.Positive(t, projects["bank-project"])
	assert.Positive(t, projects["team-project"])
	assert.Positive(t, forged["controllers.aiven.io/create-attempted"])
	assert.Positive(t, forged["controllers.aiven.io/transfer-to"])
}
