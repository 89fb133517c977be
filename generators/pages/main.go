// Command pages makes a page of the documentation for each kind, from its CRD, its example, the calls that its code makes, the table of
// connection Secrets, and facts.go; and the page that lists all reasons. What is about all kinds, and about one reason, is in pages that
// are written by hand.
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

	"github.com/aero-operator/aero/controllers/reason"
	"github.com/aero-operator/aero/generators/pages/calls"
)

// folder has the pages. Everything in it is generated.
const folder = "docs/user/kinds"

func main() {
	log.SetFlags(0)
	root := flag.String("root", "..", "folder of the repository")
	flag.Parse()
	sources, err := readSources(*root)
	if err == nil {
		err = run(*root, sources)
	}
	if err != nil {
		log.Fatalf("pages: %v", err)
	}
}

// sources are what is neither in a CRD nor in an example, by the names of the kinds if nothing else is said.
type sources struct {
	facts   map[string]facts
	keys    map[string]secretKeys
	code    map[string]calls.Kind
	printed map[string]string // by the names of the files, which are those of the examples
	guides  []guide
}

func readSources(root string) (sources, error) {
	code, err := calls.ByKind(root)
	if err != nil {
		return sources{}, fmt.Errorf("reading the code of the kinds: %w", err)
	}
	keys, err := readSecretKeys(filepath.Join(root, "docs/user/connection-secrets.md"))
	if err != nil {
		return sources{}, err
	}
	printed, err := readPrinted(filepath.Join(root, printedFolder))
	if err != nil {
		return sources{}, err
	}
	guides, err := readGuides(root)
	return sources{factsOf, keys, code, printed, guides}, err
}

// run makes all pages before it touches the disk, so that an error leaves the existing ones alone.
func run(root string, from sources) error {
	kinds, err := readKinds(root)
	if err != nil {
		return err
	}
	for i := range kinds {
		kinds[i].complete(from)
	}
	pages := map[string]string{"README.md": contents(kinds)}
	for _, k := range kinds {
		pages[k.page()] = k.render()
		if options := k.renderOptions(); options != "" {
			pages[k.optionsPage()] = options
		}
	}
	if err := write(filepath.Join(root, folder), pages); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, reasonsFolder, "README.md"), []byte(reasons(reason.All())), 0o644); err != nil {
		return fmt.Errorf("writing the page of all reasons: %w", err)
	}
	return nil
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

// ownGroup has the kinds that make no calls to Aiven.
const ownGroup = "aero-operator.io"

// exampleFile is that of the example, seen from docs.
func (k kind) exampleFile() string {
	if k.isOwn() {
		return "examples/" + ownGroup + "/" + k.singular() + ".yaml"
	}
	return "examples/" + k.singular() + ".yaml"
}

// kind is what its pages are made of.
type kind struct {
	crd        *apiextensionsv1.CustomResourceDefinition
	example    string
	common     map[string]bool // fields of the status that the page on all kinds has
	facts      facts
	keys       secretKeys // zero for kinds without a connection Secret
	operations []calls.Operation
	printed    string  // kubectl get of the example, with what it prints
	guides     []guide // that are about the kind
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
		example, err := os.ReadFile(filepath.Join(root, "docs", k.exampleFile()))
		if err != nil {
			return nil, fmt.Errorf("reading the example of %s: %w", k.name(), err)
		}
		k.example = strings.TrimSpace(string(example))
		kinds = append(kinds, k)
	}
	slices.SortFunc(kinds, func(a, b kind) int { return strings.Compare(a.name(), b.name()) })
	common := commonStatus(slices.DeleteFunc(slices.Clone(kinds), kind.isOwn))
	for i := range kinds {
		kinds[i].common = common
	}
	return kinds, nil
}

// complete adds what is in the sources. The page of a kind that is being written lacks what they don't have yet.
func (k *kind) complete(from sources) {
	k.facts, k.keys, k.operations, k.printed = from.facts[k.name()], from.keys[k.name()], from.code[k.name()].Operations, from.printed[k.singular()]
	k.guides = slices.DeleteFunc(slices.Clone(from.guides), func(g guide) bool { return !g.isAbout(*k) })
	if k.facts.isService {
		k.facts = k.facts.ofService(k.spec())
	}
}

// missing is what the sources lack of a kind.
func (k *kind) missing() (all []string) {
	if k.facts.compared == "" || k.facts.deleted == "" || len(k.facts.conditions) == 0 {
		all = append(all, "its facts: add them to generators/pages/facts.go")
	}
	if k.printed == "" {
		all = append(all, "what kubectl prints: run `go test ./suites/docs -run AllExamples -update` in tests")
	}
	if k.isOwn() {
		return all
	}
	if len(k.operations) == 0 {
		all = append(all, "its operations: generators/pages/calls doesn't find its declaration")
	}
	_, publishes := k.spec().Properties["connInfoSecretTarget"]
	if listed := k.keys != (secretKeys{}); listed != publishes {
		all = append(all, "its keys: the table in docs/user/connection-secrets.md must have the kinds that publish a Secret, and no others")
	}
	return all
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
func (k kind) isOwn() bool         { return k.crd.Spec.Group == ownGroup }
func (k kind) page() string        { return k.singular() + ".md" }
func (k kind) optionsPage() string { return k.singular() + "-options.md" }

func (k kind) version() apiextensionsv1.CustomResourceDefinitionVersion {
	return k.crd.Spec.Versions[0]
}

func (k kind) schema() *apiextensionsv1.JSONSchemaProps { return k.version().Schema.OpenAPIV3Schema }
func (k kind) spec() apiextensionsv1.JSONSchemaProps    { return k.schema().Properties["spec"] }
