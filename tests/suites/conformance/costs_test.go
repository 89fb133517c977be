package conformance_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/harness/testenv"
)

// costRequirements are checked with the timings of users: the faster ones of other cases read more often.
var costRequirements = []requirement{
	{
		says: "it takes no more calls and writes than the page on scale allows it", proves: "P04 W01", options: testenv.Options{Divisor: 1},
		check: (*testCase).costsWhatIsAllowed,
	},
}

// costColumns are those of the table in docs/user/scale.md, behind the kind.
var costColumns = []string{
	"calls until ready", "writes among them", "calls of a requested reconcile at rest", "calls of an edit", "calls of a deletion",
	"writes to Kubernetes until ready",
}

// unchangeable is in the column of an edit where the kind has none.
const unchangeable = "none"

func (s *testCase) costsWhatIsAllowed() {
	before := s.Aiven.Mark()
	s.begin()
	calls, changes, writes := s.callsSince(before), len(s.Aiven.Writes(before)), s.writesToKubernetes()
	request(s.Env, s.obj, "first") // what the last write of the object has led to is over
	rest := s.callsOf(func() { request(s.Env, s.obj, "second") })
	edit := unchangeable
	if s.kind.change != nil {
		edit = strconv.Itoa(s.callsOf(func() {
			s.edit()
			s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase))
		}))
	}
	gone := s.callsOf(func() {
		s.Delete(s.obj)
		s.WaitGone(s.obj)
	})
	found := []string{strconv.Itoa(calls), strconv.Itoa(changes), strconv.Itoa(rest), edit, strconv.Itoa(gone), strconv.Itoa(writes)}
	s.T.Logf("| `%s` | %s |", s.kind.name, strings.Join(found, " | "))
	allowed := s.allowedCosts()
	for i, column := range costColumns {
		if found[i] == unchangeable || allowed[i] == unchangeable {
			assert.Equal(s.T, allowed[i], found[i], column)
			continue
		}
		limit, err := strconv.Atoi(allowed[i])
		require.NoError(s.T, err, "the column %q of docs/user/scale.md", column)
		taken, err := strconv.Atoi(found[i])
		require.NoError(s.T, err)
		assert.LessOrEqual(s.T, taken, limit, "%s: %v", column, s.Aiven.Stats().Calls)
	}
}

// allowedCosts is the row of the kind in docs/user/scale.md.
func (s *testCase) allowedCosts() []string {
	s.T.Helper()
	page, err := os.ReadFile(s.Path("docs", "user", "scale.md"))
	require.NoError(s.T, err)
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if cells[0] == fmt.Sprintf("`%s`", s.kind.name) && len(cells) == len(costColumns)+1 {
			return cells[1:]
		}
	}
	require.Fail(s.T, "docs/user/scale.md has no row for the kind", s.kind.name)
	return nil
}

// callsOf are the operator's calls while something happens.
func (s *testCase) callsOf(step func()) int {
	s.T.Helper()
	mark := s.Aiven.Mark()
	step()
	return s.callsSince(mark)
}

// callsSince are the operator's calls since a mark, without those that no object asks for. A read that is repeated, as long as Aiven works on
// something, counts once: how long that takes depends on the machine.
func (s *testCase) callsSince(mark testenv.Mark) int {
	n, read := 0, map[string]bool{}
	for _, call := range s.Aiven.Calls(mark) {
		what := call.Method + " " + call.Path + " " + string(call.Body)
		if slices.Contains(shared, call.Operation) || read[what] {
			continue
		}
		n, read[what] = n+1, !testenv.IsWrite(call)
	}
	return n
}

// shared are calls that objects don't add to: one shows whose token it is, the other lists a project at an interval.
var shared = []string{"UserInfo", "ServiceList"}

// writesToKubernetes are the operator's so far: of an object that was created and is ready, its Secret, and its events.
func (s *testCase) writesToKubernetes() int {
	s.T.Helper()
	n := len(s.History(s.obj)) - 1 // it was created by its user
	if s.kind.publishes() {
		n += len(s.SecretHistory(s.secret().Name))
	}
	s.Until(func() bool { return len(s.Events(s.obj)) > 0 }, func() string { return "there is no event" })
	for _, event := range s.Events(s.obj) {
		n++
		if event.Series != nil {
			n += int(event.Series.Count) - 1
		}
	}
	return n
}
