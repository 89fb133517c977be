package v1alpha1

// AuthSecretReference names a key of a Secret that holds an Aiven token.
type AuthSecretReference struct {
	// Name of the Secret, in the namespace of this object.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
	// Key of the token in the Secret.
	// +kubebuilder:validation:MinLength=1
	Key string `json:"key"`
}

// AuthSecretRefField references the token.
type AuthSecretRefField struct {
	// Secret with the Aiven token for this object. Defaults to the token of the Namespace, or else of the operator.
	// +optional
	AuthSecretRef *AuthSecretReference `json:"authSecretRef,omitempty"`
}

// ProjectField names the project of a resource.
type ProjectField struct {
	// Name of the Aiven project that the resource belongs to. Immutable.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern="^[a-zA-Z0-9_-]+$"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	Project string `json:"project"`
}

// ServiceField names the service of a resource.
type ServiceField struct {
	// Name of the Aiven service that the resource belongs to. Immutable.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern="^[a-z][-a-z0-9]+$"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	ServiceName string `json:"serviceName"`
}

// ProjectDependant are the fields of a resource that lives in a project.
type ProjectDependant struct {
	ProjectField       `json:",inline"`
	AuthSecretRefField `json:",inline"`
}

// ServiceDependant are the fields of a resource that lives in a service.
type ServiceDependant struct {
	ProjectDependant `json:",inline"`
	ServiceField     `json:",inline"`
}

// SecretFields configure the connection Secret.
// +kubebuilder:validation:XValidation:rule="has(oldSelf.connInfoSecretTargetDisabled) == has(self.connInfoSecretTargetDisabled)",message="field can't be added or removed: create another object instead",fieldPath=".connInfoSecretTargetDisabled"
type SecretFields struct {
	// Disables the connection Secret. Can only be set when the object is created. Immutable. Defaults to false.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +optional
	ConnInfoSecretTargetDisabled *bool `json:"connInfoSecretTargetDisabled,omitempty"`

	// Secret that receives the connection details. If omitted, the Secret has the name of this object and its keys the default prefix.
	// +optional
	ConnInfoSecretTarget ConnInfoSecretTarget `json:"connInfoSecretTarget,omitzero"`
}

// ConnInfoSecretTarget configures the connection Secret.
type ConnInfoSecretTarget struct {
	// Name of the Secret, in the namespace of this object. Required if connInfoSecretTarget is set. Immutable.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	Name string `json:"name"`
	// Annotations of the Secret, in addition to those of the operator.
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
	// Labels of the Secret, in addition to those of the operator. A label of the same name overrides the operator's.
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// Prefix of the keys in the Secret, for example ORDERS_. Defaults to the kind in upper case, followed by an underscore.
	// +optional
	Prefix string `json:"prefix,omitempty"`
}

// ConnInfoSecretSource names a key of a Secret that holds the password to set.
type ConnInfoSecretSource struct {
	// Name of the Secret, in the namespace of this object.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
	// Key of the password in the Secret. The password must have 8 to 256 characters.
	// +kubebuilder:validation:MinLength=1
	PasswordKey string `json:"passwordKey"`
}

// ResourceReference names another object of this API group.
type ResourceReference struct {
	// Name of the object.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
	// Namespace of the object. Defaults to the namespace of this object.
	// +kubebuilder:validation:MinLength=1
	// +optional
	Namespace string `json:"namespace,omitempty"`
}
