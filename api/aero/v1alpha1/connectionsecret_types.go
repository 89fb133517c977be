package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ConnectionSecretSpec defines the desired contents of a Secret.
// +kubebuilder:validation:XValidation:rule="has(self.presets) || has(self.data) || has(self.keystore)",message="set presets, data or keystore: a Secret needs keys"
// +kubebuilder:validation:XValidation:rule="!has(self.databaseRef) || !has(self.database)",message="set databaseRef or database, not both"
// +kubebuilder:validation:XValidation:rule="!has(self.keystore) || !has(self.data) || !('keystore.p12' in self.data || 'truststore.p12' in self.data)",message="keystore.p12 and truststore.p12 are the keys of keystore: remove them from data, or remove keystore",fieldPath=".data"
type ConnectionSecretSpec struct {
	SecretContents `json:",inline"`

	// Object with the login: a service, a user, a connection pool or a project.
	SourceRef SourceReference `json:"sourceRef"`

	// Database or ClickhouseDatabase of the same service and namespace as the source. Its name at Aiven is the database to connect to.
	// Defaults to the database of the source.
	// +optional
	DatabaseRef *DatabaseReference `json:"databaseRef,omitempty"`

	// Key stores for Java. The certificates of the login and of the service are in keystore.p12 and truststore.p12.
	// +optional
	Keystore *Keystore `json:"keystore,omitempty"`
}

// SourceReference names the object whose login is published.
type SourceReference struct {
	// Kind of the object, in the group aiven.io.
	// +kubebuilder:validation:Enum=Clickhouse;ClickhouseUser;ConnectionPool;Flink;Grafana;Kafka;MySQL;OpenSearch;OrganizationProject;PostgreSQL;Project;ServiceUser;Valkey
	Kind string `json:"kind"`
	// Name of the object.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// Namespace of the object. Defaults to the namespace of this object. Another one needs a ReferenceGrant of the Gateway API there.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +optional
	Namespace string `json:"namespace,omitempty"`
}

// DatabaseReference names a Database or, for a ClickHouse service, a ClickhouseDatabase.
type DatabaseReference struct {
	// Name of the object.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// Keystore configures key stores.
type Keystore struct {
	// Format of the key stores. Defaults to PKCS12.
	// +kubebuilder:validation:Enum=PKCS12
	// +kubebuilder:default=PKCS12
	// +optional
	Format string `json:"format,omitempty"`
	// Key of a Secret with the password of the key stores.
	PasswordSecretRef SecretKeyReference `json:"passwordSecretRef"`
}

// SecretKeyReference names a key of a Secret.
type SecretKeyReference struct {
	// Name of the Secret, in the namespace of this object.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	Name string `json:"name"`
	// Key in the Secret.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Key string `json:"key"`
}

// ConnectionSecretStatus is the observed state of a connection Secret.
type ConnectionSecretStatus struct {
	SecretStatus `json:",inline"`
}

// ConnectionSecret publishes the login of another object as a Secret with the keys that an application needs.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=connectionsecrets,singular=connectionsecret,shortName=avnsecret,categories=aiven
// +kubebuilder:metadata:labels=servicebinding.io/provisioned-service=true
// +kubebuilder:printcolumn:name="Source Kind",type="string",JSONPath=".spec.sourceRef.kind"
// +kubebuilder:printcolumn:name="Source",type="string",JSONPath=".spec.sourceRef.name"
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Secret",type="string",JSONPath=".status.binding.name",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].message",priority=1
type ConnectionSecret struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Desired contents of the Secret.
	Spec ConnectionSecretSpec `json:"spec"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status ConnectionSecretStatus `json:"status,omitzero"`
}

// ConnectionSecretList is a list of ConnectionSecrets.
// +kubebuilder:object:root=true
type ConnectionSecretList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ConnectionSecret `json:"items"`
}

// GetSecretName returns the name of the Secret: target.name, or else the name of the object.
func (c *ConnectionSecret) GetSecretName() string {
	return c.Spec.Target.nameOr(c.Name)
}

// GetSecretStatus returns the part of the status that all kinds with such a Secret have.
func (c *ConnectionSecret) GetSecretStatus() *SecretStatus { return &c.Status.SecretStatus }

// GetConditions returns the conditions of the status.
func (c *ConnectionSecret) GetConditions() []metav1.Condition { return c.Status.Conditions }

// GetSourceNamespace returns the namespace of the source: that of sourceRef, or else that of the object.
func (c *ConnectionSecret) GetSourceNamespace() string {
	if c.Spec.SourceRef.Namespace != "" {
		return c.Spec.SourceRef.Namespace
	}
	return c.Namespace
}
