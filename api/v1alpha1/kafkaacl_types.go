package v1alpha1

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// KafkaACLSpec defines the desired state of an ACL.
type KafkaACLSpec struct {
	ServiceDependant `json:",inline"`

	// Permission to grant on the matching topics.
	// +kubebuilder:validation:Enum=admin;read;readwrite;write
	Permission string `json:"permission"`

	// Topic name or pattern: * matches any text, ? any single character.
	Topic string `json:"topic"`

	// Username or pattern: * matches any text, ? any single character.
	Username string `json:"username"`
}

// KafkaACLStatus is the observed state of an ACL.
type KafkaACLStatus struct {
	CommonStatus `json:",inline"`

	// ID of the ACL at Aiven. It changes with the spec, because Aiven's ACLs can't be edited. It isn't set while the object only
	// observes.
	// +optional
	ID string `json:"id,omitempty"`

	// Rule is the ACL that has the id.
	// +optional
	Rule *KafkaACLRule `json:"rule,omitempty"`

	// Requested are the ACLs that Aiven was asked for, until it shows the one of the spec and none of an earlier spec.
	// +optional
	Requested []KafkaACLRule `json:"requested,omitempty"`
}

// KafkaACLRule is what an ACL allows.
type KafkaACLRule struct {
	// Permission on the matching topics.
	Permission string `json:"permission"`

	// Topic name or pattern.
	Topic string `json:"topic"`

	// Username or pattern.
	Username string `json:"username"`
}

// KafkaACL grants a Kafka user a permission on topics that match a pattern (an Aiven ACL; for Kafka-native ACLs see KafkaNativeACL).
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:validation:XValidation:rule="has(self.spec) || !has(oldSelf.spec)",message="spec can't be removed: delete the object instead"
// +kubebuilder:resource:path=kafkaacls,singular=kafkaacl,shortName=avnacl,categories=aiven
// +kubebuilder:printcolumn:name="Service Name",type="string",JSONPath=".spec.serviceName"
// +kubebuilder:printcolumn:name="Project",type="string",JSONPath=".spec.project",priority=1
// +kubebuilder:printcolumn:name="Username",type="string",JSONPath=".spec.username"
// +kubebuilder:printcolumn:name="Permission",type="string",JSONPath=".spec.permission"
// +kubebuilder:printcolumn:name="Topic",type="string",JSONPath=".spec.topic"
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Phase",type="string",JSONPath=".status.phase",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].message",priority=1
type KafkaACL struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Desired state of the ACL.
	// +optional
	Spec KafkaACLSpec `json:"spec,omitzero"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status KafkaACLStatus `json:"status,omitzero"`
}

// KafkaACLList is a list of ACLs.
// +kubebuilder:object:root=true
type KafkaACLList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []KafkaACL `json:"items"`
}

// GetAuthSecretRef returns the Secret key that holds the token, nil for the operator's default token.
func (a *KafkaACL) GetAuthSecretRef() *AuthSecretReference { return a.Spec.AuthSecretRef }

// GetServiceDependant returns the service that the ACL belongs to.
func (a *KafkaACL) GetServiceDependant() *ServiceDependant { return &a.Spec.ServiceDependant }

// GetCommonStatus returns the status that every kind has.
func (a *KafkaACL) GetCommonStatus() *CommonStatus { return &a.Status.CommonStatus }

// GetRule returns what the spec asks for.
func (a *KafkaACL) GetRule() KafkaACLRule {
	return KafkaACLRule{Permission: a.Spec.Permission, Topic: a.Spec.Topic, Username: a.Spec.Username}
}

// ProvesRule reports whether the status is about the ACL of the spec, and not about that of an earlier spec.
func (a *KafkaACL) ProvesRule() bool {
	if a.Status.Rule == nil && len(a.Status.Requested) == 0 {
		return true // it was handed over, or is of aiven-operator
	}
	return a.Status.Rule != nil && *a.Status.Rule == a.GetRule() || slices.Contains(a.Status.Requested, a.GetRule())
}

// HasFormer reports whether Aiven may have an ACL of an earlier spec: the id may be that of one.
func (a *KafkaACL) HasFormer() bool {
	return a.Status.ID != "" || slices.ContainsFunc(a.Status.Requested, func(asked KafkaACLRule) bool { return asked != a.GetRule() })
}

func init() {
	register(&KafkaACL{}, &KafkaACLList{})
}
