package policy

import (
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/annotation"
)

// Values of the policies for adoption and for creating again.
const (
	Never         = "Never" // the default of both
	Adopt         = "Adopt"
	AdoptOrCreate = "AdoptOrCreate"
	Always        = "Always"
)

// Adoption is what may be done at the first observation by an object that owns nothing.
type Adoption struct {
	Adopts  bool   // a resource that exists may be managed
	Creates bool   // one that doesn't exist may be created
	Problem string // why the policy that is set doesn't count, and what to do; empty if it counts
}

// Defaults are what counts for objects without an annotation.
type Defaults struct {
	Adoption, Recreate, Change string // the values of the operator's flags
	LosesData                  bool   // no consent is needed
	namespace                  map[string]string
}

// In returns the defaults for the objects in a Namespace with these annotations, which come before the flags.
func (d Defaults) In(annotations map[string]string) Defaults {
	d.namespace = annotations
	return d
}

// AdoptionOf returns what an object may do. Who adopts by an annotation, of the object or its Namespace, says what becomes of the
// resource when the object is deleted. A value that isn't known allows nothing.
func AdoptionOf(obj client.Object, defaults Defaults) Adoption {
	value, set := defaults.of(obj, annotation.Adoption, defaults.Adoption)
	a := Adoption{Adopts: value == Adopt || value == AdoptOrCreate, Creates: value == Never || value == AdoptOrCreate}
	_, explicit := obj.GetAnnotations()[annotation.Deletion]
	switch {
	case !a.Adopts && !a.Creates:
		a.Problem = fmt.Sprintf("Annotation %s has the unknown value %q. Set it to %s, %s or %s, or remove it", annotation.Adoption, value, Never, Adopt, AdoptOrCreate)
	case a.Adopts && set && !explicit:
		a.Adopts, a.Problem = false, fmt.Sprintf("The annotation %s=%s also needs %s on the object: set it to %s or %s", annotation.Adoption, value, annotation.Deletion, Delete, Orphan)
	}
	return a
}

// Recreates reports whether what holds data, was ready and is missing may be created again. A value that isn't known allows
// nothing.
func Recreates(obj client.Object, defaults Defaults) bool {
	value, _ := defaults.of(obj, annotation.Recreate, defaults.Recreate)
	return value == Always
}

// MayLoseData reports whether the present spec may be applied where that loses data. Consent is for one generation, and for what was there
// then: once the service was off, what is written after it was powered on at Aiven needs consent again, by another edit.
func MayLoseData(obj client.Object, defaults Defaults) bool {
	annotations := obj.GetAnnotations()
	_, marked := annotations[annotation.Processed] // removing it asks for an apply, and confirms nothing
	used := annotations[annotation.Running] == "false" && (annotation.IsProcessed(obj) || !marked)
	confirmed := annotations[annotation.ConfirmDataLoss] == annotation.FormatGeneration(obj.GetGeneration())
	return defaults.LosesData || confirmed && !used
}

// of returns the value of a policy, and whether an annotation has it.
func (d Defaults) of(obj client.Object, name, flag string) (value string, set bool) {
	for _, annotations := range []map[string]string{obj.GetAnnotations(), d.namespace} {
		if value, set = annotations[name]; set {
			return value, true
		}
	}
	return flag, false
}

// TransfersTo is the object, as namespace/name, that is to go on with the resource of another one; empty for none.
func TransfersTo(obj client.Object) string { return obj.GetAnnotations()[annotation.TransferTo] }
