package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ProjectSpec defines the desired state of Project.
type ProjectSpec struct {
	AuthSecretRefField `json:",inline"`
	SecretFields       `json:",inline"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=32
	// +optional
	AccountID string `json:"accountId,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=1000
	// +optional
	BillingAddress string `json:"billingAddress,omitempty"`

	// Description missing.
	// +kubebuilder:validation:Enum="AUD";"CAD";"CHF";"DKK";"EUR";"GBP";"NOK";"SEK";"USD"
	// +optional
	BillingCurrency string `json:"billingCurrency,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxItems=10
	// +optional
	BillingEmails []string `json:"billingEmails,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=1000
	// +optional
	BillingExtraText string `json:"billingExtraText,omitempty"`

	// Description missing. Immutable.
	// +kubebuilder:validation:MinLength=36
	// +kubebuilder:validation:MaxLength=36
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +optional
	BillingGroupID string `json:"billingGroupId,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	CardID string `json:"cardId,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=256
	// +optional
	Cloud string `json:"cloud,omitempty"`

	// Description missing. Immutable.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +optional
	CopyFromProject string `json:"copyFromProject,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=2
	// +optional
	CountryCode string `json:"countryCode,omitempty"`

	// Description missing.
	// +optional
	Tags map[string]string `json:"tags,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxItems=10
	// +optional
	TechnicalEmails []string `json:"technicalEmails,omitempty"`
}

// ProjectStatus is the observed state of Project.
type ProjectStatus struct {
	CommonStatus `json:",inline"`

	// Description missing.
	// +optional
	AvailableCredits string `json:"availableCredits,omitempty"`

	// Description missing.
	// +optional
	Country string `json:"country,omitempty"`

	// Description missing.
	// +optional
	EstimatedBalance string `json:"estimatedBalance,omitempty"`

	// Description missing.
	// +optional
	PaymentMethod string `json:"paymentMethod,omitempty"`

	// Description missing.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	VatID string `json:"vatId,omitempty"`
}

// Project is a resource of Aiven. Description missing.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=projects,singular=project,shortName=avnproject,categories=aiven
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Phase",type="string",JSONPath=".status.phase",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].message",priority=1
// +kubebuilder:printcolumn:name="Secret",type="string",JSONPath=".status.binding.name",priority=1
type Project struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Desired state of the Project.
	// +optional
	Spec ProjectSpec `json:"spec,omitzero"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status ProjectStatus `json:"status,omitzero"`
}

// ProjectList is a list of Project objects.
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
