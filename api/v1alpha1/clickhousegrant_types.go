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
// +kubebuilder:validation:XValidation:rule="self.database != '*' || !has(self.table) || self.table in [\"\", '*']",message="can't be set together with database *: name the database",fieldPath=".table"
// +kubebuilder:validation:XValidation:rule="!(self.database in ['information_schema', 'INFORMATION_SCHEMA'])",message="privileges on information_schema can't be granted: choose another database",fieldPath=".database"
type ClickhousePrivilegeGrant struct {
	// Users and roles that get the privileges. They are waited for.
	// +kubebuilder:validation:MinItems=1
	Grantees []ClickhouseGrantee `json:"grantees"`

	// Privileges by their names in ClickHouse, for example SELECT, INSERT or ALTER UPDATE. A group such as ALTER is all privileges in it.
	// +kubebuilder:validation:items:Pattern=`^\s*[A-Za-z][A-Za-z0-9 ]*\s*(\([^()]*\))?\s*$`
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
// +kubebuilder:validation:XValidation:rule="(has(self.user) && self.user != \"\") != (has(self.role) && self.role != \"\")",message="must have either a user or a role: set one of them, and remove the other"
type ClickhouseGrantee struct {
	// Name of the user. Can't be set together with role. A user that has the name of a role can't be granted anything.
	// +optional
	User string `json:"user,omitempty"`

	// Name of the role, for a grantee without a user. A role that has the name of a user can't be granted anything.
	// +optional
	Role string `json:"role,omitempty"`
}

// ClickhouseGrantState are grants as the status has them. The rules of a spec would refuse to keep what an older spec has granted, so the
// types are others, with the same fields.
type ClickhouseGrantState struct {
	// Privileges that were granted to users and roles.
	// +optional
	PrivilegeGrants []ClickhousePrivilegeGrantState `json:"privilegeGrants,omitempty"`

	// Roles that were granted to users and other roles.
	// +optional
	RoleGrants []ClickhouseRoleGrantState `json:"roleGrants,omitempty"`
}

// ClickhousePrivilegeGrantState are privileges on a database, a table or columns.
// +kubebuilder:validation:XValidation:rule="!has(self.columns) || (has(self.columns) && has(self.table))",message="`table` must be set if `columns` are set"
type ClickhousePrivilegeGrantState struct {
	// Users and roles that have the privileges.
	// +kubebuilder:validation:MinItems=1
	Grantees []ClickhouseGranteeState `json:"grantees"`

	// Privileges by their names in ClickHouse.
	Privileges []string `json:"privileges"`

	// Database that the privileges are on; * is all databases.
	Database string `json:"database"`

	// Table that the privileges are on. Absent for all tables of the database.
	// +optional
	Table string `json:"table,omitempty"`

	// Columns that the privileges are on. Absent for all columns.
	// +optional
	Columns []string `json:"columns,omitempty"`

	// Whether the grantees may grant the privileges to others.
	// +optional
	WithGrantOption *bool `json:"withGrantOption,omitempty"`
}

// ClickhouseRoleGrantState are roles of users and other roles.
type ClickhouseRoleGrantState struct {
	// Users and roles that have the roles.
	// +kubebuilder:validation:MinItems=1
	Grantees []ClickhouseGranteeState `json:"grantees"`

	// Roles that were granted.
	// +kubebuilder:validation:MinItems=1
	Roles []string `json:"roles"`

	// Whether the grantees may grant the roles to others.
	// +optional
	WithAdminOption *bool `json:"withAdminOption,omitempty"`
}

// ClickhouseGranteeState is a user or a role that something was granted to. One with both is the user.
type ClickhouseGranteeState struct {
	// Name of the user.
	// +optional
	User string `json:"user,omitempty"`

	// Name of the role.
	// +optional
	Role string `json:"role,omitempty"`
}

// ClickhouseGrantStatus is the observed state of grants.
type ClickhouseGrantStatus struct {
	CommonStatus `json:",inline"`

	// Grants that the operator has made, or is about to make. Only these are revoked.
	// +optional
	State *ClickhouseGrantState `json:"state,omitempty"`
}

// ClickhouseGrant grants privileges and roles to users and roles of a ClickHouse service. Grants that other objects or users have
// made are left alone.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:validation:XValidation:rule="has(self.spec) || !has(oldSelf.spec)",message="spec can't be removed: delete the object instead"
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

// Granted is what the status has, nil for none.
func (c *ClickhouseGrant) Granted() *ClickhouseGrants {
	state := c.Status.State
	if state == nil {
		return nil
	}
	granted := &ClickhouseGrants{}
	for _, g := range state.PrivilegeGrants {
		granted.PrivilegeGrants = append(granted.PrivilegeGrants, ClickhousePrivilegeGrant{
			each(g.Grantees, func(to ClickhouseGranteeState) ClickhouseGrantee { return ClickhouseGrantee(to) }),
			g.Privileges, g.Database, g.Table, g.Columns, g.WithGrantOption,
		})
	}
	for _, g := range state.RoleGrants {
		granted.RoleGrants = append(granted.RoleGrants, ClickhouseRoleGrant{
			each(g.Grantees, func(to ClickhouseGranteeState) ClickhouseGrantee { return ClickhouseGrantee(to) }), g.Roles, g.WithAdminOption,
		})
	}
	return granted
}

// SetGranted sets what the status has, nil for none.
func (c *ClickhouseGrant) SetGranted(granted *ClickhouseGrants) {
	c.Status.State = nil
	if granted == nil {
		return
	}
	c.Status.State = &ClickhouseGrantState{}
	for _, g := range granted.PrivilegeGrants {
		c.Status.State.PrivilegeGrants = append(c.Status.State.PrivilegeGrants, ClickhousePrivilegeGrantState{
			each(g.Grantees, func(to ClickhouseGrantee) ClickhouseGranteeState { return ClickhouseGranteeState(to) }),
			g.Privileges, g.Database, g.Table, g.Columns, g.WithGrantOption,
		})
	}
	for _, g := range granted.RoleGrants {
		c.Status.State.RoleGrants = append(c.Status.State.RoleGrants, ClickhouseRoleGrantState{
			each(g.Grantees, func(to ClickhouseGrantee) ClickhouseGranteeState { return ClickhouseGranteeState(to) }), g.Roles, g.WithAdminOption,
		})
	}
}

// each converts the members of a list. No list stays none.
func each[A, B any](list []A, convert func(A) B) []B {
	if list == nil {
		return nil
	}
	out := make([]B, len(list))
	for i, one := range list {
		out[i] = convert(one)
	}
	return out
}

func init() {
	register(&ClickhouseGrant{}, &ClickhouseGrantList{})
}
