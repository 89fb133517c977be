package status

import (
	"strings"

	"github.com/aero-operator/aero/controllers/internal/condition"
)

// Discarded is what became of the Secret of a migration that the spec wants deleted. It completes the message of the
// condition MigrationComplete.
type Discarded struct {
	Message string // a sentence without its period; empty if there is no such Secret
	Warning bool   // a user has to do something
	Retry   bool   // the API server failed: it is tried again soon
}

// completed is a condition with what became of the Secret of the migration.
func (e *evaluator) completed(extra KindCondition) KindCondition {
	if extra.Type == condition.MigrationComplete && e.facts.Discarded.Message != "" {
		extra.Message += ". " + e.facts.Discarded.Message
	}
	return extra
}

// keepsSecret reports whether the Secret of a migration isn't deleted, although the spec asks for it, for a new reason.
func (e *evaluator) keepsSecret() bool {
	old := e.previous(condition.MigrationComplete)
	return e.facts.Discarded.Warning && (old == nil || !strings.HasSuffix(old.Message, e.facts.Secrets.Scrub(e.facts.Discarded.Message)))
}
