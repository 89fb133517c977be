package ownership

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// Object is an object with the part of the status that all kinds share, which users can't write.
type Object interface {
	client.Object
	GetCommonStatus() *v1alpha1.CommonStatus
}

// Of returns how an object came to own its resource at Aiven; nil if it owns none. The status proves it. Before the first
// status that Aiven's acceptance leads to, the finalizer and the annotation of a creation do, together with the UID of the
// object, which no client knows before it exists: what a copy of the object brings along proves nothing.
func Of(obj Object) *v1alpha1.Provenance {
	recorded := Recorded(obj)
	switch {
	case recorded != nil && recorded.Type != v1alpha1.ProvenanceObserved:
		return recorded
	case recorded == nil && IsTakeover(obj): // also of what was created before aiven-operator managed it
		return provenance(obj, v1alpha1.ProvenanceTakenOver, true)
	case HasFinalizer(obj) && attemptedByItself(obj):
		return Created(obj)
	case recorded != nil:
		return nil
	case acceptedEarlier(obj):
		return provenance(obj, earlierType(obj), true)
	default:
		return nil
	}
}

// Owns reports whether an object owns its resource at Aiven.
func Owns(obj client.Object) bool {
	object, ours := obj.(Object)
	return ours && Of(object) != nil
}

// IsTakenOver reports whether aiven-operator has created a resource.
func IsTakenOver(provenance *v1alpha1.Provenance) bool {
	return provenance != nil && provenance.Type == v1alpha1.ProvenanceTakenOver
}

// Recorded returns the provenance in the status of an object, Observed among others; nil if there is none of this very object.
func Recorded(obj Object) *v1alpha1.Provenance {
	recorded := obj.GetCommonStatus().Provenance
	if recorded == nil || recorded.UID != obj.GetUID() {
		return nil
	}
	return recorded
}

// IsTakeover reports whether aiven-operator has managed an object until now: its status has no observedGeneration, which that operator
// doesn't know and each status of ours has, and says that Aiven has accepted a spec. The default of new objects is -1. Conditions of
// ours may be left from before. The annotations don't count: aiven-operator removes them before each update.
func IsTakeover(obj Object) bool {
	status, accepted := obj.GetCommonStatus(), false
	if !HasFinalizer(obj) || status.ObservedGeneration != 0 {
		return false
	}
	for _, c := range status.Conditions {
		switch c.Type {
		case condition.LegacyRunning:
			accepted = true
		case condition.LegacyInitialized:
			accepted = accepted || c.Reason == condition.LegacyReasonCreatedOrUpdated
		}
	}
	return accepted
}

// IsApplied reports whether Aiven has accepted the present generation of an object: by the annotation, which counts beside a status
// of this very object that says the same. Users can bring the annotation along.
func IsApplied(obj Object) bool {
	return annotation.IsProcessed(obj) && isProven(obj) && (Accepts(obj) || takesOver(obj))
}

// IsMadeFrom reports whether the resource of an object was made from its present spec. It may be in use before all of that is applied.
func IsMadeFrom(obj Object) bool {
	recorded := Recorded(obj)
	return recorded != nil && recorded.Type == v1alpha1.ProvenanceCreated && obj.GetGeneration() == 1
}

// Accepts reports whether a status says that Aiven has accepted the present generation. What it said while the object only observed
// a resource says nothing of one that the object manages, or has begun to create.
func Accepts(obj Object) bool {
	manages := IsRecorded(obj) || IsTakeover(obj) || acceptedEarlier(obj)
	return condition.Accepted(obj.GetCommonStatus().Conditions, obj.GetGeneration()) && (policy.ObservesOnly(obj) || manages)
}

// AcceptsAll reports whether Aiven has accepted the whole of the present generation: nothing of it waits for approval, and no object that it
// refers to was replaced since.
func AcceptsAll(obj Object, replaced bool) bool {
	return Accepts(obj) && obj.GetCommonStatus().PendingChanges == nil && !replaced
}

// Proves reports whether the status of an object proves that it owns what its present spec means. Where an edit makes that another resource,
// what is recorded is about the former one until the operator has begun to apply the edit.
func Proves(obj client.Object) bool {
	edited, changes := obj.(interface{ ProvesRule() bool })
	return IsRecorded(obj) && (!changes || edited.ProvesRule())
}

// IsExpected reports whether an object may own what its present spec means as soon as the operator gets to it: nothing was concluded
// about that spec, or nothing but that another object was in the way. What was refused, or waits for something else, owns nothing soon.
func IsExpected(obj client.Object) bool {
	object, ours := obj.(Object)
	if !ours || policy.IsPaused(obj) {
		return false
	}
	status := object.GetCommonStatus()
	ready := meta.FindStatusCondition(status.Conditions, condition.Ready)
	return status.ObservedGeneration != obj.GetGeneration() || ready != nil && ready.Reason == condition.ReasonConflict
}

// RequestsApply reports whether a user asks for a fresh apply: the annotation of a generation that Aiven has accepted is gone.
func RequestsApply(obj Object) bool {
	_, marked := obj.GetAnnotations()[annotation.Processed]
	return !marked && Accepts(obj)
}

// takesOver reports whether an object is as aiven-operator has left it: by a status of that operator, or by one of ours that doesn't say
// yet that its spec was applied.
func takesOver(obj Object) bool {
	mark := obj.GetAnnotations()[annotation.TakenOver]
	return IsTakeover(obj) || IsTakenOver(Recorded(obj)) && mark == annotation.FormatGeneration(obj.GetGeneration())
}

// IsEdited reports whether the spec of an object has changed since Aiven accepted it, by the same proof: by the annotation, which users can
// remove, or by the status.
func IsEdited(obj Object) bool {
	status, generation := obj.GetCommonStatus(), obj.GetGeneration()
	accepted := meta.FindStatusCondition(status.Conditions, condition.LegacyInitialized)
	earlier := accepted != nil && accepted.Reason == condition.LegacyReasonCreatedOrUpdated && accepted.ObservedGeneration > 0 && accepted.ObservedGeneration != generation
	marked := obj.GetAnnotations()[annotation.Processed] != "" && !annotation.IsProcessed(obj)
	return isProven(obj) && (marked || earlier || status.PendingChanges != nil)
}

// isProven reports whether a status, which users can't write, says that Aiven has accepted a spec of this very object.
func isProven(obj Object) bool {
	return Recorded(obj) != nil || IsTakeover(obj) || acceptedEarlier(obj)
}

// Marked returns an object as it is once its takeover from aiven-operator is recorded: a copy, with the annotation. Until the spec
// changes, what exists isn't corrected. Others are returned as they are.
func Marked[T Object](obj T) T {
	if !IsTakeover(obj) || !annotation.IsProcessed(obj) {
		return obj
	}
	marked := obj.DeepCopyObject().(T)
	policy.Annotate(marked, annotation.TakenOver, annotation.FormatGeneration(obj.GetGeneration()))
	return marked
}

// acceptedEarlier reports whether a release that didn't record the provenance has had the resource accepted by Aiven. The status
// of one that only observes says the same, so that it doesn't count.
func acceptedEarlier(obj Object) bool {
	status := obj.GetCommonStatus()
	initialized := meta.FindStatusCondition(status.Conditions, condition.LegacyInitialized)
	return status.Provenance == nil && status.ObservedGeneration > 0 && HasFinalizer(obj) && !policy.ObservesOnly(obj) &&
		initialized != nil && initialized.Reason == condition.LegacyReasonCreatedOrUpdated
}

// earlierType never is TakenOver, which permits the default token in place of a missing one: users can bring that annotation along.
func earlierType(obj client.Object) v1alpha1.ProvenanceType {
	if _, created := obj.GetAnnotations()[annotation.Attempted]; created {
		return v1alpha1.ProvenanceCreated
	}
	return v1alpha1.ProvenanceAdopted
}

// provenance is one that isn't recorded yet. Its time is that of the object, which is no later than that of the resource.
func provenance(obj client.Object, kind v1alpha1.ProvenanceType, wasReady bool) *v1alpha1.Provenance {
	return &v1alpha1.Provenance{Type: kind, UID: obj.GetUID(), Time: obj.GetCreationTimestamp(), WasReady: wasReady}
}

// Created is the provenance of an object whose creation was attempted.
func Created(obj client.Object) *v1alpha1.Provenance {
	return provenance(obj, v1alpha1.ProvenanceCreated, false)
}

// Adopted is the provenance of an object that adopts a resource now.
func Adopted(obj client.Object, now time.Time) *v1alpha1.Provenance {
	p := provenance(obj, v1alpha1.ProvenanceAdopted, true)
	p.Time = metav1.NewTime(now).Rfc3339Copy()
	return p
}

// Record writes into the status of an object how it came to own its resource. What was accepted before an adoption, while the object only
// observed, wasn't asked for.
func Record(obj Object, provenance *v1alpha1.Provenance) {
	status := obj.GetCommonStatus()
	status.Provenance = provenance
	if provenance.Type == v1alpha1.ProvenanceAdopted {
		meta.RemoveStatusCondition(&status.Conditions, condition.LegacyInitialized)
	}
}

// Next is the provenance to record before a write at Aiven: that of what is adopted, and that of a service that is created again,
// which is younger than what the former one contained. It is nil if there is none to record.
func Next(obj Object, known *v1alpha1.Provenance, creates, recreates bool, now time.Time) *v1alpha1.Provenance {
	switch {
	case !creates && known == nil:
		return Adopted(obj, now)
	case recreates && known != nil && IsRecorded(obj):
		next := provenance(obj, v1alpha1.ProvenanceCreated, known.WasReady)
		next.Time = metav1.NewTime(now).Rfc3339Copy()
		return next
	default:
		return nil
	}
}

// CreatedAfter reports whether one of some services was created by its object after a resource that it contained: the resource was lost
// with the former service.
func CreatedAfter(resource *v1alpha1.Provenance, services []Duplicate) bool {
	return slices.ContainsFunc(services, func(service Duplicate) bool {
		object, ours := service.Object.(Object)
		if !ours || resource == nil {
			return false
		}
		made := Recorded(object)
		return made != nil && made.Type == v1alpha1.ProvenanceCreated && resource.Time.Before(&made.Time)
	})
}
