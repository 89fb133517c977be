package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// KafkaSchemaRegistryACLSpec defines the desired state of an ACL of the schema registry.
type KafkaSchemaRegistryACLSpec struct {
	ServiceDependant `json:",inline"`

	// Permission to grant; schema_registry_write includes reading. Immutable.
	// +kubebuilder:validation:Enum="schema_registry_read";"schema_registry_write"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	Permission string `json:"permission"`

	// What the permission is for: Config: is the global configuration of the registry, Subject: with a name or pattern is those
	// subjects, such as Subject:orders-*. Immutable.
	// +kubebuilder:validation:MaxLength=249
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	Resource string `json:"resource"`

	// Username or pattern: * matches any text, ? any single character. The user need not exist. Immutable.
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	Username string `json:"username"`
}

// KafkaSchemaRegistryACLStatus is the observed state of an ACL of the schema registry.
type KafkaSchemaRegistryACLStatus struct {
	CommonStatus `json:",inline"`

	// ID of the ACL at Aiven. It changes if the ACL has to be created again.
	// +optional
	ACLID string `json:"acl_id,omitempty"`
}

// KafkaSchemaRegistryACL grants a Kafka user a permission on subjects of the schema registry (Karapace), or on its configuration.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:validation:XValidation:rule="has(self.spec) || !has(oldSelf.spec)",message="spec can't be removed: delete the object instead"
// +kubebuilder:resource:path=kafkaschemaregistryacls,singular=kafkaschemaregistryacl,shortName=avnschemaregistryacl,categories=aiven
// +kubebuilder:printcolumn:name="Project",type="string",JSONPath=".spec.project",priority=1
// +kubebuilder:printcolumn:name="Service Name",type="string",JSONPath=".spec.serviceName"
// +kubebuilder:printcolumn:name="Resource",type="string",JSONPath=".spec.resource"
// +kubebuilder:printcolumn:name="Username",type="string",JSONPath=".spec.username"
// +kubebuilder:printcolumn:name="State",type="string",JSONPath=".status.state",priority=1
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Phase",type="string",JSONPath=".status.phase",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].message",priority=1
type KafkaSchemaRegistryACL struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Desired state of the ACL.
	// +optional
	Spec KafkaSchemaRegistryACLSpec `json:"spec,omitzero"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status KafkaSchemaRegistryACLStatus `json:"status,omitzero"`
}

// KafkaSchemaRegistryACLList is a list of ACLs of the schema registry.
// +kubebuilder:object:root=true
type KafkaSchemaRegistryACLList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []KafkaSchemaRegistryACL `json:"items"`
}

// GetAuthSecretRef returns the Secret key that holds the token, nil for the operator's default token.
func (k *KafkaSchemaRegistryACL) GetAuthSecretRef() *AuthSecretReference { return k.Spec.AuthSecretRef }

// GetServiceDependant returns the service that the ACL belongs to.
func (k *KafkaSchemaRegistryACL) GetServiceDependant() *ServiceDependant {
	return &k.Spec.ServiceDependant
}

// GetCommonStatus returns the status that every kind has.
func (k *KafkaSchemaRegistryACL) GetCommonStatus() *CommonStatus { return &k.Status.CommonStatus }

func init() {
	register(&KafkaSchemaRegistryACL{}, &KafkaSchemaRegistryACLList{})
}
