package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ProjectSpec defines the desired state of a project.
// +kubebuilder:validation:XValidation:rule="has(oldSelf.copyFromProject) || !has(self.copyFromProject)",message="field can't be added, as a copy is made with its project: create another object instead",fieldPath=".copyFromProject"
type ProjectSpec struct {
	AuthSecretRefField `json:",inline"`
	SecretFields       `json:",inline"`

	// ID of the account that the project belongs to. Aiven gives the admins of the account access to the project. Not managed if omitted.
	// +kubebuilder:validation:MaxLength=32
	// +optional
	AccountID string `json:"accountId,omitempty"`

	// Address on invoices. Aiven keeps it in the billing group and may not report it: it is sent once for each change of the spec, and drift is not detected.
	// +kubebuilder:validation:MaxLength=1000
	// +optional
	BillingAddress string `json:"billingAddress,omitempty"`

	// Currency of invoices. Aiven keeps it in the billing group and may not report it: it is sent once for each change of the spec.
	// +kubebuilder:validation:Enum="AUD";"CAD";"CHF";"DKK";"EUR";"GBP";"NOK";"SEK";"USD"
	// +optional
	BillingCurrency string `json:"billingCurrency,omitempty"`

	// Email addresses that receive invoices. The list replaces the one at Aiven. Not managed if omitted.
	// +kubebuilder:validation:MaxItems=10
	// +optional
	BillingEmails []string `json:"billingEmails,omitempty"`

	// Text on invoices, such as a cost center. Aiven keeps it in the billing group and may not report it: it is sent once for each change of the spec.
	// +kubebuilder:validation:MaxLength=1000
	// +optional
	BillingExtraText string `json:"billingExtraText,omitempty"`

	// ID of the billing group that pays for the project. Not managed if omitted. Immutable.
	// +kubebuilder:validation:MinLength=36
	// +kubebuilder:validation:MaxLength=36
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +optional
	BillingGroupID string `json:"billingGroupId,omitempty"`

	// Credit card that pays for the project: its ID or its last four digits. It must be a card of the user of the token. Not managed if omitted.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	CardID string `json:"cardId,omitempty"`

	// Default cloud and region of new services, for example google-europe-west1. Not managed if omitted.
	// +kubebuilder:validation:MaxLength=256
	// +optional
	Cloud string `json:"cloud,omitempty"`

	// Project whose settings the new project gets, as far as this spec leaves them out, tags included. Used at creation only, and can be removed later. Immutable.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +optional
	CopyFromProject string `json:"copyFromProject,omitempty"`

	// Country of the billing address: two capital letters of ISO 3166-1, for example FI. Aiven keeps it in the billing group and may not report it: it is sent once for each change of the spec.
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=2
	// +optional
	CountryCode string `json:"countryCode,omitempty"`

	// Tags of the project. They replace all tags at Aiven. Not managed if omitted.
	// +optional
	Tags map[string]string `json:"tags,omitempty"`

	// Email addresses that are notified about the services of the project. The list replaces the one at Aiven. Not managed if omitted.
	// +kubebuilder:validation:MaxItems=10
	// +optional
	TechnicalEmails []string `json:"technicalEmails,omitempty"`
}

// ProjectStatus is the observed state of a project.
type ProjectStatus struct {
	CommonStatus `json:",inline"`

	// Credits that are left, in USD.
	// +optional
	AvailableCredits string `json:"availableCredits,omitempty"`

	// Country of the billing address.
	// +optional
	Country string `json:"country,omitempty"`

	// Amount still to be paid, in USD, as of the latest poll.
	// +optional
	EstimatedBalance string `json:"estimatedBalance,omitempty"`

	// How the project is paid for, for example card.
	// +optional
	PaymentMethod string `json:"paymentMethod,omitempty"`

	// VAT identification number on invoices.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	VatID string `json:"vatId,omitempty"`
}

// Project is a project at Aiven, which holds services. The name of the object is the name of the project: 1 to 63 lowercase letters,
// digits and hyphens, unique in all of Aiven. For a project of an organization, see OrganizationProject.
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[-a-z0-9]{1,63}$') || oldSelf.hasValue()",optionalOldSelf=true,message="the name of a project has at most 63 lower-case letters, digits and hyphens: choose another metadata.name"
// +kubebuilder:validation:XValidation:rule="!has(self.spec) || !has(self.spec.copyFromProject) || self.spec.copyFromProject != self.metadata.name || oldSelf.hasValue()",optionalOldSelf=true,message="a project can't be a copy of itself: remove the field, or name another project",fieldPath=".spec.copyFromProject"
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:validation:XValidation:rule="has(self.spec) || !has(oldSelf.spec)",message="spec can't be removed: delete the object instead"
// +kubebuilder:resource:path=projects,singular=project,shortName=avnproject,categories=aiven
// +kubebuilder:metadata:labels=servicebinding.io/provisioned-service=true
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Phase",type="string",JSONPath=".status.phase",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].message",priority=1
// +kubebuilder:printcolumn:name="Secret",type="string",JSONPath=".status.binding.name",priority=1
type Project struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Desired state of the project.
	// +optional
	Spec ProjectSpec `json:"spec,omitzero"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status ProjectStatus `json:"status,omitzero"`
}

// ProjectList is a list of projects.
// +kubebuilder:object:root=true
type ProjectList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Project `json:"items"`
}

// GetAuthSecretRef returns the Secret key that holds the token, nil for the operator's default token.
func (p *Project) GetAuthSecretRef() *AuthSecretReference { return p.Spec.AuthSecretRef }

// GetSecretFields returns where the connection details are published.
func (p *Project) GetSecretFields() *SecretFields { return &p.Spec.SecretFields }

// GetCommonStatus returns the status that every kind has.
func (p *Project) GetCommonStatus() *CommonStatus { return &p.Status.CommonStatus }

func init() {
	register(&Project{}, &ProjectList{})
}
