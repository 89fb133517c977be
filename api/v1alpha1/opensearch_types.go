package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	opensearchuserconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/opensearch"
)

// OpenSearchSpec defines the desired state of an OpenSearch service.
type OpenSearchSpec struct {
	ServiceCommonSpec `json:",inline"`

	// Aiven's configuration options of the service: OpenSearch, Dashboards, index patterns and templates, snapshots, single
	// sign-on, network access. An option that is removed keeps its value at Aiven.
	// +optional
	UserConfig *opensearchuserconfig.OpensearchUserConfig `json:"userConfig,omitempty"`
}

// OpenSearch is an Aiven for OpenSearch service.
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z][-a-z0-9]{0,63}$') || oldSelf.hasValue()",optionalOldSelf=true,message="the name of a service has at most 64 lower-case letters, digits and hyphens, and begins with a letter: choose another metadata.name"
// +kubebuilder:validation:XValidation:rule="!has(self.spec) || !has(self.spec.serviceIntegrations) || self.spec.serviceIntegrations.all(i, i.sourceServiceName != self.metadata.name) || oldSelf.hasValue()",optionalOldSelf=true,message="a service can't be a replica of itself: remove the field, or name another source",fieldPath=".spec.serviceIntegrations"
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:validation:XValidation:rule="has(self.spec) || !has(oldSelf.spec)",message="spec can't be removed: delete the object instead"
// +kubebuilder:resource:path=opensearches,singular=opensearch,shortName=avnopensearch,categories=aiven
// +kubebuilder:metadata:labels=servicebinding.io/provisioned-service=true
// +kubebuilder:printcolumn:name="Project",type="string",JSONPath=".spec.project"
// +kubebuilder:printcolumn:name="Region",type="string",JSONPath=".spec.cloudName",priority=1
// +kubebuilder:printcolumn:name="Plan",type="string",JSONPath=".spec.plan"
// +kubebuilder:printcolumn:name="State",type="string",JSONPath=".status.state"
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Phase",type="string",JSONPath=".status.phase",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].message",priority=1
// +kubebuilder:printcolumn:name="Secret",type="string",JSONPath=".status.binding.name",priority=1
// +kubebuilder:printcolumn:name="Version",type="string",JSONPath=".status.version",priority=1
type OpenSearch struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Desired state of the OpenSearch service.
	// +optional
	Spec OpenSearchSpec `json:"spec,omitzero"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status ServiceStatus `json:"status,omitzero"`
}

// OpenSearchList is a list of OpenSearch services.
// +kubebuilder:object:root=true
type OpenSearchList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []OpenSearch `json:"items"`
}

// GetAuthSecretRef returns the Secret key that holds the token, nil for the operator's default token.
func (o *OpenSearch) GetAuthSecretRef() *AuthSecretReference { return o.Spec.AuthSecretRef }

// GetProjectDependant returns the project that the service belongs to and its token.
func (o *OpenSearch) GetProjectDependant() *ProjectDependant { return &o.Spec.ProjectDependant }

// GetBaseServiceFields returns the part of the spec that every service kind has.
func (o *OpenSearch) GetBaseServiceFields() *BaseServiceFields { return &o.Spec.BaseServiceFields }

// GetServiceCommonSpec returns the part of the spec that service kinds with a disk and a connection Secret share.
func (o *OpenSearch) GetServiceCommonSpec() *ServiceCommonSpec { return &o.Spec.ServiceCommonSpec }

// GetSecretFields returns where the connection details are published.
func (o *OpenSearch) GetSecretFields() *SecretFields { return &o.Spec.SecretFields }

// GetServiceStatus returns the status that service kinds share.
func (o *OpenSearch) GetServiceStatus() *ServiceStatus { return &o.Status }

// GetCommonStatus returns the status that every kind has.
func (o *OpenSearch) GetCommonStatus() *CommonStatus { return &o.Status.CommonStatus }

func init() {
	register(&OpenSearch{}, &OpenSearchList{})
}
