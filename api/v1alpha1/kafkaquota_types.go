package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// KafkaQuotaSpec defines the desired state of a quota.
// +kubebuilder:validation:XValidation:rule="has(self.user) || has(self.clientId)",message="At least one of user or clientId must be set"
// +kubebuilder:validation:XValidation:rule="has(self.consumerByteRate) || has(self.producerByteRate) || has(self.requestPercentage)",message="At least one of consumerByteRate, producerByteRate or requestPercentage must be set"
// +kubebuilder:validation:XValidation:rule="has(oldSelf.user) == has(self.user)",message="field can't be added or removed: create another object instead",fieldPath=".user"
// +kubebuilder:validation:XValidation:rule="has(oldSelf.clientId) == has(self.clientId)",message="field can't be added or removed: create another object instead",fieldPath=".clientId"
type KafkaQuotaSpec struct {
	ServiceDependant `json:",inline"`

	// Client id that the quota is about, as clients set it in client.id; with user, of that user only. Immutable.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +optional
	ClientID string `json:"clientId,omitempty"`

	// Bytes that the clients together may fetch from each broker in a second. 0 lets nothing through; without it there is no limit.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1073741824
	// +optional
	ConsumerByteRate *int64 `json:"consumerByteRate,omitempty"`

	// Bytes that the clients together may produce to each broker in a second. 0 lets nothing through; without it there is no limit.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1073741824
	// +optional
	ProducerByteRate *int64 `json:"producerByteRate,omitempty"`

	// Percentage of the time of network and request handler threads that the clients together may use on each broker. Without it
	// there is no limit.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	// +optional
	RequestPercentage *float64 `json:"requestPercentage,omitempty"`

	// Username that the quota is about; with clientId, for that client id only. The user need not exist. Immutable.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +optional
	User string `json:"user,omitempty"`
}

// KafkaQuotaStatus is the observed state of a quota.
type KafkaQuotaStatus struct {
	CommonStatus `json:",inline"`
}

// KafkaQuota limits how much the clients of a user or a client id may produce, fetch and ask of each broker of a Kafka service.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:validation:XValidation:rule="has(self.spec) || !has(oldSelf.spec)",message="spec can't be removed: delete the object instead"
// +kubebuilder:resource:path=kafkaquotas,singular=kafkaquota,shortName=avnquota,categories=aiven
// +kubebuilder:printcolumn:name="Project",type="string",JSONPath=".spec.project",priority=1
// +kubebuilder:printcolumn:name="Service Name",type="string",JSONPath=".spec.serviceName"
// +kubebuilder:printcolumn:name="User",type="string",JSONPath=".spec.user"
// +kubebuilder:printcolumn:name="Client ID",type="string",JSONPath=".spec.clientId"
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Phase",type="string",JSONPath=".status.phase",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].message",priority=1
type KafkaQuota struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Desired state of the quota.
	// +optional
	Spec KafkaQuotaSpec `json:"spec,omitzero"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status KafkaQuotaStatus `json:"status,omitzero"`
}

// KafkaQuotaList is a list of quotas.
// +kubebuilder:object:root=true
type KafkaQuotaList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []KafkaQuota `json:"items"`
}

// GetAuthSecretRef returns the Secret key that holds the token, nil for the operator's default token.
func (k *KafkaQuota) GetAuthSecretRef() *AuthSecretReference { return k.Spec.AuthSecretRef }

// GetServiceDependant returns the service that the quota belongs to.
func (k *KafkaQuota) GetServiceDependant() *ServiceDependant { return &k.Spec.ServiceDependant }

// GetCommonStatus returns the status that every kind has.
func (k *KafkaQuota) GetCommonStatus() *CommonStatus { return &k.Status.CommonStatus }

func init() {
	register(&KafkaQuota{}, &KafkaQuotaList{})
}
