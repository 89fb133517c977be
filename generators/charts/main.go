// Command charts makes what users install from. The CRDs and rules of controller-gen and the admission policies go into the
// Helm charts, and so do the alerts and the dashboard, and the comments of the values into the page of the charts. What the chart renders without any values goes
// to where kustomize finds it.
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

// run reads and checks what others wrote before it touches the disk, so that an error leaves the existing files alone.
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
	files, err := chartFiles(root, role, crds)
	if err != nil {
		return err
	}
	if err := removeStale(filepath.Join(root, crdTemplates), crds); err != nil {
		return err
	}
	if err := write(root, files); err != nil {
		return err
	}
	rendered, err := kustomize(filepath.Join(root, chartFolder))
	if err != nil {
		return err
	}
	if err := removeOthers(root, rendered); err != nil {
		return err
	}
	return write(root, rendered)
}

// removeOthers removes what templates that are gone had rendered: everything in that folder is generated.
func removeOthers(root string, rendered map[string]string) error {
	paths, err := filepath.Glob(filepath.Join(root, manifests, "*.yaml"))
	if err != nil {
		return fmt.Errorf("listing what was rendered: %w", err)
	}
	for _, path := range paths {
		if _, current := rendered[manifests+"/"+filepath.Base(path)]; current {
			continue
		}
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("removing what was rendered: %w", err)
		}
	}
	return nil
}

// Folders, seen from that of the repository.
const (
	chartFolder  = "charts/aero"
	crdTemplates = "charts/aero-crds/templates"
	// monitoring is the name of a folder in the repository, and of that in the chart which has copies: templates read files
	// of their chart alone.
	monitoring = "monitoring"
	// guardFile is the policy that keeps the CRDs, in the folder of what kustomize applies with them, and in their chart.
	guardFile = "deletion.yaml"
)

// copied are the files of that folder that a chart hands on.
var copied = []string{"alerts.yaml", "dashboard.json"}

// chartFiles are the generated files of the charts by their paths, and the list of CRDs.
func chartFiles(root string, role []byte, crds []crd) (map[string]string, error) {
	rules, err := rulesTemplate(string(role), crds)
	if err != nil {
		return nil, err
	}
	files, err := policyFiles(root)
	if err != nil {
		return nil, err
	}
	guard, err := os.ReadFile(filepath.Join(root, "config/crd", guardFile))
	if err != nil {
		return nil, fmt.Errorf("reading the policy that keeps the CRDs: %w", err)
	}
	page, err := newPage(filepath.Join(root, chartFolder))
	if err != nil {
		return nil, err
	}
	files["config/crd/kustomization.yaml"] = resources(append(fileNames(crds), guardFile))
	files[crdTemplates+"/"+guardFile] = guardTemplate(string(guard))
	files[chartFolder+"/templates/_rules.tpl"] = rules
	files[chartFolder+"/README.md"] = page
	for _, crd := range crds {
		files[crdTemplates+"/"+crd.file] = crd.template
	}
	for _, name := range copied {
		content, err := os.ReadFile(filepath.Join(root, monitoring, name))
		if err != nil {
			return nil, fmt.Errorf("reading what to monitor with: %w", err)
		}
		files[chartFolder+"/"+monitoring+"/"+name] = string(content)
	}
	return files, nil
}

// policyFiles are the templates of the admission policies: of those that are on by default, and of the one that isn't.
func policyFiles(root string) (map[string]string, error) {
	files := map[string]string{}
	for source, to := range map[string]struct{ template, value string }{
		"policies.yaml":        {"admission.yaml", "enabled"},
		"opt-in/projects.yaml": {"admission_projects.yaml", "projectOfNamespace"},
	} {
		policies, err := os.ReadFile(filepath.Join(root, "config/admission", source))
		if err != nil {
			return nil, fmt.Errorf("reading the admission policies: %w", err)
		}
		files[chartFolder+"/templates/"+to.template] = policiesTemplate(string(policies), to.value)
	}
	return files, nil
}

func write(root string, files map[string]string) error {
	for path, content := range files {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("making a folder for what was generated: %w", err)
		}
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
		if current || !strings.HasPrefix(entry.Name(), "aiven.io_") && !strings.HasPrefix(entry.Name(), ownGroup+"_") {
			continue
		}
		if err := os.Remove(filepath.Join(folder, entry.Name())); err != nil {
			return fmt.Errorf("removing a copy: %w", err)
		}
	}
	return nil
}

// fileNames are the files of the CRDs, seen from the kustomization that lists them.
func fileNames(crds []crd) []string {
	var names []string
	for _, crd := range crds {
		names = append(names, "bases/"+crd.file)
	}
	return names
}

// resources is a kustomization with a list of files: kustomize itself takes no patterns.
func resources(names []string) string {
	var out strings.Builder
	out.WriteString(header + "resources:\n")
	for _, name := range names {
		out.WriteString("- " + name + "\n")
	}
	return out.String()
}
