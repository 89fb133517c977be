package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// KafkaTopicSpec is the wanted state of a topic.
type KafkaTopicSpec struct {
	ServiceDependant `json:",inline"`

	// Name of the topic at Aiven. Defaults to the name of this object, which can't have underscores or capitals.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=249
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="Value is immutable"
	// +optional
	TopicName string `json:"topicName,omitempty"`

	// Number of partitions. It can grow, and not shrink.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	Partitions int `json:"partitions"`

	// Number of copies of each partition, at most one for each broker.
	// +kubebuilder:validation:Minimum=2
	Replication int `json:"replication"`

	// Tags of the topic at Aiven. Tags that aren't listed here are removed.
	// +optional
	Tags []KafkaTopicTag `json:"tags,omitempty"`

	// Settings of the topic. What isn't set keeps the value that it has at Aiven.
	// +optional
	Config *KafkaTopicConfig `json:"config,omitempty"`

	// Set to true to refuse deletion of this object, and so of the topic with its messages.
	// +optional
	TerminationProtection *bool `json:"termination_protection,omitempty"`
}

// KafkaTopicTag is a name with a value.
type KafkaTopicTag struct {
	// Name of the tag.
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

// KafkaTopicStatus is the state of a topic.
type KafkaTopicStatus struct {
	CommonStatus `json:",inline"`

	// Aiven's word for the state of the topic: CONFIGURING, ACTIVE or DELETING.
	// +optional
	State string `json:"state,omitempty"`
}

// KafkaTopic is a topic of a Kafka service.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=kafkatopics,singular=kafkatopic,categories=aiven
// +kubebuilder:printcolumn:name="Service Name",type="string",JSONPath=".spec.serviceName"
// +kubebuilder:printcolumn:name="Project",type="string",JSONPath=".spec.project"
// +kubebuilder:printcolumn:name="Partitions",type="string",JSONPath=".spec.partitions"
// +kubebuilder:printcolumn:name="Replication",type="string",JSONPath=".spec.replication"
// +kubebuilder:printcolumn:name="Phase",type="string",JSONPath=".status.phase"
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
type KafkaTopic struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Wanted state.
	// +optional
	Spec KafkaTopicSpec `json:"spec,omitzero"`

	// State as the operator found it.
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
