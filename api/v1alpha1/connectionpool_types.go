package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ConnectionPoolSpec defines the desired state of a connection pool.
//
// The rule on username treats an empty name like none, in both directions.
// +kubebuilder:validation:XValidation:rule="((!has(oldSelf.username) || size(oldSelf.username) == 0) && (!has(self.username) || size(self.username) == 0)) || (has(oldSelf.username) && size(oldSelf.username) > 0 && has(self.username) && self.username == oldSelf.username)",message="field is immutable: create another object instead",fieldPath=".username"
type ConnectionPoolSpec struct {
	ServiceDependant `json:",inline"`
	SecretFields     `json:",inline"`

	// Name of the database that the pool connects to. Immutable.
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	DatabaseName string `json:"databaseName"`

	// Name of the user that the pool connects as. If omitted, clients connect with their own credentials. Immutable.
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +optional
	Username string `json:"username,omitempty"`

	// Maximum number of server connections of the pool. If it is omitted or 0, a new pool has 10, and an existing one keeps its own.
	// +optional
	PoolSize int `json:"poolSize,omitempty"`

	// PgBouncer pool mode: a server connection is released when the client disconnects (session), or after each transaction or
	// statement. Defaults to transaction at Aiven.
	// +kubebuilder:validation:Enum=session;transaction;statement
	// +optional
	PoolMode string `json:"poolMode,omitempty"`
}

// ConnectionPoolStatus is the observed state of a connection pool.
type ConnectionPoolStatus struct {
	CommonStatus `json:",inline"`
}

// ConnectionPool is a PgBouncer connection pool of a PostgreSQL service.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:validation:XValidation:rule="has(self.spec) || !has(oldSelf.spec)",message="spec can't be removed: delete the object instead"
// +kubebuilder:resource:path=connectionpools,singular=connectionpool,shortName=avnpool,categories=aiven
// +kubebuilder:metadata:labels=servicebinding.io/provisioned-service=true
// +kubebuilder:printcolumn:name="Service Name",type="string",JSONPath=".spec.serviceName"
// +kubebuilder:printcolumn:name="Project",type="string",JSONPath=".spec.project",priority=1
// +kubebuilder:printcolumn:name="Database",type="string",JSONPath=".spec.databaseName"
// +kubebuilder:printcolumn:name="Username",type="string",JSONPath=".spec.username"
// +kubebuilder:printcolumn:name="Pool Size",type="string",JSONPath=".spec.poolSize",priority=1
// +kubebuilder:printcolumn:name="Pool Mode",type="string",JSONPath=".spec.poolMode",priority=1
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Phase",type="string",JSONPath=".status.phase",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].message",priority=1
// +kubebuilder:printcolumn:name="Secret",type="string",JSONPath=".status.binding.name",priority=1
type ConnectionPool struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Desired state of the connection pool.
	// +optional
	Spec ConnectionPoolSpec `json:"spec,omitzero"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status ConnectionPoolStatus `json:"status,omitzero"`
}

// ConnectionPoolList is a list of connection pools.
// +kubebuilder:object:root=true
type ConnectionPoolList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ConnectionPool `json:"items"`
}

// GetAuthSecretRef returns the Secret key that holds the token, nil for the operator's default token.
func (p *ConnectionPool) GetAuthSecretRef() *AuthSecretReference { return p.Spec.AuthSecretRef }

// GetServiceDependant returns the service that the pool belongs to.
func (p *ConnectionPool) GetServiceDependant() *ServiceDependant { return &p.Spec.ServiceDependant }

// GetSecretFields returns where the connection details are published.
func (p *ConnectionPool) GetSecretFields() *SecretFields { return &p.Spec.SecretFields }

// GetCommonStatus returns the status that every kind has.
func (p *ConnectionPool) GetCommonStatus() *CommonStatus { return &p.Status.CommonStatus }

func init() {
	register(&ConnectionPool{}, &ConnectionPoolList{})
}
