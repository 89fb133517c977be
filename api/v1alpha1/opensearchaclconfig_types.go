package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// OpenSearchACLConfigSpec defines the desired state of OpenSearchACLConfig.
type OpenSearchACLConfigSpec struct {
	ServiceDependant `json:",inline"`

	// Description missing.
	// +listType=map
	// +listMapKey=username
	// +optional
	Acls []OpenSearchACLConfigAcls `json:"acls,omitempty"`

	// Description missing.
	Enabled bool `json:"enabled"`
}

// OpenSearchACLConfigStatus is the observed state of OpenSearchACLConfig.
type OpenSearchACLConfigStatus struct {
	CommonStatus `json:",inline"`
}

// OpenSearchACLConfigAcls is a part of OpenSearchACLConfig.
type OpenSearchACLConfigAcls struct {
	// Description missing.
	Rules []OpenSearchACLConfigRules `json:"rules"`

	// Description missing.
	// +kubebuilder:validation:MinLength=1
	Username string `json:"username"`
}

// OpenSearchACLConfigRules is a part of OpenSearchACLConfig.
type OpenSearchACLConfigRules struct {
	// Description missing.
	// +kubebuilder:validation:MinLength=1
	Index string `json:"index"`

	// Description missing.
	// +kubebuilder:validation:Enum="admin";"deny";"read";"readwrite";"write"
	Permission string `json:"permission"`
}

// OpenSearchACLConfig is a resource of Aiven. Description missing.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
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

	// Desired state of the OpenSearchACLConfig.
	// +optional
	Spec OpenSearchACLConfigSpec `json:"spec,omitzero"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status OpenSearchACLConfigStatus `json:"status,omitzero"`
}

// OpenSearchACLConfigList is a list of OpenSearchACLConfig objects.
// +kubebuilder:object:root=true
type OpenSearchACLConfigList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []OpenSearchACLConfig `json:"items"`
}

// GetAuthSecretRef returns the Secret key that holds the token, nil for the operator's default token.
func (o *OpenSearchACLConfig) GetAuthSecretRef() *AuthSecretReference { return o.Spec.AuthSecretRef }

// GetServiceDependant returns the service that the resource belongs to.
func (o *OpenSearchACLConfig) GetServiceDependant() *ServiceDependant {
	return &o.Spec.ServiceDependant
}

// GetCommonStatus returns the status that every kind has.
func (o *OpenSearchACLConfig) GetCommonStatus() *CommonStatus { return &o.Status.CommonStatus }

func init() {
	register(&OpenSearchACLConfig{}, &OpenSearchACLConfigList{})
}
