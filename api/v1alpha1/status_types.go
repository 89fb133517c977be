package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Phase sums up the lifecycle of an object in one word.
// +kubebuilder:validation:Enum=Pending;Starting;Ready;Running;Degraded;Failed;NotAvailable
type Phase string

// The phases. Services end in Running, every other kind in Ready.
const (
	PhasePending      Phase = "Pending"      // something it needs isn't there yet
	PhaseStarting     Phase = "Starting"     // accepted by Aiven, not active yet
	PhaseReady        Phase = "Ready"        // in sync and usable
	PhaseRunning      Phase = "Running"      // in sync and usable, a service
	PhaseDegraded     Phase = "Degraded"     // was usable, and its state is now in doubt
	PhaseFailed       Phase = "Failed"       // somebody has to change something
	PhaseNotAvailable Phase = "NotAvailable" // powered off, or gone
)

// CommonStatus is the part of the status that every kind has.
type CommonStatus struct {
	// Lifecycle of this object in one word.
	// +optional
	Phase Phase `json:"phase,omitempty"`

	// Generation of the spec that this status judges; -1 until the operator has looked at the object.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// Facts about the object, one per type. Ready is the one to wait for.
	// +optional
	// +listType=atomic
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// Time of the latest attempt, while the object is being worked on.
	// +optional
	LastAttemptTime *metav1.Time `json:"lastAttemptTime,omitempty"`

	// Value of the annotation controllers.aiven.io/reconcile-requested-at that was handled last.
	// +optional
	LastHandledReconcileAt string `json:"lastHandledReconcileAt,omitempty"`

	// Objects that this one refers to, as they were found ready.
	// +optional
	ResolvedRefs []ResolvedReference `json:"resolvedRefs,omitempty"`

	// Differences between the spec and what Aiven reports that are shown and not corrected.
	// +optional
	Drift []DriftEntry `json:"drift,omitempty"`
}

// ResolvedReference is an object that a reference led to.
type ResolvedReference struct {
	// Kind of the object.
	Kind string `json:"kind"`
	// Namespace of the object.
	Namespace string `json:"namespace"`
	// Name of the object.
	Name string `json:"name"`
	// UID of the object: one that was deleted and created again is another object.
	UID types.UID `json:"uid"`
	// Identifier at Aiven, where it has one.
	// +optional
	ID string `json:"id,omitempty"`
	// Version of a Secret whose values were sent to Aiven, which doesn't report them. A change of it sends them again.
	// +optional
	ResourceVersion string `json:"resourceVersion,omitempty"`
}

// DriftEntry is one difference between the spec and what Aiven reports.
type DriftEntry struct {
	// Path of the field in the spec.
	Path string `json:"path"`
	// Value that the spec asks for. Secret values are redacted.
	// +optional
	Wanted string `json:"wanted,omitempty"`
	// Value that Aiven reports. Secret values are redacted.
	// +optional
	Found string `json:"found,omitempty"`
}
