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
	PhasePending      Phase = "Pending"      // waits for something that it depends on
	PhaseStarting     Phase = "Starting"     // accepted by Aiven, not active yet
	PhaseReady        Phase = "Ready"        // in sync and usable
	PhaseRunning      Phase = "Running"      // in sync and usable, a service
	PhaseDegraded     Phase = "Degraded"     // was usable; its state can't be confirmed now
	PhaseFailed       Phase = "Failed"       // needs a change by the user
	PhaseNotAvailable Phase = "NotAvailable" // powered off, or gone
)

// CommonStatus holds the status fields that every kind has.
type CommonStatus struct {
	// Summary of the lifecycle of the object: Pending, Starting, Ready, Running (services), Degraded, Failed or NotAvailable.
	// +optional
	Phase Phase `json:"phase,omitempty"`

	// Generation of the spec that this status describes; -1 until the first reconcile.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// Conditions of the object. Ready summarizes the others.
	// +optional
	// +listType=atomic
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// Time of the latest attempt. Only set while the condition Reconciling is True.
	// +optional
	LastAttemptTime *metav1.Time `json:"lastAttemptTime,omitempty"`

	// Time at which the operator first observed this generation, if it was still reconciling an earlier one then. The progress
	// deadline counts from here. Only set while the condition Reconciling is True.
	// +optional
	EditObservedTime *metav1.Time `json:"editObservedTime,omitempty"`

	// Value of the annotation controllers.aiven.io/reconcile-requested-at that the operator has handled.
	// +optional
	LastHandledReconcileAt string `json:"lastHandledReconcileAt,omitempty"`

	// Value of the annotation controllers.aiven.io/rotate-requested-at that the operator has handled.
	// +optional
	LastHandledRotateAt string `json:"lastHandledRotateAt,omitempty"`

	// Objects that the spec references and that were found ready.
	// +optional
	ResolvedRefs []ResolvedReference `json:"resolvedRefs,omitempty"`

	// Connection Secret of the object, once it is published: a Provisioned Service of the Service Binding specification.
	// +optional
	Binding *SecretBinding `json:"binding,omitempty"`

	// Dates of the credentials in the connection Secret. Only set while it is published.
	// +optional
	Credentials *Credentials `json:"credentials,omitempty"`

	// Differences between the spec and the Aiven resource that are not corrected. The condition Drifted has the reason.
	// +optional
	Drift []DriftEntry `json:"drift,omitempty"`

	// Changes that aren't made at Aiven before a user approves them, by the policy of the annotation controllers.aiven.io/change-policy.
	// +optional
	PendingChanges *PendingChanges `json:"pendingChanges,omitempty"`

	// How this object came to own its Aiven resource. An object without owns none: it changes and deletes nothing at Aiven.
	// +optional
	Provenance *Provenance `json:"provenance,omitempty"`
}

// ProvenanceType is how an object came to own its Aiven resource.
// +kubebuilder:validation:Enum=Created;TakenOver;Adopted;Observed
type ProvenanceType string

// The types of provenance.
const (
	ProvenanceCreated   ProvenanceType = "Created"   // by this object, after an observation that found nothing
	ProvenanceTakenOver ProvenanceType = "TakenOver" // from aiven-operator, together with the object
	ProvenanceAdopted   ProvenanceType = "Adopted"   // it existed, and a policy allowed to manage it
	ProvenanceObserved  ProvenanceType = "Observed"  // not owned: the object only observes it
)

// Provenance records how an object came to own its Aiven resource.
type Provenance struct {
	// Created by this object, TakenOver from aiven-operator, Adopted by consent, or Observed only, which owns nothing.
	Type ProvenanceType `json:"type"`
	// UID of this object. In a copy of the object it differs, and the provenance doesn't count.
	UID types.UID `json:"uid"`
	// Time at which the resource was created, taken over or adopted.
	Time metav1.Time `json:"time"`
	// Whether the resource has been ready. If it is missing afterwards and holds data, it isn't created again without consent.
	// +optional
	WasReady bool `json:"wasReady,omitempty"`
}

// SecretBinding names the connection Secret of an object.
type SecretBinding struct {
	// Name of the Secret, in the namespace of this object.
	Name string `json:"name"`
}

// ResolvedReference is an object that a reference resolved to.
type ResolvedReference struct {
	// Kind of the referenced object.
	Kind string `json:"kind"`
	// Namespace of the object.
	Namespace string `json:"namespace"`
	// Name of the object.
	Name string `json:"name"`
	// UID of the object. A recreated object has another UID.
	UID types.UID `json:"uid"`
	// Identifier of the resource at Aiven, if it has one.
	// +optional
	ID string `json:"id,omitempty"`
	// Version of a Secret whose values were sent to Aiven. A change of it sends again what Aiven doesn't report. It is kept while the
	// Secret is missing.
	// +optional
	ResourceVersion string `json:"resourceVersion,omitempty"`
}

// DriftEntry is a difference between the spec and the Aiven resource.
type DriftEntry struct {
	// Path of the field in the spec.
	Path string `json:"path"`
	// Desired value. Secret values are redacted.
	// +optional
	Wanted string `json:"wanted,omitempty"`
	// Observed value at Aiven. Secret values are redacted.
	// +optional
	Found string `json:"found,omitempty"`
}

// PendingChanges are changes that wait for approval.
type PendingChanges struct {
	// Value of the annotation controllers.aiven.io/approved-changes that approves these changes, and no others.
	Hash string `json:"hash"`
	// Each change that is held.
	// +listType=atomic
	Changes []PendingChange `json:"changes"`
	// Generation of which everything else is applied at Aiven.
	// +optional
	AppliedGeneration int64 `json:"appliedGeneration,omitempty"`
}

// PendingChange is a change of one field that waits for approval.
type PendingChange struct {
	// Path of the field in the spec.
	Path string `json:"path"`
	// Value at Aiven. Secret values are redacted. It is (not returned) for an option that Aiven doesn't return, and empty for a secret
	// that it doesn't return.
	// +optional
	From string `json:"from,omitempty"`
	// Desired value. Secret values are redacted. It is empty for a secret that Aiven doesn't return.
	// +optional
	To string `json:"to,omitempty"`
	// What the change costs or interrupts, such as Cost, NodesReplaced, Outage or DataLoss. A harmless change has none.
	// +optional
	// +listType=atomic
	Impact []string `json:"impact,omitempty"`
	// What happens, in words. A harmless change has none.
	// +optional
	Message string `json:"message,omitempty"`
	// List price of the service before and after a change of its plan or cloud, as it was when the change began to wait. It is missing
	// where the token may not read prices, and for other changes. Of two such changes, that of the plan has the price of both.
	// +optional
	MonthlyPrice *MonthlyPrice `json:"monthlyPrice,omitempty"`
}

// MonthlyPrice is the list price of a service, before and after a change, in US dollars for a month of 730 hours. Discounts, taxes and
// additional disk space are not in it.
type MonthlyPrice struct {
	// Price on the present plan, in the present cloud, in US dollars.
	FromUSD int64 `json:"fromUSD"`
	// Price on the desired plan, in the desired cloud, in US dollars.
	ToUSD int64 `json:"toUSD"`
}
