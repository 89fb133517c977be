package reference

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// State is what was found at the other end of a reference.
type State string

// The states.
const (
	Ready      State = "Ready"
	NotFound   State = "NotFound"
	KeyMissing State = "KeyMissing"
	NotReady   State = "NotReady"
	Invalid    State = "Invalid" // the object must not refer to this target
	Failed     State = "Failed"  // it couldn't be read
)

// Outcome is the result of following one reference. It never holds anything of a Secret's data.
type Outcome struct {
	// Name, Field, Kind, CreateOnly, WriteOnly and BlocksDeletion are those of the declaration, Field that of the target if it has one.
	Name           string
	Field          string
	Kind           schema.GroupVersionKind
	CreateOnly     bool
	WriteOnly      bool
	BlocksDeletion bool
	// Target is where the reference leads, its namespace filled in.
	Target
	// State is the outcome in a word.
	State State
	// Reason and Message are for the condition of the reference. The reason of a target that isn't ready is that of its
	// own Ready condition.
	Reason, Message string
	// Err is the error of the API if State is Failed, an invalid spec if State is Invalid, else nil.
	Err error
	// UID of the object that was found, empty if none was.
	UID types.UID
	// ResourceVersion of a Secret whose declaration has WriteOnly set; empty for all other targets.
	ResourceVersion string

	value any // what Declaration.Ready returned; nil for Secrets
}

// ID is the identifier of the target at Aiven in decimal or as text; empty if it has none, isn't ready, or if its kind
// has another value.
func (o Outcome) ID() string {
	switch id := o.value.(type) {
	case string:
		return id
	case int64:
		return fmt.Sprint(id)
	default:
		return ""
	}
}

// Condition is the type of the condition that shows this outcome.
func (o Outcome) Condition() string {
	return Declaration{Name: o.Name}.Condition()
}

// Resolved is what all references of one object led to.
type Resolved struct {
	outcomes []Outcome
	spent    []v1alpha1.ResolvedReference    // Secrets of which the status keeps the record
	versions map[types.NamespacedName]string // of the Secrets that were found
	// data returns the data of the Secret behind an outcome; nil for other kinds. It is a function because fmt prints
	// whatever a struct holds or points to, but of a function the address only.
	data func(outcome int) map[string][]byte
}

// Outcomes lists the outcome of each reference, in the order of the declarations and of their targets.
func (r Resolved) Outcomes() []Outcome {
	return r.outcomes
}

// Err is the error of the first reference that couldn't be read: whether its target exists isn't known. One that is missing
// or invalid is none.
func (r Resolved) Err() error {
	for _, o := range r.outcomes {
		if o.State == Failed {
			return o.Err
		}
	}
	return nil
}

// Summaries has one outcome for each declaration whose targets an object names, as a condition shows it: the first that
// isn't ready, an error of the API before what the object must not refer to, and both before what it waits for, with the number of
// the others in its message.
func (r Resolved) Summaries() []Outcome {
	var summaries []Outcome
	for from := 0; from < len(r.outcomes); {
		to := from + 1
		for to < len(r.outcomes) && r.outcomes[to].Name == r.outcomes[from].Name {
			to++
		}
		summaries = append(summaries, summarize(r.outcomes[from:to]))
		from = to
	}
	return summaries
}

// IsAbsent reports whether what a reference names doesn't exist, as opposed to not being ready.
func (o *Outcome) IsAbsent() bool { return o.State == NotFound || o.State == KeyMissing }

// summarize merges the outcomes of one declaration.
func summarize(outcomes []Outcome) Outcome {
	first, unready := outcomes[0], 0
	for _, o := range outcomes {
		if o.State == Ready {
			continue
		}
		if unready == 0 || urgency(o.State) > urgency(first.State) {
			first = o
		}
		unready++
	}
	switch {
	case unready > 1:
		first.Message += fmt.Sprintf(" (and %d more)", unready-1)
	case unready == 0 && len(outcomes) > 1:
		first.Message += fmt.Sprintf(" (and %d more)", len(outcomes)-1)
	}
	return first
}

// urgency orders the states that aren't Ready: of an error nothing else is known, and what is invalid needs a user.
func urgency(s State) int { return slices.Index([]State{Invalid, Failed}, s) }

// SecretValue returns the value that the first reference of this name leads to. It is false unless the Secret is there
// and has the key. Value and Values return those of further references.
func (r Resolved) SecretValue(name string) ([]byte, bool) {
	return Value[[]byte](r, name, 0)
}

// SecretData returns the keys of its declaration, of the Secret that the first reference of this name leads to; nil
// unless the Secret is there and has the key that is asked for.
func (r Resolved) SecretData(name string) map[string][]byte {
	if at := r.named(name); len(at) > 0 && r.outcomes[at[0]].State == Ready {
		return r.data(at[0])
	}
	return nil
}

// SecretVersions are the resource versions of the Secrets that were found.
func (r Resolved) SecretVersions() map[types.NamespacedName]string { return r.versions }

// Secrets are the values that the object takes from Secrets, and those in its spec: no text about the object may hold them.
func (r Resolved) Secrets(inSpec ...string) *fault.Secrets {
	values := slices.Clone(inSpec)
	for at, o := range r.outcomes {
		if o.State != Ready {
			continue
		}
		for _, value := range r.data(at) {
			values = append(values, string(value))
		}
	}
	secrets := &fault.Secrets{}
	secrets.Add(values...)
	return secrets
}

// ID returns the identifier at Aiven that the first reference of this name leads to; empty unless it is ready.
func (r Resolved) ID(name string) string {
	if at := r.named(name); len(at) > 0 {
		return r.outcomes[at[0]].ID()
	}
	return ""
}

// Value returns the value of the i-th target that an object names by the references of a name. For Secrets it is the
// value of the key, and V is []byte; for other kinds what Declaration.Ready returned. It is false unless the target is
// ready and has such a value.
func Value[V any](r Resolved, name string, i int) (V, bool) {
	var none V
	at := r.named(name)
	if i >= len(at) || r.outcomes[at[i]].State != Ready {
		return none, false
	}
	o := r.outcomes[at[i]]
	if o.Kind == SecretKind {
		bytes, found := r.data(at[i])[o.Key]
		if value, fits := any(bytes).(V); fits && found {
			return value, true
		}
		return none, false
	}
	value, fits := o.value.(V)
	return value, fits
}

// Values returns the values of all targets that an object names by the references of a name, in their order. It is false
// unless each of them has one.
func Values[V any](r Resolved, name string) ([]V, bool) {
	var values []V
	for i := range r.named(name) {
		value, ok := Value[V](r, name, i)
		if !ok {
			return nil, false
		}
		values = append(values, value)
	}
	return values, true
}

// named lists the outcomes of a declaration by their position.
func (r Resolved) named(name string) []int {
	var at []int
	for i := range r.outcomes {
		if r.outcomes[i].Name == name {
			at = append(at, i)
		}
	}
	return at
}

// Refs lists the objects that were found ready, each once, for the status.
func (r Resolved) Refs() []v1alpha1.ResolvedReference {
	var refs []v1alpha1.ResolvedReference
	for _, o := range r.outcomes {
		ref := v1alpha1.ResolvedReference{
			Kind: o.Kind.Kind, Namespace: o.Namespace, Name: o.Target.Name, UID: o.UID, ID: o.ID(),
			ResourceVersion: o.ResourceVersion,
		}
		if o.State == Ready && !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	return refs
}
