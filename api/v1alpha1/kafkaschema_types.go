package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// KafkaSchemaSpec defines the desired state of a schema.
// +kubebuilder:validation:XValidation:rule="!has(self.references) || size(self.references) == 0 || has(self.schemaType) && self.schemaType in ['PROTOBUF', 'JSON']",message="references are only supported for PROTOBUF and JSON schema types: set spec.schemaType"
// +kubebuilder:validation:XValidation:rule="has(oldSelf.schemaType) == has(self.schemaType)",message="field can't be added or removed: create another object instead",fieldPath=".schemaType"
type KafkaSchemaSpec struct {
	ServiceDependant `json:",inline"`

	// Compatibility level of the subject, which decides which new versions the registry accepts. Omitted, the subject keeps its level, or has the
	// registry's. A level that was set stays when this field is removed.
	// +kubebuilder:validation:Enum="BACKWARD";"BACKWARD_TRANSITIVE";"FORWARD";"FORWARD_TRANSITIVE";"FULL";"FULL_TRANSITIVE";"NONE"
	// +optional
	CompatibilityLevel string `json:"compatibilityLevel,omitempty"`

	// Schemas that this schema refers to, for PROTOBUF and JSON. They are registered in this order.
	// +kubebuilder:validation:MaxItems=100
	// +listType=map
	// +listMapKey=name
	// +optional
	References []KafkaSchemaReference `json:"references,omitempty"`

	// Schema definition. A change registers a new version of the subject, which has to be compatible with the versions before it.
	Schema string `json:"schema"`

	// Format of the schema: AVRO, JSON or PROTOBUF. Defaults to AVRO. Immutable.
	// +kubebuilder:validation:Enum="AVRO";"JSON";"PROTOBUF"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +optional
	SchemaType string `json:"schemaType,omitempty"`

	// Subject in the schema registry that versions of the schema are registered under. Immutable.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +kubebuilder:validation:XValidation:rule="self != '.' && self != '..'",message="must not be . or ..: choose another name"
	SubjectName string `json:"subjectName"`
}

// KafkaSchemaStatus is the observed state of a schema.
type KafkaSchemaStatus struct {
	CommonStatus `json:",inline"`

	// ID of the schema in the registry. It is the same in all subjects.
	// +optional
	ID *int `json:"id,omitempty"`

	// Version of the subject that has the schema. The subject may have newer versions, registered by producers.
	// +optional
	Version *int `json:"version,omitempty"`
}

// KafkaSchemaReference is a schema that another one refers to: a KafkaSchema, or a subject and version of the registry.
// +kubebuilder:validation:XValidation:rule="(has(self.subject) && has(self.version) && !has(self.kafkaSchemaRef)) || (!has(self.subject) && !has(self.version) && has(self.kafkaSchemaRef))",message="set both subject and version, or set kafkaSchemaRef, but not both"
type KafkaSchemaReference struct {
	// KafkaSchema of this namespace, in the same project and service. Its version is referred to, and each newer one that it registers. The
	// KafkaSchema isn't deleted while it is referred to.
	// +optional
	KafkaSchemaRef *KafkaSchemaRef `json:"kafkaSchemaRef,omitempty"`

	// Name by which the schema refers to the other schema: an import path in PROTOBUF, the URI of a $ref in JSON.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Name string `json:"name"`

	// Subject of the registry. Needs version.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self != '.' && self != '..'",message="must not be . or ..: choose another name"
	// +optional
	Subject string `json:"subject,omitempty"`

	// Version of the subject.
	// +kubebuilder:validation:Minimum=1
	// +optional
	Version *int `json:"version,omitempty"`
}

// KafkaSchemaRef names a KafkaSchema.
type KafkaSchemaRef struct {
	// Name of the KafkaSchema.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// KafkaSchema is a schema in the schema registry of a Kafka service, and the compatibility level of its subject.
// +kubebuilder:validation:XValidation:rule="!has(self.spec) || !has(self.spec.references) || self.spec.references.all(r, !has(r.kafkaSchemaRef) || r.kafkaSchemaRef.name != self.metadata.name)",message="spec.references must not refer to the object itself: name another KafkaSchema"
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:validation:XValidation:rule="has(self.spec) || !has(oldSelf.spec)",message="spec can't be removed: delete the object instead"
// +kubebuilder:resource:path=kafkaschemas,singular=kafkaschema,shortName=avnschema,categories=aiven
// +kubebuilder:printcolumn:name="Service Name",type="string",JSONPath=".spec.serviceName"
// +kubebuilder:printcolumn:name="Project",type="string",JSONPath=".spec.project",priority=1
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

	// Desired state of the schema.
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
