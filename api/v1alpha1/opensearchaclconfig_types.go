package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// OpenSearchACLConfigSpec defines the desired state of the access control list of an OpenSearch service.
type OpenSearchACLConfigSpec struct {
	ServiceDependant `json:",inline"`

	// Rules of each user. Users who are listed in none have no access while enabled is true. They needn't exist yet. Defaults to
	// none.
	// +listType=map
	// +listMapKey=username
	// +optional
	Acls []OpenSearchACLConfigAcls `json:"acls,omitempty"`

	// Enforces the access control list. While it is false, every user of the service has access to all indexes.
	Enabled bool `json:"enabled"`
}

// OpenSearchACLConfigStatus is the observed state of an access control list.
type OpenSearchACLConfigStatus struct {
	CommonStatus `json:",inline"`
}

// OpenSearchACLConfigAcls are the rules of a user.
type OpenSearchACLConfigAcls struct {
	// Rules of the user. Their order has no meaning.
	Rules []OpenSearchACLConfigRules `json:"rules"`

	// Name of the user.
	// +kubebuilder:validation:MinLength=1
	Username string `json:"username"`
}

// OpenSearchACLConfigRules is a rule.
type OpenSearchACLConfigRules struct {
	// Name of the index, or a pattern: * matches any text, ? any single character. A name that begins with _ is an API, for
	// example _cat or _mget.
	// +kubebuilder:validation:MinLength=1
	Index string `json:"index"`

	// Permission on the matching indexes: deny, admin (everything), read, readwrite, or write.
	// +kubebuilder:validation:Enum="admin";"deny";"read";"readwrite";"write"
	Permission string `json:"permission"`
}

// OpenSearchACLConfig is the access control list of an OpenSearch service: which users may do what with which indexes. A
// service has one. Deleting the object disables the list, and gives every user of the service access to all indexes.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:validation:XValidation:rule="has(self.spec) || !has(oldSelf.spec)",message="spec can't be removed: delete the object instead"
// +kubebuilder:resource:path=opensearchaclconfigs,singular=opensearchaclconfig,shortName=avnaclconfig,categories=aiven
// +kubebuilder:printcolumn:name="Service Name",type="string",JSONPath=".spec.serviceName"
// +kubebuilder:printcolumn:name="Project",type="string",JSONPath=".spec.project"
// +kubebuilder:printcolumn:name="Enabled",type="boolean",JSONPath=".spec.enabled"
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Phase",type="string",JSONPath=".status.phase",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].message",priority=1
type OpenSearchACLConfig struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Desired state of the access control list.
	// +optional
	Spec OpenSearchACLConfigSpec `json:"spec,omitzero"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status OpenSearchACLConfigStatus `json:"status,omitzero"`
}

// OpenSearchACLConfigList is a list of OpenSearchACLConfigs.
// +kubebuilder:object:root=true
type OpenSearchACLConfigList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []OpenSearchACLConfig `json:"items"`
}

// GetAuthSecretRef returns the Secret key that holds the token, nil for the operator's default token.
func (o *OpenSearchACLConfig) GetAuthSecretRef() *AuthSecretReference { return o.Spec.AuthSecretRef }

// GetServiceDependant returns the service that the list belongs to.
func (o *OpenSearchACLConfig) GetServiceDependant() *ServiceDependant {
	return &o.Spec.ServiceDependant
}

// GetCommonStatus returns the status that every kind has.
func (o *OpenSearchACLConfig) GetCommonStatus() *CommonStatus { return &o.Status.CommonStatus }

func init() {
	register(&OpenSearchACLConfig{}, &OpenSearchACLConfigList{})
}
