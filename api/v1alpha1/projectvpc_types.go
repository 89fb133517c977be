package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ProjectVPCSpec defines the desired state of a project VPC.
type ProjectVPCSpec struct {
	ProjectDependant `json:",inline"`

	// Cloud and region of the VPC, for example google-europe-west1. Immutable.
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	CloudName string `json:"cloudName"`

	// IPv4 CIDR block of the VPC, for example 10.0.0.0/24. Must not overlap with the networks to be peered with it. Immutable.
	// +kubebuilder:validation:MaxLength=36
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	NetworkCidr string `json:"networkCidr"`
}

// ProjectVPCStatus is the observed state of a project VPC.
type ProjectVPCStatus struct {
	CommonStatus `json:",inline"`

	// State of the VPC at Aiven: APPROVED, ACTIVE, DELETING or DELETED.
	// +optional
	State string `json:"state,omitempty"`

	// ID of the VPC at Aiven.
	// +optional
	ID string `json:"id,omitempty"`
}

// ProjectVPC is a virtual private cloud (VPC) of an Aiven project in one cloud region, in which services can be placed.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:validation:XValidation:rule="has(self.spec) || !has(oldSelf.spec)",message="spec can't be removed: delete the object instead"
// +kubebuilder:resource:path=projectvpcs,singular=projectvpc,shortName=avnvpc,categories=aiven
// +kubebuilder:printcolumn:name="Project",type="string",JSONPath=".spec.project"
// +kubebuilder:printcolumn:name="Cloud",type="string",JSONPath=".spec.cloudName"
// +kubebuilder:printcolumn:name="Network CIDR",type="string",JSONPath=".spec.networkCidr"
// +kubebuilder:printcolumn:name="State",type="string",JSONPath=".status.state",priority=1
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Phase",type="string",JSONPath=".status.phase",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].message",priority=1
type ProjectVPC struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Desired state of the project VPC.
	// +optional
	Spec ProjectVPCSpec `json:"spec,omitzero"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status ProjectVPCStatus `json:"status,omitzero"`
}

// ProjectVPCList is a list of project VPCs.
// +kubebuilder:object:root=true
type ProjectVPCList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ProjectVPC `json:"items"`
}

// GetAuthSecretRef returns the Secret key that holds the token, nil for the operator's default token.
func (v *ProjectVPC) GetAuthSecretRef() *AuthSecretReference { return v.Spec.AuthSecretRef }

// GetProjectDependant returns the project that the VPC belongs to and its token.
func (v *ProjectVPC) GetProjectDependant() *ProjectDependant { return &v.Spec.ProjectDependant }

// GetCommonStatus returns the status that every kind has.
func (v *ProjectVPC) GetCommonStatus() *CommonStatus { return &v.Status.CommonStatus }

func init() {
	register(&ProjectVPC{}, &ProjectVPCList{})
}
