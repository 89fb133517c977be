package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// KafkaConnectorSpec defines the desired state of a connector.
type KafkaConnectorSpec struct {
	ServiceDependant `json:",inline"`

	// Java class of the connector, for example io.aiven.kafka.connect.s3.AivenKafkaConnectS3SinkConnector.
	// +kubebuilder:validation:MaxLength=1024
	ConnectorClass string `json:"connectorClass"`

	// Configuration of the connector, as Kafka Connect takes it. Keys that aren't listed here are removed. Each value is a template:
	// {{ fromSecret "name" "key" }} is the value of a key of a Secret in the namespace of this object.
	// +kubebuilder:validation:MaxProperties=1000
	UserConfig map[string]string `json:"userConfig"`
}

// KafkaConnectorStatus is the observed state of a connector.
type KafkaConnectorStatus struct {
	CommonStatus `json:",inline"`

	// Plugin that runs the connector.
	// +optional
	PluginStatus *KafkaConnectorPluginStatus `json:"pluginStatus,omitempty"`

	// State of the connector at Aiven: FAILED, PAUSED, RUNNING, STOPPED or UNASSIGNED.
	// +optional
	State string `json:"state,omitempty"`

	// Tasks of the connector.
	// +optional
	TasksStatus *KafkaConnectorTasksStatus `json:"tasksStatus,omitempty"`
}

// KafkaConnectorPluginStatus describes the plugin that runs a connector.
type KafkaConnectorPluginStatus struct {
	// Author of the plugin.
	// +optional
	Author string `json:"author,omitempty"`

	// Java class of the connector.
	// +optional
	Class string `json:"class,omitempty"`

	// URL of the plugin's documentation.
	// +optional
	DocURL string `json:"docUrl,omitempty"`

	// Title of the plugin.
	// +optional
	Title string `json:"title,omitempty"`

	// Direction of the data: sink, source or unknown.
	// +optional
	Type string `json:"type,omitempty"`

	// Version of the plugin.
	// +optional
	Version string `json:"version,omitempty"`
}

// KafkaConnectorTasksStatus counts the tasks of a connector by their states.
type KafkaConnectorTasksStatus struct {
	// Number of tasks in the state FAILED.
	// +optional
	Failed *int `json:"failed,omitempty"`

	// Number of tasks in the state PAUSED.
	// +optional
	Paused *int `json:"paused,omitempty"`

	// Number of tasks in the state RUNNING.
	// +optional
	Running *int `json:"running,omitempty"`

	// Tasks that have failed, and the beginning of their traces as they were when the first of these failures was seen. At most
	// 4 KiB, without the values of Secrets.
	// +optional
	StackTrace string `json:"stackTrace,omitempty"`

	// Number of tasks.
	// +optional
	Total int `json:"total"`

	// Number of tasks in the state UNASSIGNED.
	// +optional
	Unassigned *int `json:"unassigned,omitempty"`

	// Number of tasks in any other state.
	// +optional
	Unknown *int `json:"unknown,omitempty"`
}

// KafkaConnector is a connector of Kafka Connect, in a Kafka service with spec.userConfig.kafka_connect or in a KafkaConnect service.
// +kubebuilder:validation:XValidation:rule="!has(self.spec) || !('name' in self.spec.userConfig) || self.spec.userConfig['name'] == self.metadata.name || self.spec.userConfig['name'].contains('{{') || oldSelf.?spec.?userConfig[?'name'].orValue(\"\") == self.spec.userConfig['name']",optionalOldSelf=true,message="name must be the name of this object: remove it",fieldPath=".spec.userConfig"
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:validation:XValidation:rule="has(self.spec) || !has(oldSelf.spec)",message="spec can't be removed: delete the object instead"
// +kubebuilder:resource:path=kafkaconnectors,singular=kafkaconnector,shortName=avnconnector,categories=aiven
// +kubebuilder:printcolumn:name="Service Name",type="string",JSONPath=".spec.serviceName"
// +kubebuilder:printcolumn:name="Project",type="string",JSONPath=".spec.project"
// +kubebuilder:printcolumn:name="Connector Class",type="string",JSONPath=".spec.connectorClass",priority=1
// +kubebuilder:printcolumn:name="State",type="string",JSONPath=".status.state"
// +kubebuilder:printcolumn:name="Tasks Total",type="integer",JSONPath=".status.tasksStatus.total",priority=1
// +kubebuilder:printcolumn:name="Tasks Running",type="integer",JSONPath=".status.tasksStatus.running",priority=1
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Phase",type="string",JSONPath=".status.phase",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].message",priority=1
type KafkaConnector struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Desired state of the connector.
	// +optional
	Spec KafkaConnectorSpec `json:"spec,omitzero"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status KafkaConnectorStatus `json:"status,omitzero"`
}

// KafkaConnectorList is a list of connectors.
// +kubebuilder:object:root=true
type KafkaConnectorList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []KafkaConnector `json:"items"`
}

// GetAuthSecretRef returns the Secret key that holds the token, nil for the operator's default token.
func (k *KafkaConnector) GetAuthSecretRef() *AuthSecretReference { return k.Spec.AuthSecretRef }

// GetServiceDependant returns the service that the connector belongs to.
func (k *KafkaConnector) GetServiceDependant() *ServiceDependant { return &k.Spec.ServiceDependant }

// GetCommonStatus returns the status that every kind has.
func (k *KafkaConnector) GetCommonStatus() *CommonStatus { return &k.Status.CommonStatus }

func init() {
	register(&KafkaConnector{}, &KafkaConnectorList{})
}
