package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// UpgradePipelineStepSpec defines the desired state of a step of an upgrade pipeline.
// +kubebuilder:validation:XValidation:rule="self.sourceServiceName != self.destinationServiceName || self.sourceProjectName != self.destinationProjectName || oldSelf.hasValue()",optionalOldSelf=true,message="must be another service than the source: name another one",fieldPath=".destinationServiceName"
type UpgradePipelineStepSpec struct {
	AuthSecretRefField `json:",inline"`

	// Number of days after which an upgrade of the source counts as validated without a request. Defaults to 7.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:default=7
	// +optional
	AutoValidationDelayDays *int `json:"autoValidationDelayDays,omitempty"`

	// Project of the service that is upgraded after the source. Immutable.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-zA-Z0-9_-]+$`
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	DestinationProjectName string `json:"destinationProjectName"`

	// Service that is upgraded after the source, of the same type. Immutable.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z][-a-z0-9]+$`
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	DestinationServiceName string `json:"destinationServiceName"`

	// ID of the organization that both projects belong to. Immutable.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +kubebuilder:validation:XValidation:rule="self != '.' && self != '..'",message="must not be . or ..: correct the ID"
	OrganizationID string `json:"organizationId"`

	// Project of the service that is upgraded first. Immutable.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-zA-Z0-9_-]+$`
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	SourceProjectName string `json:"sourceProjectName"`

	// Service that is upgraded first. Immutable.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z][-a-z0-9]+$`
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	SourceServiceName string `json:"sourceServiceName"`
}

// UpgradePipelineStepStatus is the observed state of a step of an upgrade pipeline.
type UpgradePipelineStepStatus struct {
	CommonStatus `json:",inline"`

	// ID of the step at Aiven.
	// +optional
	ID string `json:"id,omitempty"`

	// Latest validation of an upgrade of the source. Absent if there was none.
	// +optional
	LastValidation *UpgradePipelineStepLastValidation `json:"lastValidation,omitempty"`
}

// UpgradePipelineStepLastValidation is a validation of an upgrade.
type UpgradePipelineStepLastValidation struct {
	// Comment of the user.
	// +optional
	Comment string `json:"comment,omitempty"`

	// Time of the validation.
	// +optional
	ValidatedAt *metav1.Time `json:"validatedAt,omitempty"`

	// User who validated the upgrade. Empty for a validation after the delay.
	// +optional
	ValidatedByUser string `json:"validatedByUser,omitempty"`
}

// UpgradePipelineStep upgrades a service only after another one of its type was upgraded and validated.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:validation:XValidation:rule="has(self.spec) || !has(oldSelf.spec)",message="spec can't be removed: delete the object instead"
// +kubebuilder:resource:path=upgradepipelinesteps,singular=upgradepipelinestep,shortName=avnstep,categories=aiven
// +kubebuilder:printcolumn:name="Organization",type="string",JSONPath=".spec.organizationId"
// +kubebuilder:printcolumn:name="Source Project",type="string",JSONPath=".spec.sourceProjectName"
// +kubebuilder:printcolumn:name="Source Service",type="string",JSONPath=".spec.sourceServiceName"
// +kubebuilder:printcolumn:name="Destination Project",type="string",JSONPath=".spec.destinationProjectName",priority=1
// +kubebuilder:printcolumn:name="Destination Service",type="string",JSONPath=".spec.destinationServiceName",priority=1
// +kubebuilder:printcolumn:name="Step ID",type="string",JSONPath=".status.id",priority=1
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Phase",type="string",JSONPath=".status.phase",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].message",priority=1
type UpgradePipelineStep struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Desired state of the step.
	// +optional
	Spec UpgradePipelineStepSpec `json:"spec,omitzero"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status UpgradePipelineStepStatus `json:"status,omitzero"`
}

// UpgradePipelineStepList is a list of UpgradePipelineStep objects.
// +kubebuilder:object:root=true
type UpgradePipelineStepList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []UpgradePipelineStep `json:"items"`
}

// GetAuthSecretRef returns the Secret key that holds the token, nil for the operator's default token.
func (u *UpgradePipelineStep) GetAuthSecretRef() *AuthSecretReference { return u.Spec.AuthSecretRef }

// GetCommonStatus returns the status that every kind has.
func (u *UpgradePipelineStep) GetCommonStatus() *CommonStatus { return &u.Status.CommonStatus }

func init() {
	register(&UpgradePipelineStep{}, &UpgradePipelineStepList{})
}
