package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ClickhouseUserSpec defines the desired state of ClickhouseUser.
type ClickhouseUserSpec struct {
	ServiceDependant `json:",inline"`
	SecretFields     `json:",inline"`

	// Description missing.
	// +optional
	ConnInfoSecretSource *ConnInfoSecretSource `json:"connInfoSecretSource,omitempty"`

	// Description missing. Immutable.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +optional
	Username string `json:"username,omitempty"`
}

// ClickhouseUserStatus is the observed state of ClickhouseUser.
type ClickhouseUserStatus struct {
	CommonStatus `json:",inline"`

	// Description missing.
	// +optional
	UUID string `json:"uuid,omitempty"`
}

// ClickhouseUser is a resource of Aiven. Description missing.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=clickhouseusers,singular=clickhouseuser,shortName=avnclickhouseuser,categories=aiven
// +kubebuilder:printcolumn:name="Username",type="string",JSONPath=".spec.username"
// +kubebuilder:printcolumn:name="Service Name",type="string",JSONPath=".spec.serviceName"
// +kubebuilder:printcolumn:name="Project",type="string",JSONPath=".spec.project"
// +kubebuilder:printcolumn:name="Secret",type="string",JSONPath=".status.binding.name"
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Phase",type="string",JSONPath=".status.phase",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].message",priority=1
type ClickhouseUser struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Desired state of the ClickhouseUser.
	// +optional
	Spec ClickhouseUserSpec `json:"spec,omitzero"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status ClickhouseUserStatus `json:"status,omitzero"`
}

// ClickhouseUserList is a list of ClickhouseUser objects.
// +kubebuilder:object:root=true
type ClickhouseUserList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ClickhouseUser `json:"items"`
}

// GetAuthSecretRef returns the Secret key that holds the token, nil for the operator's default token.
func (c *ClickhouseUser) GetAuthSecretRef() *AuthSecretReference { return c.Spec.AuthSecretRef }

// GetServiceDependant returns the service that the resource belongs to.
func (c *ClickhouseUser) GetServiceDependant() *ServiceDependant { return &c.Spec.ServiceDependant }

// GetSecretFields returns where the connection details are published.
func (c *ClickhouseUser) GetSecretFields() *SecretFields { return &c.Spec.SecretFields }

// GetCommonStatus returns the status that every kind has.
func (c *ClickhouseUser) GetCommonStatus() *CommonStatus { return &c.Status.CommonStatus }

func init() {
	register(&ClickhouseUser{}, &ClickhouseUserList{})
}
