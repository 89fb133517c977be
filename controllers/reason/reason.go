// Package reason explains the reasons that users see in the condition Ready and in events: what each means, what to do, and the page
// about it. Docs and kubectl aero show these texts.
package reason

import "slices"

// Pages is the folder of the pages, in the docs of the project.
const Pages = "https://github.com/aero-operator/aero/blob/main/docs/user/reasons/"

// Reason is a reason of Ready, or of a warning that has no such reason.
type Reason struct {
	// Name is the reason of Ready, such as AuthFailed, or of the Warning event.
	Name string
	// Ready is the status of Ready with this reason: True, False or Unknown. It is empty for a reason of warnings only.
	Ready string
	// Warnings are reasons of Warning events that report it. A reason of events with several causes is in each of them.
	Warnings []string
	// Means is a sentence without its full stop.
	Means string
	// Remedy is an instruction without its full stop; empty where nothing has to be done.
	Remedy string
}

// Page is the address of the page about a reason.
func (r *Reason) Page() string { return Pages + r.Name + ".md" }

// All are all reasons: those of a usable object, those that need a change, the waits, those of a deletion, and those of warnings only.
// Of several with the same warning, the most frequent one is the first.
func All() []Reason { return slices.Clone(all) }

// Of returns a reason of Ready by its name, or else the first one that a Warning event of this reason reports.
func Of(name string) (Reason, bool) {
	for _, r := range all {
		if r.Name == name {
			return r, true
		}
	}
	for _, r := range all {
		if slices.Contains(r.Warnings, name) {
			return r, true
		}
	}
	return Reason{}, false
}
