package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// OrganizationProjectSpec defines the desired state of a project of an organization.
type OrganizationProjectSpec struct {
	AuthSecretRefField `json:",inline"`
	SecretFields       `json:",inline"`

	// First port of new services, which get ports above it: 10000 to 30000. If omitted, Aiven chooses one, and it is not managed.
	// +kubebuilder:validation:Minimum=10000
	// +kubebuilder:validation:Maximum=30000
	// +optional
	BasePort *int `json:"basePort,omitempty"`

	// ID of the billing group that pays for the project.
	// +kubebuilder:validation:MinLength=1
	BillingGroupID string `json:"billingGroupId"`

	// ID of the organization that the project belongs to. Immutable.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +kubebuilder:validation:XValidation:rule="self != '.' && self != '..'",message="must not be . or ..: correct the ID"
	OrganizationID string `json:"organizationId"`

	// ID of what the project is directly in: the organization, or the account of an organizational unit. The ID of an organization and that of its account mean the same. A change moves the project.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:XValidation:rule="self != '.' && self != '..'",message="must not be . or ..: correct the ID"
	ParentID string `json:"parentId"`

	// Name of the project, unique in all of Aiven. Immutable.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-zA-Z0-9_-]+$`
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	ProjectID string `json:"projectId"`

	// Tags of the project. They replace all tags at Aiven; without any, the project has none.
	// +optional
	Tags map[string]string `json:"tags,omitempty"`

	// Email addresses that are notified about the services of the project. The list replaces the one at Aiven; without any, the project has none.
	// +kubebuilder:validation:MaxItems=10
	// +kubebuilder:validation:XValidation:rule="self.all(x, self.exists_one(y, y == x))",message="Emails must be unique"
	// +kubebuilder:validation:items:MaxLength=254
	// +optional
	TechnicalEmails []string `json:"technicalEmails,omitempty"`
}

// OrganizationProjectStatus is the observed state of a project of an organization.
type OrganizationProjectStatus struct {
	CommonStatus `json:",inline"`
}

// OrganizationProject is a project of an organization at Aiven, which holds services.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:validation:XValidation:rule="has(self.spec) || !has(oldSelf.spec)",message="spec can't be removed: delete the object instead"
// +kubebuilder:resource:path=organizationprojects,singular=organizationproject,shortName=avnorganizationproject,categories=aiven
// +kubebuilder:metadata:labels=servicebinding.io/provisioned-service=true
// +kubebuilder:printcolumn:name="Organization",type="string",JSONPath=".spec.organizationId"
// +kubebuilder:printcolumn:name="Project",type="string",JSONPath=".spec.projectId"
// +kubebuilder:printcolumn:name="Parent",type="string",JSONPath=".spec.parentId"
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Phase",type="string",JSONPath=".status.phase",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].message",priority=1
// +kubebuilder:printcolumn:name="Secret",type="string",JSONPath=".status.binding.name",priority=1
type OrganizationProject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Desired state of the project.
	// +optional
	Spec OrganizationProjectSpec `json:"spec,omitzero"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status OrganizationProjectStatus `json:"status,omitzero"`
}

// OrganizationProjectList is a list of projects of organizations.
// +kubebuilder:object:root=true
type OrganizationProjectList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []OrganizationProject `json:"items"`
}

// GetAuthSecretRef returns the Secret key that holds the token, nil for the operator's default token.
func (o *OrganizationProject) GetAuthSecretRef() *AuthSecretReference { return o.Spec.AuthSecretRef }

// GetSecretFields returns where the connection details are published.
func (o *OrganizationProject) GetSecretFields() *SecretFields { return &o.Spec.SecretFields }

// GetCommonStatus returns the status that every kind has.
func (o *OrganizationProject) GetCommonStatus() *CommonStatus { return &o.Status.CommonStatus }

func init() {
	register(&OrganizationProject{}, &OrganizationProjectList{})
}
