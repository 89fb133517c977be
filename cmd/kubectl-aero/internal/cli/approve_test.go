package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	pendingHash = "0123456789abcdef0123456789abcdef01234567"
	approved    = "controllers.aiven.io/approved-changes"
	held        = `
apiVersion: aiven.io/v1alpha1
kind: PostgreSQL
metadata: {name: my-pg, generation: 2, creationTimestamp: "2026-05-01T11:00:00Z"}
spec: {project: p, plan: business-8}
status:
  observedGeneration: 2
  pendingChanges:
    hash: ` + pendingHash + `
    changes:
    - {path: spec.plan, from: startup-4, to: business-8, impact: [Cost, NodesReplaced], message: nodes are replaced, monthlyPrice: {fromUSD: 58, toUSD: 234}}
    - {path: spec.userConfig.admin_password}
  conditions:
  - {type: Ready, status: Unknown, reason: AwaitingApproval, message: Not applied, lastTransitionTime: "2026-05-01T11:58:00Z"}
`
	shown = `postgresql.aiven.io/my-pg has changes that wait for approval:
  spec.plan: startup-4 -> business-8
    Cost, NodesReplaced: nodes are replaced. The list price, without discounts and taxes, goes from about $58 to $234 a month
  spec.userConfig.admin_password: Aiven doesn't return it, so it is sent
Hash: ` + pendingHash + "\n"
	question = "Approve these changes? Type yes: "
)

func (s *server) approval(t *testing.T) string {
	t.Helper()
	return s.get(t, "postgresqls", "my-pg").GetAnnotations()[approved]
}

func TestApproveShowsAndAsks(t *testing.T) {
	s := newServer(t, held)
	s.answers = "yes\n"
	assert.Equal(t, shown+question+"postgresql.aiven.io/my-pg approved\n", s.prints(t, "approve", "postgresql", "my-pg"))
	assert.Equal(t, pendingHash, s.approval(t))
}

func TestApproveTakesNoOtherAnswer(t *testing.T) {
	for _, answer := range []string{"", "no\n", "\n", "y\n"} {
		s := newServer(t, held)
		s.answers = answer
		out, problem := s.types(t, "approve", "avnpg/my-pg")
		assert.Equal(t, shown+question, out)
		assert.Equal(t, "error: nothing was approved. Without a terminal, use --hash or --yes", problem)
		assert.Empty(t, s.approval(t))
	}
}

func TestApproveInAPipeline(t *testing.T) {
	for _, args := range [][]string{{"--hash", pendingHash}, {"--yes"}} {
		s := newServer(t, held)
		assert.Equal(t, shown+"postgresql.aiven.io/my-pg approved\n", s.prints(t, append([]string{"approve", "postgresql/my-pg"}, args...)...))
		assert.Equal(t, pendingHash, s.approval(t))
	}
	s := newServer(t, held)
	_, problem := s.types(t, "approve", "postgresql/my-pg", "--hash", strings.Repeat("0", 40))
	assert.Equal(t, "error: postgresql.aiven.io/my-pg: nothing was approved: the changes that wait have the hash "+pendingHash+
		", and not 0000000000000000000000000000000000000000. Check them again", problem)
	assert.Empty(t, s.approval(t))
}

func TestApproveNeedsChangesOfTheLatestEdit(t *testing.T) {
	for name, tc := range map[string]struct{ object, problem string }{
		"none":      {postgres, "no change waits for approval"},
		"an edit":   {strings.Replace(postgres, "generation: 1", "generation: 2", 1), "the operator hasn't reconciled the latest edit yet. Try again in some seconds"},
		"old ones":  {strings.Replace(held, "generation: 2", "generation: 3", 1), "the changes that wait may be those of an earlier edit"},
		"no object": {database, "not found"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, tc.object)
			_, problem := s.types(t, "approve", "postgresql", "my-pg", "--yes")
			assert.Contains(t, problem, tc.problem)
		})
	}
}

func TestWhatChangesDuringTheQuestionIsNotApproved(t *testing.T) {
	s := newServer(t, held)
	s.asked = func() string {
		u := s.get(t, "postgresqls", "my-pg")
		assert.NoError(t, unstructured.SetNestedField(u.Object, strings.Repeat("1", 40), "status", "pendingChanges", "hash"))
		_, err := s.kind("postgresqls").Update(t.Context(), u, metav1.UpdateOptions{})
		assert.NoError(t, err)
		return "yes\n"
	}
	_, problem := s.types(t, "approve", "postgresql", "my-pg")
	assert.Equal(t, "error: postgresql.aiven.io/my-pg: nothing was approved: other changes wait by now. Check them again", problem)
	assert.Empty(t, s.approval(t))
}
