package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// sample is a module with two mutants: a test kills one, and the other (>= in place of >) is equivalent.
var sample = map[string]string{
	"go.mod":          "module sample\n\ngo 1.24\n",
	"greater.go":      "package sample\n\nfunc greater(a, b int) int {\n\tif a > b {\n\t\treturn a\n\t}\n\treturn b\n}\n",
	"greater_test.go": "package sample\n\nimport \"testing\"\n\nfunc TestGreater(t *testing.T) {\n\tif greater(1, 2) != 2 {\n\t\tt.Fail()\n\t}\n}\n",
}

// errGremlins is a gremlins whose numbers mean nothing.
var errGremlins = errors.New("gremlins doesn't run the tests of a mutant")

// checkGremlins mutates the sample. A gremlins that can't run the tests reports every mutant as killed.
func (o options) checkGremlins(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "aero-mutants-sample-")
	if err != nil {
		return fmt.Errorf("creating a folder for the sample: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for name, content := range sample {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			return fmt.Errorf("writing the sample: %w", err)
		}
	}
	r, err := o.mutate(ctx, dir, pkg{Path: "."})
	if err != nil {
		return fmt.Errorf("the sample: %w", err)
	}
	if s := r.score(); s.killed != 1 || s.lived != 1 {
		return fmt.Errorf("%w: of the sample's two mutants one lives, and it reports %s", errGremlins, s)
	}
	return nil
}
