package tenant_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/tenant"
)

func around() tenant.Surroundings {
	return tenant.Surroundings{
		Examples: []map[string]any{{
			"apiVersion": "aiven.io/v1alpha1", "kind": "Database", "metadata": map[string]any{"name": "orders"},
			"spec": map[string]any{"project": "my-project", "serviceName": "my-pg"},
		}},
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

func TestTenantsStayInTheirNamespaceAndNameWhatIsAnothers(t *testing.T) {
	verbs, projects, forged := map[tenant.Verb]int{}, map[string]int{}, map[string]int{}
	for seed := range uint64(100) {
		for _, step := range tenant.New(seed, around()).Steps {
			verbs[step.Verb]++
			assert.Equal(t, "team", step.Object.GetNamespace())
			if database, is := step.Object.(*v1alpha1.Database); is {
				projects[database.Spec.Project]++
			} else {
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
	assert.Positive(t, projects["bank-project"])
	assert.Positive(t, projects["team-project"])
	assert.Positive(t, forged["controllers.aiven.io/create-attempted"])
	assert.Positive(t, forged["controllers.aiven.io/transfer-to"])
}
