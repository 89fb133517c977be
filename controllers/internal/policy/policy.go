// Package policy reads the annotations by which users say how an object is managed.
package policy

import (
	"cmp"
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

// shortestPoll bounds what an annotation may ask for: all objects share Aiven's rate limit.
const shortestPoll = 30 * time.Second

// IsPaused reports whether an object is paused.
func IsPaused(obj client.Object) bool { return obj.GetAnnotations()[annotation.Paused] == "true" }

// DeletionOf returns what becomes of the resource at Aiven when the object is deleted: Delete or Orphan. An unknown value
// is an error: a typo must never delete a database.
func DeletionOf(obj client.Object) (string, error) {
	switch value, set := obj.GetAnnotations()[annotation.Deletion]; {
	case !set, value == Delete:
		return Delete, nil
	case value == Orphan:
		return Orphan, nil
	default:
		return "", fmt.Errorf("Annotation %s has the unknown value %q. Set it to %s or %s, or remove it",
			annotation.Deletion, value, Orphan, Delete)
	}
}

// ObservesOnly reports whether nothing of the object may be written to Aiven. An unknown value counts as Observe: it asks
// for less in any case.
func ObservesOnly(obj client.Object) bool {
	_, set := obj.GetAnnotations()[annotation.Management]
	return set
}

// PollInterval is the time between two observations of an object, which may ask for its own. An invalid one is refused at
// admission, and ignored here.
func PollInterval(obj client.Object, usual time.Duration) time.Duration {
	wanted, err := time.ParseDuration(obj.GetAnnotations()[annotation.PollInterval])
	if err != nil {
		return usual
	}
	return max(wanted, shortestPoll)
}

// shortestRotation bounds how often a password may change by itself: each change takes the former one away.
const shortestRotation = time.Hour

// RotationOf returns how old a password may become; 0 if it stays. A value that is refused at admission is an error.
func RotationOf(obj client.Object) (time.Duration, error) {
	value, set := obj.GetAnnotations()[annotation.RotationInterval]
	if !set {
		return 0, nil
	}
	interval, err := time.ParseDuration(value)
	if err != nil || interval < shortestRotation {
		return 0, fmt.Errorf("annotation %s must be a duration of at least 1h in hours, minutes or seconds, such as 720h for 30 days. Change it, or remove it", annotation.RotationInterval)
	}
	return interval, nil
}

// AcknowledgementOf returns how long after the publication of a new client certificate its renewal is acknowledged, and whether it is at
// all. A value that is refused at admission is an error.
func AcknowledgementOf(obj client.Object) (after time.Duration, wanted bool, err error) {
	value, wanted := obj.GetAnnotations()[annotation.AcknowledgeRenewal]
	if !wanted {
		return 0, false, nil
	}
	after, err = time.ParseDuration(value)
	if err != nil || after < 0 {
		return 0, true, fmt.Errorf("annotation %s must be a duration, such as 168h. Change it, or remove it", annotation.AcknowledgeRenewal)
	}
	return after, true, nil
}

// RouteOf returns the network route of the addresses that an object publishes: its own annotation, else that of its Namespace; empty
// for the addresses that Aiven's URIs have. An empty annotation of an object is none: it leads nowhere that the Namespace doesn't.
func RouteOf(obj client.Object, defaults Defaults) string {
	return cmp.Or(obj.GetAnnotations()[annotation.Route], defaults.namespace[annotation.Route])
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
