package reference

import "github.com/aero-operator/aero/api/v1alpha1"

// Changed reports whether a Secret whose values are write-only has another version than the status records, so that its
// values have to be sent again. A Secret of which the status records no version hasn't changed.
func Changed(refs, recorded []v1alpha1.ResolvedReference) bool {
	for _, ref := range refs {
		if was := recordOf(ref, recorded); ref.ResourceVersion != "" && was != nil && *was != ref {
			return true
		}
	}
	return false
}

// KeepVersions returns references with the versions that the status records, where it records one. It is for the status
// of an object whose write-only values are still to be sent: recording the new version would hide the change.
func KeepVersions(refs, recorded []v1alpha1.ResolvedReference) []v1alpha1.ResolvedReference {
	kept := make([]v1alpha1.ResolvedReference, 0, len(refs))
	for _, ref := range refs {
		if was := recordOf(ref, recorded); ref.ResourceVersion != "" && was != nil {
			ref = *was
		}
		kept = append(kept, ref)
	}
	return kept
}

// recordOf finds the record of the same Secret, of a version; nil if there is none.
func recordOf(ref v1alpha1.ResolvedReference, recorded []v1alpha1.ResolvedReference) *v1alpha1.ResolvedReference {
	for i, was := range recorded {
		if was.Kind == ref.Kind && was.Namespace == ref.Namespace && was.Name == ref.Name && was.ResourceVersion != "" {
			return &recorded[i]
		}
	}
	return nil
}
