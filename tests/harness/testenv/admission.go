package testenv

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// Admission installs the admission policies that are on by default, for the namespaces of this test alone: other tests prove what
// the engine does about that which got past them. It returns once they are enforced, which the API server takes a moment for.
func (e *Env) Admission(refused Object) {
	e.T.Helper()
	e.Policies("policies.yaml", refused)
}

// Policies is Admission with the policies of another file.
func (e *Env) Policies(file string, refused Object) {
	e.T.Helper()
	raw, err := os.ReadFile(filepath.Join(shared.root, "config", "admission", file))
	require.NoError(e.T, err)
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(raw), 4096)
	for {
		var policy admissionv1.ValidatingAdmissionPolicy
		var binding admissionv1.ValidatingAdmissionPolicyBinding
		err := decoder.Decode(&policy)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(e.T, err)
		require.NoError(e.T, decoder.Decode(&binding))
		policy.Name = e.Namespace + "-" + policy.Name
		binding.Name, binding.Spec.PolicyName = policy.Name, policy.Name
		binding.Spec.MatchResources = &admissionv1.MatchResources{NamespaceSelector: &metav1.LabelSelector{
			MatchExpressions: []metav1.LabelSelectorRequirement{{
				Key: corev1.LabelMetadataName, Operator: metav1.LabelSelectorOpIn, Values: append([]string{e.Namespace}, e.Tenants...),
			}},
		}}
		require.NoError(e.T, e.Client.Create(e.T.Context(), &policy))
		require.NoError(e.T, e.Client.Create(e.T.Context(), &binding))
	}
	e.Until(func() bool {
		obj := refused.DeepCopyObject().(Object)
		err := e.Client.Create(e.T.Context(), obj)
		if err == nil {
			e.Delete(obj)
		}
		return err != nil
	}, func() string { return "the admission policies aren't enforced" })
}
