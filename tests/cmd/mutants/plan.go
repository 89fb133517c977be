package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
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
	File   string `json:"file"` // from the project's folder
	Type   string `json:"type"` // of the mutation, as gremlins names it
	Code   string `json:"code"` // the line without indentation
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

// survivorsOf lists the mutants that live, each with its reason or without one.
func (p *plan) survivorsOf(root string, r *report) []string {
	var lines []string
	for _, file := range r.Files {
		for _, m := range file.Mutations {
			if m.Status != lived {
				continue
			}
			code := lineOf(filepath.Join(root, file.Name), m.Line)
			lines = append(lines, fmt.Sprintf("%s:%d: %s lives in `%s`: %s", file.Name, m.Line, m.Type, code, p.reason(file.Name, m.Type, code)))
		}
	}
	return lines
}

// reason is why a mutant may live.
func (p *plan) reason(file, kind, code string) string {
	for _, s := range p.Survivors {
		if s.File == file && s.Type == kind && s.Code == code {
			return s.Reason
		}
	}
	return "NOT EXPLAINED: add a test, or a reason to mutants.yaml"
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
