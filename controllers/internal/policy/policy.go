// Package policy reads what users ask for of an object besides its spec, by annotations.
package policy

import (
	"fmt"
	"maps"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/annotation"
)

// Values of the annotations for deletion and management.
const (
	Delete  = "Delete" // the default
	Orphan  = "Orphan"
	Observe = "Observe"
)

// shortestPoll bounds what an annotation may ask for: Aiven's patience is everybody's.
const shortestPoll = 30 * time.Second

// IsPaused says whether an object is to be left alone.
func IsPaused(obj client.Object) bool { return obj.GetAnnotations()[annotation.Paused] == "true" }

// DeletionOf says what becomes of the resource at Aiven when the object is deleted: Delete or Orphan. A value that isn't
// known is an error: a typo must never delete a database.
func DeletionOf(obj client.Object) (string, error) {
	switch value, set := obj.GetAnnotations()[annotation.Deletion]; {
	case !set, value == Delete:
		return Delete, nil
	case value == Orphan:
		return Orphan, nil
	default:
		return "", fmt.Errorf("annotation %s has the unknown value %q: set it to %s or %s, or remove it",
			annotation.Deletion, value, Orphan, Delete)
	}
}

// ObservesOnly says whether nothing of the object may be written to Aiven. A value that isn't known counts as if it were
// Observe: what is wanted is less, at any rate.
func ObservesOnly(obj client.Object) bool {
	_, set := obj.GetAnnotations()[annotation.Management]
	return set
}

// PollInterval is the time between two looks at an object, which may ask for its own. One that can't be read is refused
// at admission, and ignored here.
func PollInterval(obj client.Object, usual time.Duration) time.Duration {
	wanted, err := time.ParseDuration(obj.GetAnnotations()[annotation.PollInterval])
	if err != nil {
		return usual
	}
	return max(wanted, shortestPoll)
}

// Annotate sets one annotation of a working copy, which may share its map with others.
func Annotate(obj client.Object, name, value string) {
	annotations := maps.Clone(obj.GetAnnotations())
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[name] = value
	obj.SetAnnotations(annotations)
}
