package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

//go:embed mutants.yaml
var planFile []byte

// plan is mutants.yaml.
type plan struct {
	Threshold float64    `json:"threshold"`
	Packages  []pkg      `json:"packages"`
	Survivors []survivor `json:"survivors"`
}

// pkg is a package to mutate.
type pkg struct {
	Path    string   `json:"path"`
	Without []string `json:"without"` // files
}

// survivor is a mutant that may live, with the reason.
type survivor struct {
	Count  int    `json:"count"` // of the mutants of this type in the line; 0 is one
	File   string `json:"file"`  // from the project's folder
	Type   string `json:"type"`  // of the mutation, as gremlins names it
	Code   string `json:"code"`  // the line without indentation
	Reason string `json:"reason"`
}

func readPlan() (*plan, error) {
	p := &plan{}
	if err := yaml.UnmarshalStrict(planFile, p); err != nil {
		return nil, fmt.Errorf("reading mutants.yaml: %w", err)
	}
	return p, nil
}

// chosen are the packages with this path, or whose path ends with it; all of them for an empty one.
func (p *plan) chosen(path string) ([]pkg, error) {
	if path == "" {
		return p.Packages, nil
	}
	path = strings.Trim(strings.TrimPrefix(path, "./"), "/")
	for _, one := range p.Packages {
		if one.Path == path || strings.HasSuffix(one.Path, "/"+path) {
			return []pkg{one}, nil
		}
	}
	return nil, fmt.Errorf("mutants.yaml has no package %s", path)
}

// excluded are regular expressions for the files that aren't mutated.
func (p pkg) excluded() []string {
	patterns := make([]string, 0, len(p.Without))
	for _, file := range p.Without {
		patterns = append(patterns, "(^|/)"+regexp.QuoteMeta(file)+"$")
	}
	return patterns
}

// survivorsOf lists the mutants that live, each with its reason or without one, and counts those with a reason.
func (p *plan) survivorsOf(root string, r *report) (lines []string, explained int) {
	used := map[int]int{} // how many mutants an entry of the plan explains
	for _, file := range r.Files {
		for _, m := range file.Mutations {
			if m.Status != lived {
				continue
			}
			code := lineOf(filepath.Join(root, file.Name), m.Line)
			reason := "NOT EXPLAINED: add a test, or a reason to mutants.yaml"
			if i := p.find(file.Name, m.Type, code); i >= 0 && used[i] < max(1, p.Survivors[i].Count) {
				used[i]++
				explained++
				reason = p.Survivors[i].Reason
			}
			lines = append(lines, fmt.Sprintf("%s:%d: %s lives in `%s`: %s", file.Name, m.Line, m.Type, code, reason))
		}
	}
	return lines, explained
}

// timeoutsOf lists the mutants whose tests didn't end in time. A reader can see that they are endless: on a machine that is
// too busy, others time out as well.
func timeoutsOf(root string, r *report) []string {
	var lines []string
	for _, file := range r.Files {
		for _, m := range file.Mutations {
			if m.Status == timedOut {
				code := lineOf(filepath.Join(root, file.Name), m.Line)
				lines = append(lines, fmt.Sprintf("%s:%d: %s timed out in `%s`", file.Name, m.Line, m.Type, code))
			}
		}
	}
	return lines
}

// find is the index of the mutants of a line that may live, -1 if none may.
func (p *plan) find(file, kind, code string) int {
	return slices.IndexFunc(p.Survivors, func(s survivor) bool { return s.File == file && s.Type == kind && s.Code == code })
}

// lineOf is a line of a file without indentation; empty if there is none.
func lineOf(path string, number int) string {
	content, err := os.ReadFile(path)
	lines := strings.Split(string(content), "\n")
	if err != nil || number < 1 || number > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[number-1])
}
