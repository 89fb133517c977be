package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const root = "../../.."

// fakeGremlins is a program that writes a report where gremlins does, once the tests were compiled by a dry run.
func fakeGremlins(t *testing.T, statuses string) options {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "gremlins")
	script := `#!/bin/sh -e
case "$*" in
*--dry-run) touch "$0.compiled"; exit ;;
esac
test -e "$0.compiled"
while [ "$1" != --output ]; do shift; done
echo '{"files": [{"file_name": "a.go", "mutations": [` + statuses + `]}]}' > "$2"
`
	require.NoError(t, os.WriteFile(program, []byte(script), 0o700))
	return options{gremlins: program, out: dir}
}

func TestAFileIsNamedFromTheFolderOfTheProject(t *testing.T) {
	r, err := fakeGremlins(t, `{"status": "LIVED"}`).mutate(t.Context(), t.TempDir(), pkg{Path: "controllers/internal/fault"})
	require.NoError(t, err)
	assert.Equal(t, "controllers/internal/fault/a.go", r.Files[0].Name)
}

func TestAGremlinsThatKillsEveryMutantIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		statuses string
		want     error
	}{
		"one is killed and one lives": {`{"status": "KILLED"}, {"status": "LIVED"}`, nil},
		"both are killed":             {`{"status": "KILLED"}, {"status": "KILLED"}`, errGremlins},
		"both live":                   {`{"status": "LIVED"}, {"status": "LIVED"}`, errGremlins},
		"none was tried":              {`{"status": "NOT COVERED"}`, errGremlins},
	} {
		t.Run(name, func(t *testing.T) {
			assert.ErrorIs(t, fakeGremlins(t, c.statuses).checkGremlins(t.Context()), c.want)
		})
	}
}

func TestEveryPackageOfThePlanExistsAndEverySurvivorHasAReason(t *testing.T) {
	p, err := readPlan()
	require.NoError(t, err)
	assert.InDelta(t, 95, p.Threshold, 0.01)
	var paths []string
	for _, one := range p.Packages {
		assert.DirExists(t, filepath.Join(root, one.Path))
		paths = append(paths, strings.TrimPrefix(one.Path, "controllers/internal/"))
	}
	assert.Subset(t, paths, []string{"status", "fault", "condition", "reference", "connection", "aiven", "plan", "userconfig"})
	for _, s := range p.Survivors {
		assert.NotEmpty(t, s.Reason, s.Code)
		content, err := os.ReadFile(filepath.Join(root, s.File))
		require.NoError(t, err)
		assert.Contains(t, string(content), s.Code, "%s has changed: is the mutant still alive?", s.File)
	}
}

func TestAMutantThatTimesOutCountsAsKilled(t *testing.T) {
	r := &report{}
	require.NoError(t, json.Unmarshal([]byte(`{"files": [{"file_name": "a.go", "mutations": [
		{"type": "X", "status": "KILLED", "line": 1}, {"type": "X", "status": "TIMED OUT", "line": 2},
		{"type": "X", "status": "LIVED", "line": 3}, {"type": "X", "status": "NOT COVERED", "line": 4},
		{"type": "X", "status": "KILLED", "line": 5}]}]}`), r))
	assert.InDelta(t, 75, r.score().percent(), 0.01)
	assert.InDelta(t, 0, score{}.percent(), 0.01, "no mutant is no success")
}

func TestASurvivorIsFoundByItsCode(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n\tif x > 0 {\n\tif y > 0 {\n"), 0o600))
	r := &report{}
	require.NoError(t, json.Unmarshal([]byte(`{"files": [{"file_name": "a.go", "mutations": [
		{"type": "X", "status": "LIVED", "line": 2}, {"type": "X", "status": "LIVED", "line": 3}]}]}`), r))
	p := &plan{Survivors: []survivor{{File: "a.go", Type: "X", Code: "if x > 0 {", Reason: "equal either way"}}}
	lines, explained := p.survivorsOf(dir, r)
	require.Len(t, lines, 2)
	assert.Contains(t, lines[0], "equal either way")
	assert.Contains(t, lines[1], "NOT EXPLAINED")
	assert.Equal(t, 1, explained)
}

func TestAMutantThatTimesOutIsListed(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\nfor i < n {\n"), 0o600))
	r := &report{}
	require.NoError(t, json.Unmarshal([]byte(`{"files": [{"file_name": "a.go", "mutations": [
		{"type": "X", "status": "KILLED", "line": 1}, {"type": "X", "status": "TIMED OUT", "line": 2}]}]}`), r))
	assert.Equal(t, []string{"a.go:2: X timed out in `for i < n {`"}, timeoutsOf(dir, r))
}

func TestADeadlineIsNotTakenFromACachedResult(t *testing.T) {
	t.Setenv("GOFLAGS", "-mod=mod")
	assert.Contains(t, environment(nil), "GOFLAGS=-mod=mod -trimpath -vet=off -count=1 -ldflags=-w")
}

func TestAReasonExplainsNoMoreMutantsOfALineThanItCounts(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte("a <= b && c <= d && e <= f\n"), 0o600))
	mutation := `{"type": "X", "status": "LIVED", "line": 1}`
	r := &report{}
	require.NoError(t, json.Unmarshal([]byte(`{"files": [{"file_name": "a.go", "mutations": [`+
		mutation+","+mutation+","+mutation+`]}]}`), r))
	for count, want := range map[int]int{0: 1, 1: 1, 2: 2, 4: 3} {
		p := &plan{Survivors: []survivor{{File: "a.go", Type: "X", Code: "a <= b && c <= d && e <= f", Count: count, Reason: "equal"}}}
		lines, explained := p.survivorsOf(dir, r)
		assert.Len(t, lines, 3, "all are listed")
		assert.Equal(t, want, explained, "count %d", count)
	}
}

func TestAMutantThatMayLiveIsNoPartOfThePercentage(t *testing.T) {
	for name, c := range map[string]struct {
		score score
		want  float64
	}{
		"all others are killed":     {score{killed: 9, lived: 1}.explain(1), 100},
		"one lives without reason":  {score{killed: 9, lived: 2}.explain(1), 90},
		"none of those that live":   {score{killed: 9, lived: 1}.explain(0), 90},
		"all that were tried do so": {score{lived: 2}.explain(2), 0},
	} {
		t.Run(name, func(t *testing.T) { assert.InDelta(t, c.want, c.score.percent(), 0.01) })
	}
	assert.Equal(t, "90.0 % (9 killed, 0 timed out, 1 live, 1 more may live)", score{killed: 9, lived: 2}.explain(1).String())
}

func TestAPackageIsChosenByTheEndOfItsPath(t *testing.T) {
	p := &plan{Packages: []pkg{{Path: "controllers/internal/fault", Without: []string{"io.go"}}, {Path: "controllers"}}}
	for name, c := range map[string]struct {
		path string
		want int
	}{
		"none is all":      {"", 2},
		"the last element": {"fault", 1},
		"the whole path":   {"./controllers/internal/fault/", 1},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := p.chosen(c.path)
			require.NoError(t, err)
			assert.Len(t, got, c.want)
		})
	}
	_, err := p.chosen("nothing")
	require.ErrorContains(t, err, "no package nothing")
	assert.Equal(t, []string{`(^|/)io\.go$`}, p.Packages[0].excluded())
}
