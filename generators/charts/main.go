// Command charts copies what controller-gen writes to where it is installed from: the CRDs and the cluster role, and the admission policies, into the
// Helm charts, and the list of CRDs into the kustomization beside them.
//
// Usage, in the folder of this module, after controller-gen:
//
//	go run ./charts
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	root := flag.String("root", "..", "folder of the repository")
	flag.Parse()
	if err := run(*root); err != nil {
		log.Fatalf("charts: %v", err)
	}
}

// run reads and checks everything before it touches the disk, so that an error leaves the existing files alone.
func run(root string) error {
	crds, err := readCRDs(filepath.Join(root, "config/crd/bases"))
	if err != nil {
		return err
	}
	role, err := os.ReadFile(filepath.Join(root, "config/rbac/role.yaml"))
	if err != nil {
		return fmt.Errorf("reading the role: %w", err)
	}
	if err := checkRole(role, crds); err != nil {
		return err
	}
	template, err := roleTemplate(string(role))
	if err != nil {
		return err
	}
	policies, err := os.ReadFile(filepath.Join(root, "config/admission/policies.yaml"))
	if err != nil {
		return fmt.Errorf("reading the admission policies: %w", err)
	}
	templates := filepath.Join(root, "charts/aero-crds/templates")
	if err := removeStale(templates, crds); err != nil {
		return err
	}
	files := map[string]string{
		filepath.Join(root, "config/crd/kustomization.yaml"):          kustomization(crds),
		filepath.Join(root, "charts/aero/templates/clusterrole.yaml"): template,
		filepath.Join(root, "charts/aero/templates/admission.yaml"):   policiesTemplate(string(policies)),
	}
	for _, crd := range crds {
		files[filepath.Join(templates, crd.file)] = crd.template
	}
	for path, content := range files {
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return fmt.Errorf("writing what was generated: %w", err)
		}
	}
	return nil
}

// readCRDs returns the CRDs of a folder, sorted by the names of their files.
func readCRDs(folder string) ([]crd, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return nil, fmt.Errorf("listing the CRDs: %w", err)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("no CRD is in %s: run controller-gen first", folder)
	}
	var crds []crd
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("reading a CRD: %w", err)
		}
		one, err := newCRD(filepath.Base(path), string(source))
		if err != nil {
			return nil, err
		}
		crds = append(crds, one)
	}
	return crds, nil
}

// removeStale removes the copies of CRDs that are gone.
func removeStale(folder string, crds []crd) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("creating the folder of the copies: %w", err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("listing the copies: %w", err)
	}
	for _, entry := range entries {
		current := slices.ContainsFunc(crds, func(c crd) bool { return c.file == entry.Name() })
		if current || !strings.HasPrefix(entry.Name(), "aiven.io_") {
			continue
		}
		if err := os.Remove(filepath.Join(folder, entry.Name())); err != nil {
			return fmt.Errorf("removing a copy: %w", err)
		}
	}
	return nil
}

// kustomization lists the CRDs: kustomize itself takes no patterns.
func kustomization(crds []crd) string {
	var out strings.Builder
	out.WriteString(header + "resources:\n")
	for _, crd := range crds {
		out.WriteString("- bases/" + crd.file + "\n")
	}
	return out.String()
}
