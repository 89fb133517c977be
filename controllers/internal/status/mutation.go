package status

import (
	"fmt"
	"strings"
)

// mutationNote is what a reconcile did at Aiven.
func mutationNote(f *Facts) string {
	if f.Mutation == Reset {
		return "Reset the password at Aiven: " + resetCause(f.Overwriters)
	}
	verb := map[Mutation]string{Created: "Created", Updated: "Updated"}[f.Mutation]
	if len(f.Changes) == 0 {
		return verb + " at Aiven"
	}
	return fmt.Sprintf("%s %s at Aiven", verb, strings.Join(f.Changes, ", "))
}

// resetCause is why there is a new password. Another one was never published, was lost with the Secret, or was written over.
func resetCause(overwriters []string) string {
	if len(overwriters) == 0 {
		return "the connection Secret didn't have it, and Aiven returns it only once"
	}
	return fmt.Sprintf("field manager %s has written over it in the connection Secret, and Aiven returns it only once. "+
		"Keep that client from writing to the Secret. For 10 minutes the password is restored, then it is reset again",
		strings.Join(overwriters, ", "))
}
