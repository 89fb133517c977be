package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// KafkaACLSpec is the wanted state of a rule.
type KafkaACLSpec struct {
	ServiceDependant `json:",inline"`

	// What the user may do with the topics.
	// +kubebuilder:validation:Enum=admin;read;readwrite;write
	Permission string `json:"permission"`

	// Topics that the rule is about: a name, in which * stands for any text and ? for any character.
	Topic string `json:"topic"`

	// User that the rule is about: a name, in which * stands for any text and ? for any character.
	Username string `json:"username"`
}

// KafkaACLStatus is the state of a rule.
type KafkaACLStatus struct {
	CommonStatus `json:",inline"`

	// Identifier that Aiven has given the rule. A rule with other contents is another rule, with another identifier.
	// +optional
	ID string `json:"id,omitempty"`
}

// KafkaACL is a rule of Aiven's own kind that lets a user work with topics of a Kafka service.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=kafkaacls,singular=kafkaacl,categories=aiven
// +kubebuilder:printcolumn:name="Service Name",type="string",JSONPath=".spec.serviceName"
// +kubebuilder:printcolumn:name="Project",type="string",JSONPath=".spec.project"
// +kubebuilder:printcolumn:name="Username",type="string",JSONPath=".spec.username"
// +kubebuilder:printcolumn:name="Permission",type="string",JSONPath=".spec.permission"
// +kubebuilder:printcolumn:name="Topic",type="string",JSONPath=".spec.topic"
// +kubebuilder:printcolumn:name="Phase",type="string",JSONPath=".status.phase"
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
type KafkaACL struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Wanted state.
	// +optional
	Spec KafkaACLSpec `json:"spec,omitzero"`

	// State as the operator found it.
	// +default={"observedGeneration": -1}
	// +optional
	Status KafkaACLStatus `json:"status,omitzero"`
}

// KafkaACLList is a list of rules.
// +kubebuilder:object:root=true
type KafkaACLList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []KafkaACL `json:"items"`
}

// GetAuthSecretRef returns the Secret key that holds the token, nil for the operator's default token.
func (a *KafkaACL) GetAuthSecretRef() *AuthSecretReference { return a.Spec.AuthSecretRef }

// GetServiceDependant returns the service that the rule belongs to.
func (a *KafkaACL) GetServiceDependant() *ServiceDependant { return &a.Spec.ServiceDependant }

// GetCommonStatus returns the status that every kind has.
func (a *KafkaACL) GetCommonStatus() *CommonStatus { return &a.Status.CommonStatus }

func init() {
	register(&KafkaACL{}, &KafkaACLList{})
}
