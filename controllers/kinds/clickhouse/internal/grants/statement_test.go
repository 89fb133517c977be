package grants

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Names may have any characters: a comma in one doesn't make two of it.
func TestStatementsOfSimilarNamesStayApart(t *testing.T) {
	role := func(to, name string) Action { return Action{Grantee: Grantee{Name: to}, Granted: name} }
	column := func(to, name string) Action {
		return Action{Grantee: Grantee{Name: to}, Access: "SELECT", Scope: Scope{"db", "t", name}}
	}
	for name, actions := range map[string][]Action{
		"roles":   {role("app", "a, b"), role("other", "a"), role("other", "b")},
		"columns": {column("app", "a, b"), column("other", "a"), column("other", "b")},
	} {
		t.Run(name, func(t *testing.T) {
			for _, s := range Statements(actions) {
				assert.Len(t, s.To, 1, "%s", s)
			}
		})
	}
}
