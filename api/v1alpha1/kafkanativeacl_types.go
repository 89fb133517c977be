package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// KafkaNativeACLSpec defines the desired state of a Kafka-native ACL. Immutable as a whole, authSecretRef included.
// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
type KafkaNativeACLSpec struct {
	ServiceDependant `json:",inline"`

	// IP address of the client. Defaults to *, which is any. Immutable.
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:default="*"
	// +optional
	Host string `json:"host,omitempty"`

	// Operation of Kafka that is allowed or denied. Immutable.
	// +kubebuilder:validation:Enum="All";"Alter";"AlterConfigs";"ClusterAction";"Create";"CreateTokens";"Delete";"Describe";"DescribeConfigs";"DescribeTokens";"IdempotentWrite";"Read";"Write"
	Operation string `json:"operation"`

	// How resourceName is matched: LITERAL is that one name, or any for *; PREFIXED is every name that begins with it. Immutable.
	// +kubebuilder:validation:Enum="LITERAL";"PREFIXED"
	PatternType string `json:"patternType"`

	// Whether the operation is allowed or denied. In Kafka, DENY wins over ALLOW. Immutable.
	// +kubebuilder:validation:Enum="ALLOW";"DENY"
	PermissionType string `json:"permissionType"`

	// Principal that the operation is allowed or denied to, as type:name, such as User:orders-app. The user need not exist. Immutable.
	// +kubebuilder:validation:MaxLength=256
	Principal string `json:"principal"`

	// Name of the resource, such as a topic or a consumer group. It need not exist. That of a Cluster is kafka-cluster. Immutable.
	// +kubebuilder:validation:MaxLength=256
	ResourceName string `json:"resourceName"`

	// Type of the resource. Immutable.
	// +kubebuilder:validation:Enum="Cluster";"DelegationToken";"Group";"Topic";"TransactionalId";"User"
	ResourceType string `json:"resourceType"`
}

// KafkaNativeACLStatus is the observed state of a Kafka-native ACL.
type KafkaNativeACLStatus struct {
	CommonStatus `json:",inline"`

	// ID of the ACL at Aiven. It changes if the ACL has to be created again.
	// +optional
	ID string `json:"id,omitempty"`
}

// KafkaNativeACL allows or denies a principal an operation on resources of Kafka (an ACL of Apache Kafka itself; for Aiven ACLs see KafkaACL).
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:validation:XValidation:rule="has(self.spec) || !has(oldSelf.spec)",message="spec can't be removed: delete the object instead"
// +kubebuilder:resource:path=kafkanativeacls,singular=kafkanativeacl,shortName=avnnativeacl,categories=aiven
// +kubebuilder:printcolumn:name="Service Name",type="string",JSONPath=".spec.serviceName"
// +kubebuilder:printcolumn:name="Project",type="string",JSONPath=".spec.project",priority=1
// +kubebuilder:printcolumn:name="Host",type="string",JSONPath=".spec.host"
// +kubebuilder:printcolumn:name="Operation",type="string",JSONPath=".spec.operation"
// +kubebuilder:printcolumn:name="PatternType",type="string",JSONPath=".spec.patternType",priority=1
// +kubebuilder:printcolumn:name="PermissionType",type="string",JSONPath=".spec.permissionType",priority=1
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Phase",type="string",JSONPath=".status.phase",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].message",priority=1
type KafkaNativeACL struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Desired state of the ACL. Immutable, authSecretRef included: to change it, create another object.
	// +optional
	Spec KafkaNativeACLSpec `json:"spec,omitzero"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status KafkaNativeACLStatus `json:"status,omitzero"`
}

// KafkaNativeACLList is a list of Kafka-native ACLs.
// +kubebuilder:object:root=true
type KafkaNativeACLList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []KafkaNativeACL `json:"items"`
}

// GetAuthSecretRef returns the Secret key that holds the token, nil for the operator's default token.
func (k *KafkaNativeACL) GetAuthSecretRef() *AuthSecretReference { return k.Spec.AuthSecretRef }

// GetServiceDependant returns the service that the ACL belongs to.
func (k *KafkaNativeACL) GetServiceDependant() *ServiceDependant { return &k.Spec.ServiceDependant }

// GetCommonStatus returns the status that every kind has.
func (k *KafkaNativeACL) GetCommonStatus() *CommonStatus { return &k.Status.CommonStatus }

func init() {
	register(&KafkaNativeACL{}, &KafkaNativeACLList{})
}
