package v1alpha1_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// The Service Binding specification finds the kinds that publish a Secret by a label of their CRDs.
func TestTheKindsThatPublishASecretAreProvisionedServices(t *testing.T) {
	publish := 0
	for _, file := range glob(t, "../../config/crd/bases/*.yaml") {
		var crd apiextensionsv1.CustomResourceDefinition
		require.NoError(t, yaml.Unmarshal(read(t, file), &crd), file)
		_, targets := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties["connInfoSecretTarget"]
		want := ""
		if targets || crd.Spec.Group == "aero-operator.io" {
			publish++
			want = "true"
		}
		assert.Equal(t, want, crd.Labels["servicebinding.io/provisioned-service"], crd.Name)
		assert.Contains(t, crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["status"].Properties, "binding", crd.Name)
	}
	assert.GreaterOrEqual(t, publish, 15)
}
