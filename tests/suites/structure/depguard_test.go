package structure_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

const module = "github.com/aero-operator/aero/"

// importRule is a rule of depguard, as .golangci.yml has it.
type importRule struct {
	Files []string `json:"files"`
	Mode  string   `json:"list-mode"` // "strict": what isn't allowed is denied
	Allow []string `json:"allow"`
	Deny  []struct {
		Package string `json:"pkg"`
	} `json:"deny"`
}

func TestImportRulesDenyThePackagesOfHigherFloors(t *testing.T) {
	var config struct {
		Linters struct {
			Settings struct {
				Depguard struct {
					Rules map[string]importRule `json:"rules"`
				} `json:"depguard"`
			} `json:"settings"`
		} `json:"linters"`
	}
	require.NoError(t, yaml.Unmarshal([]byte(readPage(t, ".golangci.yml")), &config))
	rules := config.Linters.Settings.Depguard.Rules
	require.Greater(t, len(rules), 20)
	onFloor, checked := floors(t), 0
	for _, helper := range []string{"aiventest", "referencetest"} { // tests may import more
		delete(onFloor, "controllers/internal/"+helper)
	}
	for from, floor := range onFloor {
		for to, higher := range onFloor {
			if higher < floor || higher == floor && (floor != 2 || from == to) || !importable(from, to) {
				continue // packages of floor 2 don't import each other either
			}
			checked++
			assert.True(t, denied(rules, from, to), "depguard in .golangci.yml lets %s (floor %d) import %s (floor %d)", from, floor, to, higher)
		}
	}
	assert.Greater(t, checked, 500)
}

// importable reports whether the compiler would let one package import another: no program can be imported, and what is
// below a folder "internal" only by what is beside it.
func importable(from, to string) bool {
	if to == "main" || to == "cmd/kubectl-aero" {
		return false
	}
	internal := strings.LastIndex(to, "internal/")
	return internal < 0 || strings.HasPrefix(from+"/", to[:internal])
}

func denied(rules map[string]importRule, from, to string) bool {
	for _, rule := range rules {
		if rule.concerns("/"+from+"/file.go") && rule.denies(module+to) {
			return true
		}
	}
	return false
}

func (r importRule) concerns(path string) bool {
	all, included := true, false
	for _, pattern := range r.Files {
		excluded := strings.HasPrefix(pattern, "!")
		pattern = strings.TrimPrefix(pattern, "!")
		if pattern == "$test" {
			continue
		}
		matches := fileGlob(pattern).MatchString(path)
		if excluded && matches {
			return false
		}
		if !excluded {
			all, included = false, included || matches
		}
	}
	return all || included
}

var globs = strings.NewReplacer(`\*\*`, ".*", `\*`, "[^/]*")

func fileGlob(pattern string) *regexp.Regexp {
	return regexp.MustCompile("^" + globs.Replace(regexp.QuoteMeta(pattern)) + "$")
}

func (r importRule) denies(path string) bool {
	begins := func(prefix string) bool {
		exact, isExact := strings.CutSuffix(prefix, "$")
		return isExact && path == exact || !isExact && strings.HasPrefix(path, prefix)
	}
	if r.Mode == "strict" {
		return !slices.ContainsFunc(r.Allow, begins)
	}
	for _, d := range r.Deny {
		if begins(d.Package) {
			return true
		}
	}
	return false
}
