package reference

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/aero-operator/aero/api/v1alpha1"
)

// State says what was found at the other end of a reference.
type State string

// The states.
const (
	Ready      State = "Ready"
	NotFound   State = "NotFound"
	KeyMissing State = "KeyMissing"
	NotReady   State = "NotReady"
	Failed     State = "Failed" // it couldn't be read
)

// Reasons that aren't the name of a state.
const (
	ReasonUnknown  = "Unknown"  // of a target that couldn't be read
	ReasonDeleting = "Deleting" // of a target that is going away
)

// Outcome is what became of one reference. It never holds anything of a Secret's data.
type Outcome struct {
	// Name, Field, Kind and Once are those of the declaration.
	Name       string
	Field      string
	Kind       schema.GroupVersionKind
	CreateOnly bool
	// Target is where the reference leads, its namespace filled in.
	Target
	// State is the outcome in a word.
	State State
	// Reason and Message are for the condition of the reference. Of a target that isn't ready they are the target's
	// own, where it gives some.
	Reason, Message string
	// Err is the trouble with the API, wrapped; set exactly if State is Failed.
	Err error
	// UID of the object that was found, empty if none was.
	UID types.UID
	// ID is its identifier at Aiven; empty for Secrets and as long as it isn't ready.
	ID string
}

// Condition is the type of the condition that shows this outcome.
func (o Outcome) Condition() string {
	return Declaration{Name: o.Name}.Condition()
}

// Resolved is what all references of one object led to.
type Resolved struct {
	outcomes []Outcome
	// data returns the data of the Secret behind an outcome; nil for other kinds. It is a function because fmt prints
	// whatever a struct holds or points to, but of a function the address only.
	data func(outcome int) map[string][]byte
}

// Outcomes lists what became of each reference, in the order of the declarations and of their targets.
func (r Resolved) Outcomes() []Outcome {
	return r.outcomes
}

// SecretValue returns the value that the first reference of this name leads to. It is false unless the Secret is there
// and has the key.
func (r Resolved) SecretValue(name string) ([]byte, bool) {
	i, ok := r.first(name)
	if !ok || r.outcomes[i].State != Ready {
		return nil, false
	}
	value, ok := r.data(i)[r.outcomes[i].Key]
	return value, ok
}

// SecretData returns all data of the Secret that the first reference of this name leads to; nil unless the Secret is
// there and has the key that is asked for.
func (r Resolved) SecretData(name string) map[string][]byte {
	i, ok := r.first(name)
	if !ok || r.outcomes[i].State != Ready {
		return nil
	}
	return r.data(i)
}

// ID returns the identifier at Aiven that the first reference of this name leads to; empty unless it is ready.
func (r Resolved) ID(name string) string {
	i, ok := r.first(name)
	if !ok {
		return ""
	}
	return r.outcomes[i].ID
}

// Refs lists the objects that were found ready, for the status.
func (r Resolved) Refs() []v1alpha1.ResolvedReference {
	var refs []v1alpha1.ResolvedReference
	for _, o := range r.outcomes {
		if o.State == Ready {
			refs = append(refs, v1alpha1.ResolvedReference{
				Kind: o.Kind.Kind, Namespace: o.Namespace, Name: o.Target.Name, UID: o.UID, ID: o.ID,
			})
		}
	}
	return refs
}

func (r Resolved) first(name string) (int, bool) {
	for i, o := range r.outcomes {
		if o.Name == name {
			return i, true
		}
	}
	return 0, false
}
