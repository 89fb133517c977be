package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// KafkaSchemaSpec defines the desired state of KafkaSchema.
// +kubebuilder:validation:XValidation:rule="!has(self.references) || size(self.references) == 0 || self.schemaType in ['PROTOBUF', 'JSON']",message="references are only supported for PROTOBUF and JSON schema types"
type KafkaSchemaSpec struct {
	ServiceDependant `json:",inline"`

	// Description missing.
	// +kubebuilder:validation:Enum="BACKWARD";"BACKWARD_TRANSITIVE";"FORWARD";"FORWARD_TRANSITIVE";"FULL";"FULL_TRANSITIVE";"NONE"
	// +optional
	CompatibilityLevel string `json:"compatibilityLevel,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxItems=100
	// +listType=map
	// +listMapKey=name
	// +optional
	References []KafkaSchemaReferences `json:"references,omitempty"`

	// Description missing.
	Schema string `json:"schema"`

	// Description missing. Immutable.
	// +kubebuilder:validation:Enum="AVRO";"JSON";"PROTOBUF"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +optional
	SchemaType string `json:"schemaType,omitempty"`

	// Description missing. Immutable.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	SubjectName string `json:"subjectName"`
}

// KafkaSchemaStatus is the observed state of KafkaSchema.
type KafkaSchemaStatus struct {
	CommonStatus `json:",inline"`

	// Description missing.
	// +optional
	ID *int `json:"id,omitempty"`

	// Description missing.
	// +optional
	Version *int `json:"version,omitempty"`
}

// KafkaSchemaReferences is a part of KafkaSchema.
// +kubebuilder:validation:XValidation:rule="(has(self.subject) && has(self.version) && !has(self.kafkaSchemaRef)) || (!has(self.subject) && !has(self.version) && has(self.kafkaSchemaRef))",message="set both subject and version, or set kafkaSchemaRef, but not both"
type KafkaSchemaReferences struct {
	// Description missing.
	// +optional
	KafkaSchemaRef *KafkaSchemaKafkaSchemaRef `json:"kafkaSchemaRef,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Name string `json:"name"`

	// Description missing.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +optional
	Subject string `json:"subject,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Minimum=1
	// +optional
	Version *int `json:"version,omitempty"`
}

// KafkaSchemaKafkaSchemaRef is a part of KafkaSchema.
type KafkaSchemaKafkaSchemaRef struct {
	// Description missing.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// KafkaSchema is a resource of Aiven. Description missing.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=kafkaschemas,singular=kafkaschema,shortName=avnschema,categories=aiven
// +kubebuilder:printcolumn:name="Service Name",type="string",JSONPath=".spec.serviceName"
// +kubebuilder:printcolumn:name="Project",type="string",JSONPath=".spec.project"
// +kubebuilder:printcolumn:name="Subject",type="string",JSONPath=".spec.subjectName"
// +kubebuilder:printcolumn:name="Compatibility Level",type="string",JSONPath=".spec.compatibilityLevel"
// +kubebuilder:printcolumn:name="Version",type="number",JSONPath=".status.version",priority=1
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Phase",type="string",JSONPath=".status.phase",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].message",priority=1
type KafkaSchema struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Desired state of the KafkaSchema.
	// +optional
	Spec KafkaSchemaSpec `json:"spec,omitzero"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status KafkaSchemaStatus `json:"status,omitzero"`
}

// KafkaSchemaList is a list of KafkaSchema objects.
// +kubebuilder:object:root=true
type KafkaSchemaList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []KafkaSchema `json:"items"`
}

// GetAuthSecretRef returns the Secret key that holds the token, nil for the operator's default token.
func (k *KafkaSchema) GetAuthSecretRef() *AuthSecretReference { return k.Spec.AuthSecretRef }

// GetServiceDependant returns the service that the resource belongs to.
func (k *KafkaSchema) GetServiceDependant() *ServiceDependant { return &k.Spec.ServiceDependant }

// GetCommonStatus returns the status that every kind has.
func (k *KafkaSchema) GetCommonStatus() *CommonStatus { return &k.Status.CommonStatus }

func init() {
	register(&KafkaSchema{}, &KafkaSchemaList{})
}
