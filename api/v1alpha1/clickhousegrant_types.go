package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ClickhouseGrantSpec defines the desired state of ClickhouseGrant.
type ClickhouseGrantSpec struct {
	ServiceDependant `json:",inline"`

	// Description missing.
	// +optional
	PrivilegeGrants []ClickhouseGrantPrivilegeGrants `json:"privilegeGrants,omitempty"`

	// Description missing.
	// +optional
	RoleGrants []ClickhouseGrantRoleGrants `json:"roleGrants,omitempty"`
}

// ClickhouseGrantStatus is the observed state of ClickhouseGrant.
type ClickhouseGrantStatus struct {
	CommonStatus `json:",inline"`

	// Description missing.
	// +optional
	State *ClickhouseGrantState `json:"state,omitempty"`
}

// ClickhouseGrantPrivilegeGrants is a part of ClickhouseGrant.
// +kubebuilder:validation:XValidation:rule="!has(self.columns) || (has(self.columns) && has(self.table))",message="`table` must be set if `columns` are set"
type ClickhouseGrantPrivilegeGrants struct {
	// Description missing.
	// +optional
	Columns []string `json:"columns,omitempty"`

	// Description missing.
	Database string `json:"database"`

	// Description missing.
	// +kubebuilder:validation:MinItems=1
	Grantees []ClickhouseGrantGrantees `json:"grantees"`

	// Description missing.
	Privileges []string `json:"privileges"`

	// Description missing.
	// +optional
	Table string `json:"table,omitempty"`

	// Description missing.
	// +optional
	WithGrantOption *bool `json:"withGrantOption,omitempty"`
}

// ClickhouseGrantRoleGrants is a part of ClickhouseGrant.
type ClickhouseGrantRoleGrants struct {
	// Description missing.
	// +kubebuilder:validation:MinItems=1
	Grantees []ClickhouseGrantRoleGrantsClickhouseGrantGrantees `json:"grantees"`

	// Description missing.
	// +kubebuilder:validation:MinItems=1
	Roles []string `json:"roles"`

	// Description missing.
	// +optional
	WithAdminOption *bool `json:"withAdminOption,omitempty"`
}

// ClickhouseGrantState is a part of ClickhouseGrant.
type ClickhouseGrantState struct {
	// Description missing.
	// +optional
	PrivilegeGrants []ClickhouseGrantStateClickhouseGrantPrivilegeGrants `json:"privilegeGrants,omitempty"`

	// Description missing.
	// +optional
	RoleGrants []ClickhouseGrantStateClickhouseGrantRoleGrants `json:"roleGrants,omitempty"`
}

// ClickhouseGrantGrantees is a part of ClickhouseGrant.
type ClickhouseGrantGrantees struct {
	// Description missing.
	// +optional
	Role string `json:"role,omitempty"`

	// Description missing.
	// +optional
	User string `json:"user,omitempty"`
}

// ClickhouseGrantRoleGrantsClickhouseGrantGrantees is a part of ClickhouseGrant.
type ClickhouseGrantRoleGrantsClickhouseGrantGrantees struct {
	// Description missing.
	// +optional
	Role string `json:"role,omitempty"`

	// Description missing.
	// +optional
	User string `json:"user,omitempty"`
}

// ClickhouseGrantStateClickhouseGrantPrivilegeGrants is a part of ClickhouseGrant.
// +kubebuilder:validation:XValidation:rule="!has(self.columns) || (has(self.columns) && has(self.table))",message="`table` must be set if `columns` are set"
type ClickhouseGrantStateClickhouseGrantPrivilegeGrants struct {
	// Description missing.
	// +optional
	Columns []string `json:"columns,omitempty"`

	// Description missing.
	Database string `json:"database"`

	// Description missing.
	// +kubebuilder:validation:MinItems=1
	Grantees []ClickhouseGrantStateClickhouseGrantPrivilegeGrantsClickhouseGrantGrantees `json:"grantees"`

	// Description missing.
	Privileges []string `json:"privileges"`

	// Description missing.
	// +optional
	Table string `json:"table,omitempty"`

	// Description missing.
	// +optional
	WithGrantOption *bool `json:"withGrantOption,omitempty"`
}

// ClickhouseGrantStateClickhouseGrantRoleGrants is a part of ClickhouseGrant.
type ClickhouseGrantStateClickhouseGrantRoleGrants struct {
	// Description missing.
	// +kubebuilder:validation:MinItems=1
	Grantees []ClickhouseGrantStateClickhouseGrantRoleGrantsClickhouseGrantGrantees `json:"grantees"`

	// Description missing.
	// +kubebuilder:validation:MinItems=1
	Roles []string `json:"roles"`

	// Description missing.
	// +optional
	WithAdminOption *bool `json:"withAdminOption,omitempty"`
}

// ClickhouseGrantStateClickhouseGrantPrivilegeGrantsClickhouseGrantGrantees is a part of ClickhouseGrant.
type ClickhouseGrantStateClickhouseGrantPrivilegeGrantsClickhouseGrantGrantees struct {
	// Description missing.
	// +optional
	Role string `json:"role,omitempty"`

	// Description missing.
	// +optional
	User string `json:"user,omitempty"`
}

// ClickhouseGrantStateClickhouseGrantRoleGrantsClickhouseGrantGrantees is a part of ClickhouseGrant.
type ClickhouseGrantStateClickhouseGrantRoleGrantsClickhouseGrantGrantees struct {
	// Description missing.
	// +optional
	Role string `json:"role,omitempty"`

	// Description missing.
	// +optional
	User string `json:"user,omitempty"`
}

// ClickhouseGrant is a resource of Aiven. Description missing.
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

	// Desired state of the ClickhouseGrant.
	// +optional
	Spec ClickhouseGrantSpec `json:"spec,omitzero"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status ClickhouseGrantStatus `json:"status,omitzero"`
}

// ClickhouseGrantList is a list of ClickhouseGrant objects.
// +kubebuilder:object:root=true
type ClickhouseGrantList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ClickhouseGrant `json:"items"`
}

// GetAuthSecretRef returns the Secret key that holds the token, nil for the operator's default token.
func (c *ClickhouseGrant) GetAuthSecretRef() *AuthSecretReference { return c.Spec.AuthSecretRef }

// GetServiceDependant returns the service that the resource belongs to.
func (c *ClickhouseGrant) GetServiceDependant() *ServiceDependant { return &c.Spec.ServiceDependant }

// GetCommonStatus returns the status that every kind has.
func (c *ClickhouseGrant) GetCommonStatus() *CommonStatus { return &c.Status.CommonStatus }

func init() {
	register(&ClickhouseGrant{}, &ClickhouseGrantList{})
}
