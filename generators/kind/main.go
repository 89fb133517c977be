// Command kind writes the files of a new kind, from its recorded schema: its types, its controller, its example, its
// entry in the conformance cases, and its line in each list of kinds. They compile, and fail their tests by name until
// they are filled in.
//
// Usage, in the folder of this module:
//
//	go run ./kind --kind KafkaQuota --in kafka
package main

import (
	"errors"
	"flag"
	"fmt"
	"go/format"
	"io/fs"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	log.SetFlags(0)
	root := flag.String("root", "..", "folder of the repository")
	kind := flag.String("kind", "", "kind to write, for example KafkaQuota")
	in := flag.String("in", "", "place of its resources: a type of service, project, organization, anywhere, or service for a service")
	flag.Parse()
	written, err := generate(*root, *kind, *in)
	if err != nil {
		log.Fatalf("kind: %v", err)
	}
	for _, name := range written {
		log.Println(name)
	}
	k, err := newKind(*root, *kind, *in)
	if err != nil {
		log.Fatalf("kind: %v", err)
	}
	log.Println("\nLeft to do, as docs/contributor/adding-a-kind.md describes it:")
	for _, line := range k.left() {
		log.Println("- " + line)
	}
}

// generate writes a kind, and returns the names of the files that are new or changed. After an error none is.
func generate(root, name, in string) ([]string, error) {
	k, err := newKind(root, name, in)
	if err != nil {
		return nil, err
	}
	t := &tree{root: root, files: map[string]string{}}
	for _, step := range []func(*tree, *kind) error{addTypes, addController, addExample, addLists, addCase} {
		if err := step(t, k); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return t.write()
}

// tree is the repository with the changes that are not written yet.
type tree struct {
	root  string
	files map[string]string
}

// create adds a new file.
func (t *tree) create(name, text string) error {
	if t.exists(name) {
		return fmt.Errorf("%s exists already: remove it to write it again", name)
	}
	t.files[name] = text
	return nil
}

func (t *tree) exists(name string) bool {
	_, err := os.Stat(filepath.Join(t.root, name))
	return !errors.Is(err, fs.ErrNotExist)
}

// edit changes a file that exists.
func (t *tree) edit(name string, change func(text string) (string, error)) error {
	text, changed := t.files[name]
	if !changed {
		raw, err := os.ReadFile(filepath.Join(t.root, name))
		if err != nil {
			return fmt.Errorf("reading a list of kinds: %w", err)
		}
		text = string(raw)
	}
	text, err := change(text)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if filepath.Ext(name) == ".go" {
		source, err := format.Source([]byte(text))
		if err != nil {
			return fmt.Errorf("formatting %s: %w", name, err)
		}
		text = string(source)
	}
	t.files[name] = text
	return nil
}

func (t *tree) write() ([]string, error) {
	names := slices.Sorted(maps.Keys(t.files))
	for _, name := range names {
		path := filepath.Join(t.root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, fmt.Errorf("creating the folder of the kind: %w", err)
		}
		if err := os.WriteFile(path, []byte(t.files[name]), 0o644); err != nil {
			return nil, fmt.Errorf("writing the kind: %w", err)
		}
	}
	return names, nil
}
