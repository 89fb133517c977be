package status

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
)

// mutationNote is what a reconcile did at Aiven.
func mutationNote(f *Facts) string {
	if f.Mutation == Reset {
		return "Reset the password at Aiven: " + resetCause(f.Overwriters)
	}
	if f.Mutation == Rotated {
		return rotatedNote
	}
	if was := f.Redacted(f.Replaced); f.Mutation == Updated && f.GenerationApplied && readable(was) {
		return "Corrected drift at Aiven: " + replaced(was)
	}
	verb := map[Mutation]string{Created: "Created", Updated: "Updated"}[f.Mutation]
	if len(f.Changes) == 0 {
		return verb + " at Aiven"
	}
	return fmt.Sprintf("%s %s at Aiven", verb, strings.Join(f.Changes, ", "))
}

// readable reports whether each difference has values to show.
func readable(diff []userconfig.Shown) bool {
	return len(diff) > 0 && !slices.ContainsFunc(diff, func(one userconfig.Shown) bool { return one.Hidden })
}

// replaced lists the values that Aiven had: those of the spec are in the spec.
func replaced(diff []userconfig.Shown) string {
	parts := make([]string, 0, len(diff))
	for _, entry := range diff {
		parts = append(parts, fmt.Sprintf("%s was %s", entry.Path, cmp.Or(entry.Found, "empty")))
	}
	return strings.Join(parts, ", ")
}

// resetCause is why there is a new password. Another one was never published, was lost with the Secret, or was written over.
func resetCause(overwriters []string) string {
	if len(overwriters) == 0 {
		return "the connection Secret didn't have it, and Aiven returns it only once"
	}
	return fmt.Sprintf("field manager %s has written over it in the connection Secret. Keep it from doing so: "+
		"for 10 minutes the password is restored, then it is reset again", strings.Join(overwriters, ", "))
}

func (e *evaluator) wasRecreated() bool { return e.facts.Recreated && e.facts.Mutation == Created }

// wasOverwritten reports whether credentials were reset because another client has written over them.
func (e *evaluator) wasOverwritten() bool {
	return e.facts.Mutation == Reset && len(e.facts.Overwriters) > 0 && e.facts.Secret.Err == nil
}

// recovered reports whether the latest status was an error of something that had been ready before.
func (e *evaluator) recovered() bool {
	c := e.previous(condition.Ready)
	return e.facts.WasReady && c != nil && c.Reason != condition.ReasonProgressing && c.Reason != condition.ReasonPaused
}
