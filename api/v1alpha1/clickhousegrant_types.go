package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ClickhouseGrantSpec defines the desired state of grants.
type ClickhouseGrantSpec struct {
	ServiceDependant `json:",inline"`
	ClickhouseGrants `json:",inline"`
}

// ClickhouseGrants are privileges and roles of users and roles.
type ClickhouseGrants struct {
	// Privileges to grant to users and roles.
	// +optional
	PrivilegeGrants []ClickhousePrivilegeGrant `json:"privilegeGrants,omitempty"`

	// Roles to grant to users and other roles.
	// +optional
	RoleGrants []ClickhouseRoleGrant `json:"roleGrants,omitempty"`
}

// ClickhousePrivilegeGrant grants privileges on a database, a table or columns.
// +kubebuilder:validation:XValidation:rule="!has(self.columns) || (has(self.columns) && has(self.table))",message="`table` must be set if `columns` are set"
type ClickhousePrivilegeGrant struct {
	// Users and roles that get the privileges. They are waited for.
	// +kubebuilder:validation:MinItems=1
	Grantees []ClickhouseGrantee `json:"grantees"`

	// Privileges by their names in ClickHouse, for example SELECT, INSERT or ALTER UPDATE. A group such as ALTER is all privileges in it.
	Privileges []string `json:"privileges"`

	// Database that the privileges are on; * is all databases. It is waited for.
	Database string `json:"database"`

	// Table that the privileges are on. It needn't exist. Defaults to all tables of the database.
	// +optional
	Table string `json:"table,omitempty"`

	// Columns that the privileges are on. They need a table. Defaults to all columns.
	// +optional
	Columns []string `json:"columns,omitempty"`

	// Lets the grantees grant the privileges to others. Defaults to false.
	// +optional
	WithGrantOption *bool `json:"withGrantOption,omitempty"`
}

// ClickhouseRoleGrant grants roles.
type ClickhouseRoleGrant struct {
	// Users and roles that get the roles. They are waited for.
	// +kubebuilder:validation:MinItems=1
	Grantees []ClickhouseGrantee `json:"grantees"`

	// Roles to grant. They are waited for.
	// +kubebuilder:validation:MinItems=1
	Roles []string `json:"roles"`

	// Lets the grantees grant the roles to others. Defaults to false.
	// +optional
	WithAdminOption *bool `json:"withAdminOption,omitempty"`
}

// ClickhouseGrantee is a user or a role.
type ClickhouseGrantee struct {
	// Name of the user. Can't be set together with role.
	// +optional
	User string `json:"user,omitempty"`

	// Name of the role, for a grantee without a user. A role that has the name of a user can't be granted anything.
	// +optional
	Role string `json:"role,omitempty"`
}

// ClickhouseGrantStatus is the observed state of grants.
type ClickhouseGrantStatus struct {
	CommonStatus `json:",inline"`

	// Grants that the operator has made, or is about to make. Only these are revoked.
	// +optional
	State *ClickhouseGrants `json:"state,omitempty"`
}

// ClickhouseGrant grants privileges and roles to users and roles of a ClickHouse service. Grants that other objects or users have
// made are left alone.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=clickhousegrants,singular=clickhousegrant,shortName=avngrant,categories=aiven
// +kubebuilder:printcolumn:name="Project",type="string",JSONPath=".spec.project"
// +kubebuilder:printcolumn:name="Service Name",type="string",JSONPath=".spec.serviceName"
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Phase",type="string",JSONPath=".status.phase",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].message",priority=1
type ClickhouseGrant struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Desired state of the grants.
	// +optional
	Spec ClickhouseGrantSpec `json:"spec,omitzero"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status ClickhouseGrantStatus `json:"status,omitzero"`
}

// ClickhouseGrantList is a list of ClickhouseGrants.
// +kubebuilder:object:root=true
type ClickhouseGrantList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ClickhouseGrant `json:"items"`
}

// GetAuthSecretRef returns the Secret key that holds the token, nil for the operator's default token.
func (c *ClickhouseGrant) GetAuthSecretRef() *AuthSecretReference { return c.Spec.AuthSecretRef }

// GetServiceDependant returns the service that the grants belong to.
func (c *ClickhouseGrant) GetServiceDependant() *ServiceDependant { return &c.Spec.ServiceDependant }

// GetCommonStatus returns the status that every kind has.
func (c *ClickhouseGrant) GetCommonStatus() *CommonStatus { return &c.Status.CommonStatus }

func init() {
	register(&ClickhouseGrant{}, &ClickhouseGrantList{})
}
