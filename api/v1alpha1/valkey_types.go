package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	valkeyuserconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/valkey"
)

// ValkeySpec defines the desired state of a Valkey service.
type ValkeySpec struct {
	ServiceCommonSpec `json:",inline"`

	// Aiven's configuration options of the service: Valkey, persistence, migration, network access. An option that is removed keeps its value at Aiven.
	// +optional
	UserConfig *valkeyuserconfig.ValkeyUserConfig `json:"userConfig,omitempty"`
}

// Valkey is an Aiven for Valkey service.
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z][-a-z0-9]{0,63}$') || oldSelf.hasValue()",optionalOldSelf=true,message="the name of a service has at most 64 lower-case letters, digits and hyphens, and begins with a letter: choose another metadata.name"
// +kubebuilder:validation:XValidation:rule="!has(self.spec) || !has(self.spec.serviceIntegrations) || self.spec.serviceIntegrations.all(i, i.sourceServiceName != self.metadata.name) || oldSelf.hasValue()",optionalOldSelf=true,message="a service can't be a replica of itself: remove the field, or name another source",fieldPath=".spec.serviceIntegrations"
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:validation:XValidation:rule="has(self.spec) || !has(oldSelf.spec)",message="spec can't be removed: delete the object instead"
// +kubebuilder:resource:path=valkeys,singular=valkey,shortName=avnvalkey,categories=aiven
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
type Valkey struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Desired state of the Valkey service.
	// +optional
	Spec ValkeySpec `json:"spec,omitzero"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status ServiceStatus `json:"status,omitzero"`
}

// ValkeyList is a list of Valkey services.
// +kubebuilder:object:root=true
type ValkeyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Valkey `json:"items"`
}

// GetAuthSecretRef returns the Secret key that holds the token, nil for the operator's default token.
func (v *Valkey) GetAuthSecretRef() *AuthSecretReference { return v.Spec.AuthSecretRef }

// GetProjectDependant returns the project that the service belongs to and its token.
func (v *Valkey) GetProjectDependant() *ProjectDependant { return &v.Spec.ProjectDependant }

// GetBaseServiceFields returns the part of the spec that every service kind has.
func (v *Valkey) GetBaseServiceFields() *BaseServiceFields { return &v.Spec.BaseServiceFields }

// GetServiceCommonSpec returns the part of the spec that service kinds with a disk and a connection Secret share.
func (v *Valkey) GetServiceCommonSpec() *ServiceCommonSpec { return &v.Spec.ServiceCommonSpec }

// GetSecretFields returns where the connection details are published.
func (v *Valkey) GetSecretFields() *SecretFields { return &v.Spec.SecretFields }

// GetServiceStatus returns the status that service kinds share.
func (v *Valkey) GetServiceStatus() *ServiceStatus { return &v.Status }

// GetCommonStatus returns the status that every kind has.
func (v *Valkey) GetCommonStatus() *CommonStatus { return &v.Status.CommonStatus }

func init() {
	register(&Valkey{}, &ValkeyList{})
}
