package plan

import (
	"slices"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/impact"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
)

// Difference is one between the spec and what Aiven returns: two values, and how they are printed.
type Difference = userconfig.Difference

// Printed is a value that has a text of its own in a difference.
type Printed = userconfig.Printed

// Shown is a difference as it may be shown.
type Shown = userconfig.Shown

// Hidden is a value that isn't shown in a difference, and decides nothing.
type Hidden = userconfig.Hidden

// Impact returns what the correction of a difference costs or interrupts, at an object of a kind.
func Impact(kind string, d Difference) impact.Change {
	return impact.Of(kind, d.Path, d.From.Get(), d.To.Get())
}

// Diff are differences between the spec and what Aiven returns.
type Diff []Difference

// Add adds a difference at a path in the spec. The values are those that the fields of the spec have, so that what is found can be kept
// there; nil is none. Where the text is another one than fmt makes, pass Printed. Secret values are not passed: see AddSecret.
func (d *Diff) Add(path string, wanted, found any) {
	*d = append(*d, userconfig.NewDifference(path, wanted, found))
}

// AddSecret adds a difference between secret values.
func (d *Diff) AddSecret(path string) { d.Add(path, Hidden{}, Hidden{}) }

// Has reports whether there is a difference at a path.
func (d Diff) Has(path string) bool {
	return slices.ContainsFunc(d, func(one Difference) bool { return one.Path == path })
}

// Without returns the differences at other paths.
func (d Diff) Without(path string) Diff {
	return slices.DeleteFunc(slices.Clone(d), func(one Difference) bool { return one.Path == path })
}

// Same reports whether both have the same values at the same paths.
func (d Diff) Same(other Diff) bool { return userconfig.Same(d, other) }

// Paths lists where the differences are.
func (d Diff) Paths() []string {
	paths := make([]string, 0, len(d))
	for _, one := range d {
		paths = append(paths, one.Path)
	}
	return paths
}

// Entries are the differences as they are printed; nil for none.
func (d Diff) Entries() []v1alpha1.DriftEntry {
	var entries []v1alpha1.DriftEntry
	for _, one := range d {
		entries = append(entries, one.Entry())
	}
	return entries
}

// Wanted has what the spec sets at paths that Aiven never returns, where that is known and no secret: values, which may be Printed.
type Wanted map[string]any

// Difference is the difference at such a path, for its impact.
func (w Wanted) Difference(path string) Difference {
	return userconfig.NewDifference(path, w[path], nil)
}

// Shown is the difference at such a path as it may be shown; without values if it is a secret, or isn't known.
func (w Wanted) Shown(path string, conceal func([]Difference) []Shown) v1alpha1.DriftEntry {
	if difference := w.Difference(path); difference.Wanted != "" {
		if shown := conceal([]Difference{difference})[0]; !shown.Hidden {
			shown.Found = userconfig.NotReturned
			return shown.DriftEntry
		}
	}
	return v1alpha1.DriftEntry{Path: path}
}
