package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// DatabaseSpec defines the desired state of a database.
// +kubebuilder:validation:XValidation:rule="has(oldSelf.databaseName) == has(self.databaseName)",message="field can't be added or removed: create another object instead",fieldPath=".databaseName"
type DatabaseSpec struct {
	ServiceDependant `json:",inline"`

	// Name of the database at Aiven: letters, digits, underscores and hyphens. Defaults to the name of this object. Immutable.
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:Pattern="^[a-zA-Z0-9_][a-zA-Z0-9_-]{0,39}$"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +optional
	DatabaseName string `json:"databaseName,omitempty"`

	// Default collation order of strings (LC_COLLATE). Defaults to en_US.UTF-8. Immutable.
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +kubebuilder:default=en_US.UTF-8
	// +optional
	LcCollate string `json:"lcCollate,omitempty"`

	// Default character classification (LC_CTYPE). Defaults to en_US.UTF-8. Immutable.
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +kubebuilder:default=en_US.UTF-8
	// +optional
	LcCtype string `json:"lcCtype,omitempty"`

	// Protects this object from deletion, and so the database. Aiven itself doesn't protect databases. Defaults to false.
	// +optional
	TerminationProtection *bool `json:"terminationProtection,omitempty"`
}

// DatabaseStatus is the observed state of a database.
type DatabaseStatus struct {
	CommonStatus `json:",inline"`
}

// Database is a logical database in a PostgreSQL or MySQL service.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:validation:XValidation:rule="has(self.spec) || !has(oldSelf.spec)",message="spec can't be removed: delete the object instead"
// +kubebuilder:resource:path=databases,singular=database,shortName=avndb,categories=aiven
// +kubebuilder:printcolumn:name="Project",type="string",JSONPath=".spec.project"
// +kubebuilder:printcolumn:name="Service Name",type="string",JSONPath=".spec.serviceName"
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Phase",type="string",JSONPath=".status.phase",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].message",priority=1
type Database struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Desired state of the database.
	// +optional
	Spec DatabaseSpec `json:"spec,omitzero"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status DatabaseStatus `json:"status,omitzero"`
}

// DatabaseList is a list of databases.
// +kubebuilder:object:root=true
type DatabaseList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Database `json:"items"`
}

// GetDatabaseName returns the name at Aiven: databaseName, or else the name of the object.
func (d *Database) GetDatabaseName() string {
	if d.Spec.DatabaseName != "" {
		return d.Spec.DatabaseName
	}
	return d.Name
}

// GetAuthSecretRef returns the Secret key that holds the token, nil for the operator's default token.
func (d *Database) GetAuthSecretRef() *AuthSecretReference { return d.Spec.AuthSecretRef }

// GetServiceDependant returns the service that the database belongs to.
func (d *Database) GetServiceDependant() *ServiceDependant { return &d.Spec.ServiceDependant }

// GetCommonStatus returns the status that every kind has.
func (d *Database) GetCommonStatus() *CommonStatus { return &d.Status.CommonStatus }

func init() {
	register(&Database{}, &DatabaseList{})
}
