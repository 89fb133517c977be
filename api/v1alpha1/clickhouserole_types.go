package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ClickhouseRoleSpec defines the desired state of a ClickHouse role.
type ClickhouseRoleSpec struct {
	ServiceDependant `json:",inline"`

	// Name of the role, of any characters. Immutable.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	Role string `json:"role"`
}

// ClickhouseRoleStatus is the observed state of a ClickHouse role.
type ClickhouseRoleStatus struct {
	CommonStatus `json:",inline"`
}

// ClickhouseRole is a role in an Aiven for ClickHouse service. Its privileges and members are those of ClickhouseGrant objects.
// Deleting the role takes them away.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:validation:XValidation:rule="has(self.spec) || !has(oldSelf.spec)",message="spec can't be removed: delete the object instead"
// +kubebuilder:resource:path=clickhouseroles,singular=clickhouserole,shortName=avnchrole,categories=aiven
// +kubebuilder:printcolumn:name="Project",type="string",JSONPath=".spec.project"
// +kubebuilder:printcolumn:name="Service Name",type="string",JSONPath=".spec.serviceName"
// +kubebuilder:printcolumn:name="Role",type="string",JSONPath=".spec.role"
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Phase",type="string",JSONPath=".status.phase",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].message",priority=1
type ClickhouseRole struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Desired state of the role.
	// +optional
	Spec ClickhouseRoleSpec `json:"spec,omitzero"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status ClickhouseRoleStatus `json:"status,omitzero"`
}

// ClickhouseRoleList is a list of ClickhouseRole objects.
// +kubebuilder:object:root=true
type ClickhouseRoleList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ClickhouseRole `json:"items"`
}

// GetAuthSecretRef returns the Secret key that holds the token, nil for the operator's default token.
func (c *ClickhouseRole) GetAuthSecretRef() *AuthSecretReference { return c.Spec.AuthSecretRef }

// GetServiceDependant returns the service that the role belongs to.
func (c *ClickhouseRole) GetServiceDependant() *ServiceDependant { return &c.Spec.ServiceDependant }

// GetCommonStatus returns the status that every kind has.
func (c *ClickhouseRole) GetCommonStatus() *CommonStatus { return &c.Status.CommonStatus }

func init() {
	register(&ClickhouseRole{}, &ClickhouseRoleList{})
}
