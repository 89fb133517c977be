package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	kafkaconnectuserconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/kafka_connect"
)

// KafkaConnectSpec defines the desired state of a Kafka Connect service.
type KafkaConnectSpec struct {
	BaseServiceFields `json:",inline"`

	// Options of Kafka Connect. An option that is removed keeps its value at Aiven.
	// +optional
	UserConfig *kafkaconnectuserconfig.KafkaConnectUserConfig `json:"userConfig,omitempty"`
}

// KafkaConnect is an Aiven for Apache Kafka Connect service. Its connectors need an integration of type kafka_connect with a Kafka service.
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z][-a-z0-9]{0,63}$') || oldSelf.hasValue()",optionalOldSelf=true,message="the name of a service has at most 64 lower-case letters, digits and hyphens, and begins with a letter: choose another metadata.name"
// +kubebuilder:validation:XValidation:rule="!has(self.spec) || !has(self.spec.serviceIntegrations) || self.spec.serviceIntegrations.all(i, i.sourceServiceName != self.metadata.name) || oldSelf.hasValue()",optionalOldSelf=true,message="a service can't be a replica of itself: remove the field, or name another source",fieldPath=".spec.serviceIntegrations"
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:validation:XValidation:rule="has(self.spec) || !has(oldSelf.spec)",message="spec can't be removed: delete the object instead"
// +kubebuilder:resource:path=kafkaconnects,singular=kafkaconnect,shortName=avnkafkaconnect,categories=aiven
// +kubebuilder:printcolumn:name="Project",type="string",JSONPath=".spec.project"
// +kubebuilder:printcolumn:name="Region",type="string",JSONPath=".spec.cloudName",priority=1
// +kubebuilder:printcolumn:name="Plan",type="string",JSONPath=".spec.plan"
// +kubebuilder:printcolumn:name="State",type="string",JSONPath=".status.state"
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Phase",type="string",JSONPath=".status.phase",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].message",priority=1
// +kubebuilder:printcolumn:name="Version",type="string",JSONPath=".status.version",priority=1
type KafkaConnect struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Desired state of the Kafka Connect service.
	// +optional
	Spec KafkaConnectSpec `json:"spec,omitzero"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status ServiceStatus `json:"status,omitzero"`
}

// KafkaConnectList is a list of Kafka Connect services.
// +kubebuilder:object:root=true
type KafkaConnectList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []KafkaConnect `json:"items"`
}

// GetAuthSecretRef returns the Secret key that holds the token, nil for the operator's default token.
func (k *KafkaConnect) GetAuthSecretRef() *AuthSecretReference { return k.Spec.AuthSecretRef }

// GetProjectDependant returns the project that the resource belongs to and its token.
func (k *KafkaConnect) GetProjectDependant() *ProjectDependant { return &k.Spec.ProjectDependant }

// GetBaseServiceFields returns the part of the spec that every service kind has.
func (k *KafkaConnect) GetBaseServiceFields() *BaseServiceFields { return &k.Spec.BaseServiceFields }

// GetServiceStatus returns the status that service kinds share.
func (k *KafkaConnect) GetServiceStatus() *ServiceStatus { return &k.Status }

// GetCommonStatus returns the status that every kind has.
func (k *KafkaConnect) GetCommonStatus() *CommonStatus { return &k.Status.CommonStatus }

func init() {
	register(&KafkaConnect{}, &KafkaConnectList{})
}
