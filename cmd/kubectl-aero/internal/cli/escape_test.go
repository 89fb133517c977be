package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hostile is an object whose status has what controls a terminal.
const hostile = `
apiVersion: aiven.io/v1alpha1
kind: PostgreSQL
metadata: {name: my-pg, generation: 1, creationTimestamp: "2026-05-01T11:00:00Z"}
spec: {project: p, plan: startup-4, connInfoSecretTarget: {name: "my-\u202epg\e[8m"}}
status:
  observedGeneration: 1
  lastHandledReconcileAt: "2026-05-01T12:00:00Z"
  drift: [{path: "spec.\e[8m", wanted: "\u009b8m", found: "\u202e"}]
  conditions:
  - {type: Ready, status: "False", reason: "Evil\e[2J", message: "a\e[2J\u202e\u009b8m\nPostgreSQL/other is ready"}
  - {type: SecretReady, status: "False", reason: "Bad\e[8m", message: "no\e[2J\u202e\u009b8m\nerror: x"}
  - {type: Drifted, status: "True", reason: "Bad\e[8m", message: "drift\e[2J\u202e\u009b8m"}
`

func TestTextOfTheClusterControlsNoTerminal(t *testing.T) {
	s := newServer(t, hostile)
	const controls = "[\x00-\x09\x0b-\x1f\x7f\u0080-\u009f\\p{Cf}]"
	for _, args := range [][]string{
		{"why"}, {"why", "avnpg/my-pg"}, {"why", "-o", "json"}, {"why", "-o", "yaml"},
		{"tree", "avnpg/my-pg"}, {"tree", "avnpg/my-pg", "-o", "json"}, {"tree", "avnpg/my-pg", "-o", "yaml"},
		{"connect", "avnpg/my-pg"}, {"reconcile", "avnpg/my-pg", "--wait"}, {"pause", "avnpg/my-pg"},
		{"why", "avnpg/\x1b[2J"}, {"connect", "avnpg/my-pg", "--service-user", "\u202e"},
	} {
		out, problem := s.types(t, args...)
		assert.NotRegexp(t, controls, out, args)
		assert.NotRegexp(t, controls, problem, args)
		assert.NotContains(t, problem, "\n", args)
		assert.NotRegexp(t, `(?m)^PostgreSQL/other`, out, args)
		assert.NotEmpty(t, out+problem, args)
	}
}

func TestOtherProgramsReadTextAsItIs(t *testing.T) {
	s := newServer(t, hostile)
	var found struct{ Objects []struct{ Message string } }
	require.NoError(t, json.Unmarshal([]byte(s.prints(t, "why", "-o", "json")), &found))
	require.Len(t, found.Objects, 1)
	assert.Equal(t, "a\x1b[2J\u202e\u009b8m\nPostgreSQL/other is ready", found.Objects[0].Message)
}

func TestANameThatControlsATerminalIsNotCompleted(t *testing.T) {
	evil := strings.Replace(database, "orders", `"orders\e[2J"`, 1)
	assert.NotContains(t, newServer(t, evil, database).prints(t, "__complete", "why", "database", "o"), "\x1b")
}

func TestAWarningOfTheAPIServerIsWrittenOnceAsKubectlDoes(t *testing.T) {
	s := newServer(t, postgres)
	s.warning = `299 - "unknown field \"spec.x\" ` + "\u202e" + `"`
	assert.Equal(t, `Warning: unknown field "spec.x" \u202e`+"\npostgresql.aiven.io/my-pg paused\n", s.prints(t, "pause", "postgresql", "my-pg"))
}

func TestAnErrorOfTheCommandLineHasItsLines(t *testing.T) {
	_, problem := newServer(t).types(t, "wy")
	assert.Equal(t, "error: unknown command \"wy\" for \"kubectl aero\"\n\nDid you mean this?\n\twhy\n", problem)
}

func TestACommandWithoutAnObjectShowsHowToNameOne(t *testing.T) {
	for _, command := range []string{"tree", "approve", "connect", "pause", "reconcile"} {
		_, problem := newServer(t, postgres).types(t, command)
		assert.Contains(t, problem, "error: name an object: kubectl aero "+command+" KIND NAME")
	}
	_, problem := newServer(t, postgres).types(t, "connect", "--", "-c", "SELECT 1")
	assert.Equal(t, "error: name an object: kubectl aero connect KIND NAME | KIND/NAME [-- ARGUMENTS OF THE CLIENT] [flags]", problem)
	_, problem = newServer(t, postgres).types(t, "tree", "a", "b", "c")
	assert.Contains(t, problem, "error: name an object: kubectl aero tree KIND NAME")
}

func TestCountsAreInTheSingularAndThePlural(t *testing.T) {
	assert.Equal(t, []string{"0 objects", "1 object", "2 objects"}, []string{count(0, "object"), count(1, "object"), count(2, "object")})
}
