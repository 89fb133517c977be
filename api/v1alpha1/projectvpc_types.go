package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ProjectVPCSpec is the wanted state of a network.
type ProjectVPCSpec struct {
	ProjectDependant `json:",inline"`

	// Cloud that the network is in, such as google-europe-west1.
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="Value is immutable"
	CloudName string `json:"cloudName"`

	// Range of IPv4 addresses of the network, such as 10.0.0.0/24. It must not overlap with that of a network that this
	// one is to be connected with.
	// +kubebuilder:validation:MaxLength=36
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="Value is immutable"
	NetworkCidr string `json:"networkCidr"`
}

// ProjectVPCStatus is the state of a network.
type ProjectVPCStatus struct {
	CommonStatus `json:",inline"`

	// Aiven's word for the state of the network: APPROVED, ACTIVE, DELETING or DELETED.
	// +optional
	State string `json:"state,omitempty"`

	// Identifier that Aiven has given the network.
	// +optional
	ID string `json:"id,omitempty"`
}

// ProjectVPC is a private network of a project in one cloud, which services can be placed in.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=projectvpcs,singular=projectvpc,categories=aiven
// +kubebuilder:printcolumn:name="Project",type="string",JSONPath=".spec.project"
// +kubebuilder:printcolumn:name="Cloud",type="string",JSONPath=".spec.cloudName"
// +kubebuilder:printcolumn:name="Network CIDR",type="string",JSONPath=".spec.networkCidr"
// +kubebuilder:printcolumn:name="State",type="string",JSONPath=".status.state"
// +kubebuilder:printcolumn:name="Phase",type="string",JSONPath=".status.phase"
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
type ProjectVPC struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Wanted state.
	// +optional
	Spec ProjectVPCSpec `json:"spec,omitzero"`

	// State as the operator found it.
	// +default={"observedGeneration": -1}
	// +optional
	Status ProjectVPCStatus `json:"status,omitzero"`
}

// ProjectVPCList is a list of private networks.
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
