// Command pages makes a page of the documentation for each kind, from its CRD and its example. What is about all kinds is in the
// pages beside them, which are written by hand.
//
// Usage, in the folder of this module, after controller-gen:
//
//	go run ./pages
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// folder has the pages. Everything in it is generated.
const folder = "docs/user/kinds"

func main() {
	log.SetFlags(0)
	root := flag.String("root", "..", "folder of the repository")
	flag.Parse()
	if err := run(*root); err != nil {
		log.Fatalf("pages: %v", err)
	}
}

// run makes all pages before it touches the disk, so that an error leaves the existing ones alone.
func run(root string) error {
	kinds, err := readKinds(root)
	if err != nil {
		return err
	}
	pages := map[string]string{"README.md": contents(kinds)}
	for _, k := range kinds {
		pages[k.page()] = k.render()
		if options := k.renderOptions(); options != "" {
			pages[k.optionsPage()] = options
		}
	}
	return write(filepath.Join(root, folder), pages)
}

// write replaces the pages of the folder.
func write(folder string, pages map[string]string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("creating the folder of the pages: %w", err)
	}
	existing, err := filepath.Glob(filepath.Join(folder, "*.md"))
	if err != nil {
		return fmt.Errorf("listing the pages: %w", err)
	}
	for _, path := range existing {
		if _, current := pages[filepath.Base(path)]; current {
			continue
		}
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("removing a page: %w", err)
		}
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("writing a page: %w", err)
		}
	}
	return nil
}

// kind is what its pages are made of.
type kind struct {
	crd     *apiextensionsv1.CustomResourceDefinition
	example string
	common  map[string]bool // fields of the status that the page on all kinds has
}

// readKinds reads the CRDs and the example of each, sorted by the names of the kinds.
func readKinds(root string) ([]kind, error) {
	paths, err := filepath.Glob(filepath.Join(root, "config/crd/bases/*.yaml"))
	if err != nil {
		return nil, fmt.Errorf("listing the CRDs: %w", err)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("no CRD is in config/crd/bases: run controller-gen first")
	}
	var kinds []kind
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("reading a CRD: %w", err)
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(source, crd); err != nil {
			return nil, fmt.Errorf("reading %s: %w", path, err)
		}
		k := kind{crd: crd}
		if len(crd.Spec.Versions) != 1 {
			return nil, fmt.Errorf("%s has %d versions: a page shows one", k.name(), len(crd.Spec.Versions))
		}
		example, err := os.ReadFile(filepath.Join(root, "docs/examples", k.singular()+".yaml"))
		if err != nil {
			return nil, fmt.Errorf("reading the example of %s: %w", k.name(), err)
		}
		k.example = strings.TrimSpace(string(example))
		kinds = append(kinds, k)
	}
	slices.SortFunc(kinds, func(a, b kind) int { return strings.Compare(a.name(), b.name()) })
	common := commonStatus(kinds)
	for i := range kinds {
		kinds[i].common = common
	}
	return kinds, nil
}

// commonStatus are the fields that every status has, and that of connection Secrets.
func commonStatus(kinds []kind) map[string]bool {
	common := map[string]bool{}
	for name := range kinds[0].schema().Properties["status"].Properties {
		common[name] = !slices.ContainsFunc(kinds, func(k kind) bool {
			_, has := k.schema().Properties["status"].Properties[name]
			return !has
		})
	}
	common["binding"] = true
	return common
}

func (k kind) name() string        { return k.crd.Spec.Names.Kind }
func (k kind) singular() string    { return k.crd.Spec.Names.Singular }
func (k kind) page() string        { return k.singular() + ".md" }
func (k kind) optionsPage() string { return k.singular() + "-options.md" }

func (k kind) version() apiextensionsv1.CustomResourceDefinitionVersion {
	return k.crd.Spec.Versions[0]
}

func (k kind) schema() *apiextensionsv1.JSONSchemaProps { return k.version().Schema.OpenAPIV3Schema }
