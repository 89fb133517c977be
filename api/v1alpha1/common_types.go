package v1alpha1

// AuthSecretReference names a key of a Secret that holds an Aiven token.
type AuthSecretReference struct {
	// Name of the Secret, in the namespace of this object.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
	// Key in the Secret whose value is the token.
	// +kubebuilder:validation:MinLength=1
	Key string `json:"key"`
}

// AuthSecretRefField says where the token comes from.
type AuthSecretRefField struct {
	// Secret with the Aiven token for this object. Without it, the operator's default token is used.
	// +optional
	AuthSecretRef *AuthSecretReference `json:"authSecretRef,omitempty"`
}

// ProjectField places a resource in a project.
type ProjectField struct {
	// Name of the Aiven project that the resource belongs to.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern="^[a-zA-Z0-9_-]+$"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="Value is immutable"
	Project string `json:"project"`
}

// ServiceField places a resource in a service.
type ServiceField struct {
	// Name of the Aiven service that the resource belongs to.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern="^[a-z][-a-z0-9]+$"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="Value is immutable"
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

// SecretFields say where the connection details are published.
// +kubebuilder:validation:XValidation:rule="has(oldSelf.connInfoSecretTargetDisabled) == has(self.connInfoSecretTargetDisabled)",message="connInfoSecretTargetDisabled can only be set during resource creation."
type SecretFields struct {
	// Set to true to publish no connection Secret at all. Can only be chosen at creation.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="connInfoSecretTargetDisabled is immutable."
	// +optional
	ConnInfoSecretTargetDisabled *bool `json:"connInfoSecretTargetDisabled,omitempty"`

	// Secret that receives the connection details. Its name defaults to the name of this object.
	// +optional
	ConnInfoSecretTarget ConnInfoSecretTarget `json:"connInfoSecretTarget,omitzero"`
}

// ConnInfoSecretTarget shapes the connection Secret.
type ConnInfoSecretTarget struct {
	// Name of the Secret, in the namespace of this object.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="Value is immutable"
	Name string `json:"name"`
	// Annotations to put on the Secret.
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
	// Labels to put on the Secret.
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// Prefix of every key in the Secret. Defaults to the kind in upper case and an underscore.
	// +optional
	Prefix string `json:"prefix,omitempty"`
}

// ConnInfoSecretSource names a key of a Secret that holds a password to use.
type ConnInfoSecretSource struct {
	// Name of the Secret, in the namespace of this object.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
	// Key in the Secret whose value is the password, 8 to 256 characters long.
	// +kubebuilder:validation:MinLength=1
	PasswordKey string `json:"passwordKey"`
}

// ResourceReference names another object of this group.
type ResourceReference struct {
	// Name of the object.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
	// Namespace of the object. Defaults to the namespace of this object.
	// +kubebuilder:validation:MinLength=1
	// +optional
	Namespace string `json:"namespace,omitempty"`
}
