package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ClickhouseDatabaseSpec defines the desired state of a ClickHouse database.
// +kubebuilder:validation:XValidation:rule="has(oldSelf.databaseName) == has(self.databaseName)",message="field can't be added or removed: create another object instead",fieldPath=".databaseName"
type ClickhouseDatabaseSpec struct {
	ServiceDependant `json:",inline"`

	// Name of the database at Aiven. Defaults to the name of this object. Immutable.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +kubebuilder:validation:XValidation:rule="self != '.' && self != '..'",message="must not be . or ..: choose another name"
	// +optional
	DatabaseName string `json:"databaseName,omitempty"`
}

// ClickhouseDatabaseStatus is the observed state of a ClickHouse database.
type ClickhouseDatabaseStatus struct {
	CommonStatus `json:",inline"`
}

// ClickhouseDatabase is a database in an Aiven for ClickHouse service. Deleting this object deletes the database with its data.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:validation:XValidation:rule="has(self.spec) || !has(oldSelf.spec)",message="spec can't be removed: delete the object instead"
// +kubebuilder:resource:path=clickhousedatabases,singular=clickhousedatabase,shortName=avnchdb,categories=aiven
// +kubebuilder:printcolumn:name="Database name",type="string",JSONPath=".spec.databaseName"
// +kubebuilder:printcolumn:name="Service Name",type="string",JSONPath=".spec.serviceName"
// +kubebuilder:printcolumn:name="Project",type="string",JSONPath=".spec.project"
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Phase",type="string",JSONPath=".status.phase",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].message",priority=1
type ClickhouseDatabase struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Desired state of the database.
	// +optional
	Spec ClickhouseDatabaseSpec `json:"spec,omitzero"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status ClickhouseDatabaseStatus `json:"status,omitzero"`
}

// ClickhouseDatabaseList is a list of ClickhouseDatabase objects.
// +kubebuilder:object:root=true
type ClickhouseDatabaseList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ClickhouseDatabase `json:"items"`
}

// GetAuthSecretRef returns the Secret key that holds the token, nil for the operator's default token.
func (c *ClickhouseDatabase) GetAuthSecretRef() *AuthSecretReference { return c.Spec.AuthSecretRef }

// GetServiceDependant returns the service that the database belongs to.
func (c *ClickhouseDatabase) GetServiceDependant() *ServiceDependant { return &c.Spec.ServiceDependant }

// GetCommonStatus returns the status that every kind has.
func (c *ClickhouseDatabase) GetCommonStatus() *CommonStatus { return &c.Status.CommonStatus }

// GetDatabaseName returns the name at Aiven: databaseName, or else the name of the object.
func (c *ClickhouseDatabase) GetDatabaseName() string {
	if c.Spec.DatabaseName != "" {
		return c.Spec.DatabaseName
	}
	return c.Name
}

func init() {
	register(&ClickhouseDatabase{}, &ClickhouseDatabaseList{})
}
