package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// KafkaConnectorSpec defines the desired state of KafkaConnector.
type KafkaConnectorSpec struct {
	ServiceDependant `json:",inline"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=1024
	ConnectorClass string `json:"connectorClass"`

	// Description missing.
	UserConfig map[string]string `json:"userConfig"`
}

// KafkaConnectorStatus is the observed state of KafkaConnector.
type KafkaConnectorStatus struct {
	CommonStatus `json:",inline"`

	// Description missing.
	// +optional
	PluginStatus *KafkaConnectorPluginStatus `json:"pluginStatus,omitempty"`

	// Description missing.
	// +optional
	State string `json:"state,omitempty"`

	// Description missing.
	// +optional
	TasksStatus *KafkaConnectorTasksStatus `json:"tasksStatus,omitempty"`
}

// KafkaConnectorPluginStatus is a part of KafkaConnector.
type KafkaConnectorPluginStatus struct {
	// Description missing.
	Author string `json:"author"`

	// Description missing.
	Class string `json:"class"`

	// Description missing.
	DocURL string `json:"docUrl"`

	// Description missing.
	Title string `json:"title"`

	// Description missing.
	Type string `json:"type"`

	// Description missing.
	Version string `json:"version"`
}

// KafkaConnectorTasksStatus is a part of KafkaConnector.
type KafkaConnectorTasksStatus struct {
	// Description missing.
	// +optional
	Failed *int `json:"failed,omitempty"`

	// Description missing.
	// +optional
	Paused *int `json:"paused,omitempty"`

	// Description missing.
	// +optional
	Running *int `json:"running,omitempty"`

	// Description missing.
	// +optional
	StackTrace string `json:"stackTrace,omitempty"`

	// Description missing.
	Total int `json:"total"`

	// Description missing.
	// +optional
	Unassigned *int `json:"unassigned,omitempty"`

	// Description missing.
	// +optional
	Unknown *int `json:"unknown,omitempty"`
}

// KafkaConnector is a resource of Aiven. Description missing.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=kafkaconnectors,singular=kafkaconnector,shortName=avnconnector,categories=aiven
// +kubebuilder:printcolumn:name="Service Name",type="string",JSONPath=".spec.serviceName"
// +kubebuilder:printcolumn:name="Project",type="string",JSONPath=".spec.project"
// +kubebuilder:printcolumn:name="Connector Class",type="string",JSONPath=".spec.connectorClass"
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

	// Desired state of the KafkaConnector.
	// +optional
	Spec KafkaConnectorSpec `json:"spec,omitzero"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status KafkaConnectorStatus `json:"status,omitzero"`
}

// KafkaConnectorList is a list of KafkaConnector objects.
// +kubebuilder:object:root=true
type KafkaConnectorList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []KafkaConnector `json:"items"`
}

// GetAuthSecretRef returns the Secret key that holds the token, nil for the operator's default token.
func (k *KafkaConnector) GetAuthSecretRef() *AuthSecretReference { return k.Spec.AuthSecretRef }

// GetServiceDependant returns the service that the resource belongs to.
func (k *KafkaConnector) GetServiceDependant() *ServiceDependant { return &k.Spec.ServiceDependant }

// GetCommonStatus returns the status that every kind has.
func (k *KafkaConnector) GetCommonStatus() *CommonStatus { return &k.Status.CommonStatus }

func init() {
	register(&KafkaConnector{}, &KafkaConnectorList{})
}
