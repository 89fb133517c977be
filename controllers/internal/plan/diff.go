package plan

import (
	"fmt"
	"slices"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
)

// Diff are differences between the spec and what Aiven returns.
type Diff []v1alpha1.DriftEntry

// Add adds a difference at a path in the spec. Secret values are not passed: write "(secret)".
func (d *Diff) Add(path string, wanted, found any) {
	*d = append(*d, v1alpha1.DriftEntry{Path: path, Wanted: fmt.Sprint(wanted), Found: fmt.Sprint(found)})
}

// Has reports whether there is a difference at a path.
func (d Diff) Has(path string) bool {
	return slices.ContainsFunc(d, func(entry v1alpha1.DriftEntry) bool { return entry.Path == path })
}

// Without returns the differences at other paths.
func (d Diff) Without(path string) Diff {
	return slices.DeleteFunc(slices.Clone(d), func(entry v1alpha1.DriftEntry) bool { return entry.Path == path })
}

// Paths lists where the differences are.
func (d Diff) Paths() []string {
	paths := make([]string, 0, len(d))
	for _, entry := range d {
		paths = append(paths, entry.Path)
	}
	return paths
}

// Wanted has what the spec sets at paths that Aiven never returns, where that is known and no secret.
type Wanted map[string]string

// Entry is the difference at such a path, for its impact.
func (w Wanted) Entry(path string) v1alpha1.DriftEntry {
	return v1alpha1.DriftEntry{Path: path, Wanted: w[path]}
}

// Shown is the difference at such a path as it may be shown; without values if it is a secret, or isn't known.
func (w Wanted) Shown(path string, conceal func(Diff) Diff) v1alpha1.DriftEntry {
	if w[path] != "" {
		if shown := conceal(Diff{w.Entry(path)})[0]; shown.Wanted != userconfig.Concealed {
			shown.Found = userconfig.NotReturned
			return shown
		}
	}
	return v1alpha1.DriftEntry{Path: path}
}
