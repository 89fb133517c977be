package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// KafkaTopicSpec defines the desired state of a topic.
// +kubebuilder:validation:XValidation:rule="has(oldSelf.topicName) == has(self.topicName)",message="field can't be added or removed: create another object instead",fieldPath=".topicName"
type KafkaTopicSpec struct {
	ServiceDependant `json:",inline"`

	// Name of the topic at Aiven. Defaults to the name of this object. Immutable.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=249
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +kubebuilder:validation:XValidation:rule="self != '.' && self != '..'",message="must not be . or ..: choose another name"
	// +optional
	TopicName string `json:"topicName,omitempty"`

	// Number of partitions. Can be increased, but not decreased.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	Partitions int `json:"partitions"`

	// Replication factor: number of replicas of each partition. At most the number of brokers.
	// +kubebuilder:validation:Minimum=2
	Replication int `json:"replication"`

	// Tags of the topic at Aiven. Tags that are not listed here are removed.
	// +optional
	Tags []KafkaTopicTag `json:"tags,omitempty"`

	// Topic configuration. Options that are omitted keep their value at Aiven.
	// +optional
	Config *KafkaTopicConfig `json:"config,omitempty"`

	// Protects this object from deletion, and so the topic and its messages. Aiven itself doesn't protect topics. Defaults to false.
	// +optional
	TerminationProtection *bool `json:"termination_protection,omitempty"`
}

// KafkaTopicTag is a tag of a topic.
type KafkaTopicTag struct {
	// Key of the tag.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:Pattern="^[a-zA-Z0-9_-]+$"
	Key string `json:"key"`
	// Value of the tag.
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:Pattern="^[a-zA-Z0-9_-]+$"
	// +optional
	Value string `json:"value,omitempty"`
}

// KafkaTopicStatus is the observed state of a topic.
type KafkaTopicStatus struct {
	CommonStatus `json:",inline"`

	// State of the topic at Aiven: CONFIGURING, ACTIVE or DELETING.
	// +optional
	State string `json:"state,omitempty"`
}

// KafkaTopic is a topic of a Kafka service.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:validation:XValidation:rule="has(self.spec) || !has(oldSelf.spec)",message="spec can't be removed: delete the object instead"
// +kubebuilder:resource:path=kafkatopics,singular=kafkatopic,shortName=avntopic,categories=aiven
// +kubebuilder:printcolumn:name="Service Name",type="string",JSONPath=".spec.serviceName"
// +kubebuilder:printcolumn:name="Project",type="string",JSONPath=".spec.project",priority=1
// +kubebuilder:printcolumn:name="Partitions",type="string",JSONPath=".spec.partitions"
// +kubebuilder:printcolumn:name="Replication",type="string",JSONPath=".spec.replication"
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Phase",type="string",JSONPath=".status.phase",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].message",priority=1
type KafkaTopic struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Desired state of the topic.
	// +optional
	Spec KafkaTopicSpec `json:"spec,omitzero"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status KafkaTopicStatus `json:"status,omitzero"`
}

// KafkaTopicList is a list of topics.
// +kubebuilder:object:root=true
type KafkaTopicList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []KafkaTopic `json:"items"`
}

// GetTopicName returns the name at Aiven: topicName, or else the name of the object.
func (t *KafkaTopic) GetTopicName() string {
	if t.Spec.TopicName != "" {
		return t.Spec.TopicName
	}
	return t.Name
}

// GetAuthSecretRef returns the Secret key that holds the token, nil for the operator's default token.
func (t *KafkaTopic) GetAuthSecretRef() *AuthSecretReference { return t.Spec.AuthSecretRef }

// GetServiceDependant returns the service that the topic belongs to.
func (t *KafkaTopic) GetServiceDependant() *ServiceDependant { return &t.Spec.ServiceDependant }

// GetCommonStatus returns the status that every kind has.
func (t *KafkaTopic) GetCommonStatus() *CommonStatus { return &t.Status.CommonStatus }

func init() {
	register(&KafkaTopic{}, &KafkaTopicList{})
}
