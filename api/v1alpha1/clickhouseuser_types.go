package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ClickhouseUserSpec defines the desired state of a ClickHouse user.
// +kubebuilder:validation:XValidation:rule="has(oldSelf.username) == has(self.username)",message="field can't be added or removed: create another object instead",fieldPath=".username"
type ClickhouseUserSpec struct {
	ServiceDependant `json:",inline"`
	SecretFields     `json:",inline"`

	// Secret with the password of the user. If omitted, Aiven generates a password. A changed value is set at Aiven at once. If
	// you remove the field, the user keeps the last password.
	// +optional
	ConnInfoSecretSource *ConnInfoSecretSource `json:"connInfoSecretSource,omitempty"`

	// Name of the user at Aiven. Defaults to the name of this object. Immutable.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +optional
	Username string `json:"username,omitempty"`
}

// ClickhouseUserStatus is the observed state of a ClickHouse user.
type ClickhouseUserStatus struct {
	CommonStatus `json:",inline"`

	// ID of the user at Aiven.
	// +optional
	UUID string `json:"uuid,omitempty"`
}

// ClickhouseUser is a user of an Aiven for ClickHouse service. Its privileges are those of ClickhouseGrant objects. Aiven returns
// its password once: see connInfoSecretSource to choose one.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:validation:XValidation:rule="has(self.spec) || !has(oldSelf.spec)",message="spec can't be removed: delete the object instead"
// +kubebuilder:resource:path=clickhouseusers,singular=clickhouseuser,shortName=avnchuser,categories=aiven
// +kubebuilder:metadata:labels=servicebinding.io/provisioned-service=true
// +kubebuilder:printcolumn:name="Username",type="string",JSONPath=".spec.username"
// +kubebuilder:printcolumn:name="Service Name",type="string",JSONPath=".spec.serviceName"
// +kubebuilder:printcolumn:name="Project",type="string",JSONPath=".spec.project",priority=1
// +kubebuilder:printcolumn:name="Secret",type="string",JSONPath=".status.binding.name"
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Phase",type="string",JSONPath=".status.phase",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].message",priority=1
type ClickhouseUser struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Desired state of the user.
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

// GetServiceDependant returns the service that the user belongs to.
func (c *ClickhouseUser) GetServiceDependant() *ServiceDependant { return &c.Spec.ServiceDependant }

// GetSecretFields returns where the connection details are published.
func (c *ClickhouseUser) GetSecretFields() *SecretFields { return &c.Spec.SecretFields }

// GetCommonStatus returns the status that every kind has.
func (c *ClickhouseUser) GetCommonStatus() *CommonStatus { return &c.Status.CommonStatus }

// GetIssuedFor returns the id of the user whose password is published.
func (c *ClickhouseUser) GetIssuedFor() string { return c.Status.UUID }

// GetUsername returns the name at Aiven: username, or else the name of the object.
func (c *ClickhouseUser) GetUsername() string {
	if c.Spec.Username != "" {
		return c.Spec.Username
	}
	return c.Name
}

func init() {
	register(&ClickhouseUser{}, &ClickhouseUserList{})
}
