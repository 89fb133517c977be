package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ServiceUserSpec defines the desired state of a service user.
// +kubebuilder:validation:XValidation:rule="has(self.username) == has(oldSelf.username)",message="field can't be added or removed: create another object instead",fieldPath=".username"
type ServiceUserSpec struct {
	ServiceDependant `json:",inline"`
	SecretFields     `json:",inline"`

	// Name of the user at Aiven. Defaults to the name of this object. Immutable.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +kubebuilder:validation:XValidation:rule="self != '.' && self != '..'",message="must not be . or ..: choose another name"
	// +optional
	Username string `json:"username,omitempty"`

	// Secret with the password of the user. If omitted, Aiven generates a password. A changed value is set at Aiven at once. If
	// you remove the field, the user keeps the last password.
	// +optional
	ConnInfoSecretSource *ConnInfoSecretSource `json:"connInfoSecretSource,omitempty"`

	// Access control rules of the user. Valkey services only.
	// +optional
	AccessControl *ServiceUserAccessControl `json:"accessControl,omitempty"`

	// Authentication plugin. MySQL services only. Only used when the user is created.
	// +kubebuilder:validation:Enum=caching_sha2_password;mysql_native_password
	// +optional
	Authentication string `json:"authentication,omitempty"`
}

// ServiceUserAccessControl are the ACL rules of a Valkey user.
type ServiceUserAccessControl struct {
	// Glob-style patterns of the keys that the user can access, for example app:*.
	// +optional
	ValkeyACLKeys []string `json:"valkeyAclKeys,omitempty"`
	// Rules for single commands: allow (+get) or deny (-set).
	// +optional
	ValkeyACLCommands []string `json:"valkeyAclCommands,omitempty"`
	// Rules for command categories: allow (+@read) or deny (-@dangerous).
	// +optional
	ValkeyACLCategories []string `json:"valkeyAclCategories,omitempty"`
	// Glob-style patterns of the publish/subscribe channels that the user can access.
	// +optional
	ValkeyACLChannels []string `json:"valkeyAclChannels,omitempty"`
}

// ServiceUserStatus is the observed state of a service user.
type ServiceUserStatus struct {
	CommonStatus `json:",inline"`

	// Type of the user at Aiven, for example normal or primary.
	// +optional
	Type string `json:"type,omitempty"`
}

// ServiceUser is a user of an Aiven service.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:validation:XValidation:rule="has(self.spec) || !has(oldSelf.spec)",message="spec can't be removed: delete the object instead"
// +kubebuilder:resource:path=serviceusers,singular=serviceuser,shortName=avnuser,categories=aiven
// +kubebuilder:metadata:labels=servicebinding.io/provisioned-service=true
// +kubebuilder:printcolumn:name="Service Name",type="string",JSONPath=".spec.serviceName"
// +kubebuilder:printcolumn:name="Project",type="string",JSONPath=".spec.project"
// +kubebuilder:printcolumn:name="Secret",type="string",JSONPath=".status.binding.name"
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Phase",type="string",JSONPath=".status.phase",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].message",priority=1
// +kubebuilder:printcolumn:name="Certificate Until",type="string",JSONPath=".status.credentials.certificateNotAfter",priority=1
type ServiceUser struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Desired state of the service user.
	// +optional
	Spec ServiceUserSpec `json:"spec,omitzero"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status ServiceUserStatus `json:"status,omitzero"`
}

// ServiceUserList is a list of users.
// +kubebuilder:object:root=true
type ServiceUserList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ServiceUser `json:"items"`
}

// GetUsername returns the name at Aiven: username, or else the name of the object.
func (u *ServiceUser) GetUsername() string {
	if u.Spec.Username != "" {
		return u.Spec.Username
	}
	return u.Name
}

// GetAuthSecretRef returns the Secret key that holds the token, nil for the operator's default token.
func (u *ServiceUser) GetAuthSecretRef() *AuthSecretReference { return u.Spec.AuthSecretRef }

// GetServiceDependant returns the service that the user belongs to.
func (u *ServiceUser) GetServiceDependant() *ServiceDependant { return &u.Spec.ServiceDependant }

// GetSecretFields returns where the connection details are published.
func (u *ServiceUser) GetSecretFields() *SecretFields { return &u.Spec.SecretFields }

// GetCommonStatus returns the status that every kind has.
func (u *ServiceUser) GetCommonStatus() *CommonStatus { return &u.Status.CommonStatus }

func init() {
	register(&ServiceUser{}, &ServiceUserList{})
}
