package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ServiceUserRotationSpec defines whose passwords are rotated, and the desired contents of the Secret.
// +kubebuilder:validation:XValidation:rule="has(self.presets) || has(self.data)",message="set presets or data: a Secret needs keys"
type ServiceUserRotationSpec struct {
	SecretContents `json:",inline"`

	// Two ServiceUsers of one service, in the namespace of this object. The Secret has the login of one of them, at first of the first one.
	// The password of the other user is rotated before the Secret gets its login. Neither may have spec.connInfoSecretSource,
	// spec.connInfoSecretTargetDisabled or the annotation controllers.aiven.io/rotation-interval.
	// +kubebuilder:validation:MinItems=2
	// +kubebuilder:validation:MaxItems=2
	// +kubebuilder:validation:XValidation:rule="self.size() < 2 || self[0].name != self[1].name",message="name two different ServiceUsers"
	// +listType=atomic
	UserRefs []UserReference `json:"userRefs"`

	// Time after which the Secret gets the login of the other user, such as 720h; at least 1h. The login that it had before is valid for as
	// long again, so a password lives for two intervals.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern="^([0-9]+([.][0-9]+)?(ms|s|m|h))+$"
	// +kubebuilder:validation:XValidation:rule="!self.matches('^([0-9]+([.][0-9]+)?(ms|s|m|h))+$') || duration(self) >= duration('1h')",message="must be at least 1h, such as 720h"
	RotationInterval metav1.Duration `json:"rotationInterval"`
}

// UserReference names a ServiceUser.
type UserReference struct {
	// Name of the object.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// ServiceUserRotationStatus is the observed state of a rotation.
type ServiceUserRotationStatus struct {
	SecretStatus `json:",inline"`

	// Name of the ServiceUser whose login the Secret has.
	// +optional
	ActiveUser string `json:"activeUser,omitempty"`
	// Time at which the Secret got this login.
	// +optional
	ActiveSince *metav1.MicroTime `json:"activeSince,omitempty"`
	// Time at which the password of the other user is due to be rotated.
	// +optional
	NextRotation *metav1.Time `json:"nextRotation,omitempty"`
	// Value of the annotation controllers.aiven.io/rotate-requested-at that the operator has handled.
	// +optional
	LastHandledRotateAt string `json:"lastHandledRotateAt,omitempty"`
}

// ServiceUserRotation rotates the passwords of two ServiceUsers in turn, and publishes the valid login of one of them as a Secret.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=serviceuserrotations,singular=serviceuserrotation,shortName=avnrotation,categories=aiven
// +kubebuilder:metadata:labels=servicebinding.io/provisioned-service=true
// +kubebuilder:printcolumn:name="Active User",type="string",JSONPath=".status.activeUser"
// +kubebuilder:printcolumn:name="Next Rotation",type="string",JSONPath=".status.nextRotation"
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Secret",type="string",JSONPath=".status.binding.name",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].message",priority=1
type ServiceUserRotation struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Desired rotation, and contents of the Secret.
	Spec ServiceUserRotationSpec `json:"spec"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status ServiceUserRotationStatus `json:"status,omitzero"`
}

// ServiceUserRotationList is a list of ServiceUserRotations.
// +kubebuilder:object:root=true
type ServiceUserRotationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ServiceUserRotation `json:"items"`
}

// GetSecretName returns the name of the Secret: target.name, or else the name of the object.
func (r *ServiceUserRotation) GetSecretName() string { return r.Spec.Target.nameOr(r.Name) }

// GetConditions returns the conditions of the status.
func (r *ServiceUserRotation) GetConditions() []metav1.Condition { return r.Status.Conditions }

// GetSecretStatus returns the part of the status that all kinds with such a Secret have.
func (r *ServiceUserRotation) GetSecretStatus() *SecretStatus { return &r.Status.SecretStatus }
