package reference

import (
	"slices"

	"github.com/aero-operator/aero/api/v1alpha1"
)

// Changed reports whether a Secret of a Declaration with WriteOnly has another version than the status records, so that its
// values have to be sent again. A Secret of which the status records no version hasn't changed.
func Changed(refs, recorded []v1alpha1.ResolvedReference) bool {
	for _, ref := range refs {
		if was := recordOf(ref, recorded); ref.ResourceVersion != "" && was != nil && *was != ref {
			return true
		}
	}
	return false
}

// Replaced reports whether an object that is referenced isn't the one of which the status has the UID, and the only one of its name that it
// has. Those of Secrets are left to Changed.
func Replaced(refs, recorded []v1alpha1.ResolvedReference) bool {
	return slices.ContainsFunc(refs, func(ref v1alpha1.ResolvedReference) bool {
		same := func(was v1alpha1.ResolvedReference) bool { return hasName(was, ref) && was.UID == ref.UID }
		other := func(was v1alpha1.ResolvedReference) bool { return hasName(was, ref) && was.UID != ref.UID }
		return ref.Kind != SecretKind.Kind && (!slices.ContainsFunc(recorded, same) || slices.ContainsFunc(recorded, other))
	})
}

func hasName(a, b v1alpha1.ResolvedReference) bool {
	return a.Kind == b.Kind && a.Namespace == b.Namespace && a.Name == b.Name
}

// Record lists what the status is to record: the objects that were found ready. A Secret whose values are write-only keeps
// the version that is recorded until its values were sent: recording the new version would hide the change. It also keeps
// it while the Secret or its key is missing, so that one that is created again counts as changed, and once the Secret is
// spent, so that no other one is deleted in its place. A target whose deletion waits for the object stays recorded while it
// isn't ready: it is in use. So does any while none of its name is ready, and one that another object of its name has replaced, beside that,
// until the resource is settled: as the spec asks, with nothing left out or held.
func (r Resolved) Record(recorded []v1alpha1.ResolvedReference, sent, settled bool) []v1alpha1.ResolvedReference {
	refs := r.Refs()
	for i, ref := range refs {
		if was := recordOf(ref, recorded); !sent && ref.ResourceVersion != "" && was != nil {
			refs[i] = *was
		}
	}
	kept := slices.Clone(r.spent)
	for _, o := range r.outcomes {
		if o.WriteOnly {
			kept = append(kept, v1alpha1.ResolvedReference{Kind: o.Kind.Kind, Namespace: o.Namespace, Name: o.Target.Name})
		}
	}
	for _, was := range r.former(recorded, settled) {
		if !slices.ContainsFunc(refs, func(ref v1alpha1.ResolvedReference) bool { return ref.UID == was.UID }) {
			refs = append(refs, was)
		}
	}
	for _, missing := range kept {
		if was := recordOf(missing, recorded); was != nil && recordOf(missing, refs) == nil {
			refs = append(refs, *was)
		}
	}
	return refs
}

// former are the records of targets that aren't ready, or that others have replaced.
func (r Resolved) former(recorded []v1alpha1.ResolvedReference, settled bool) []v1alpha1.ResolvedReference {
	var former []v1alpha1.ResolvedReference
	for _, o := range r.outcomes {
		used := func(ref v1alpha1.ResolvedReference) bool { return ref.UID == o.UID }
		if i := slices.IndexFunc(recorded, used); o.BlocksDeletion && o.State == NotReady && i >= 0 {
			former = append(former, recorded[i])
		}
		if was := formerOf(o, recorded); was != nil && (!settled || o.State != Ready) {
			former = append(former, *was)
		}
	}
	return former
}

// formerOf finds the record of another object in the place of a target, or of any if that isn't ready: the one that was recorded first; nil if
// there is none.
func formerOf(o Outcome, recorded []v1alpha1.ResolvedReference) *v1alpha1.ResolvedReference {
	target := v1alpha1.ResolvedReference{Kind: o.Kind.Kind, Namespace: o.Namespace, Name: o.Target.Name}
	for i, was := range slices.Backward(recorded) {
		if o.Kind != SecretKind && hasName(was, target) && (was.UID != o.UID || o.State != Ready) {
			return &recorded[i]
		}
	}
	return nil
}

// recordOf finds the record of the same Secret, of a version; nil if there is none.
func recordOf(ref v1alpha1.ResolvedReference, recorded []v1alpha1.ResolvedReference) *v1alpha1.ResolvedReference {
	for i, was := range recorded {
		if hasName(was, ref) && was.ResourceVersion != "" {
			return &recorded[i]
		}
	}
	return nil
}
