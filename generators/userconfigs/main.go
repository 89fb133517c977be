// Command userconfigs writes Go types for the option trees (user configs) of Aiven's services and integrations.
//
// The input are the schemas that Aiven publishes as a Go module. Each name gets a package of its own,
// <out>/<area>/<name>/<name>.go, with one root struct. The CRDs' validation comes from the markers on its fields, and
// the `groups` tag of a field says in which calls it may be sent: "create,update", or "create" for what can only be
// chosen at creation. Fields that hold a secret have the tag `sensitive:"true"`.
//
// Usage, in the folder of this module:
//
//	go run ./userconfigs --services pg,mysql --integrations datadog --integration-endpoints external_kafka
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/aiven/go-api-schemas/pkg/dist"

	"github.com/aero-operator/aero/generators/internal/gotypes"
)

// area is one published schema file and the folder that its packages go to.
type area struct {
	folder string
	schema []byte
	names  []string
}

func main() {
	log.SetFlags(0)
	out := flag.String("out", "../api/v1alpha1/userconfig", "folder that gets the packages")
	services := flag.String("services", "", "service types to generate, comma-separated")
	integrations := flag.String("integrations", "", "integration types to generate, comma-separated")
	endpoints := flag.String("integration-endpoints", "", "integration endpoint types to generate, comma-separated")
	flag.Parse()

	for _, a := range []area{
		{"service", dist.ServiceTypes, words(*services)},
		{"integration", dist.IntegrationTypes, words(*integrations)},
		{"integrationendpoints", dist.IntegrationEndpointTypes, words(*endpoints)},
	} {
		if err := writeArea(*out, a); err != nil {
			log.Fatalf("userconfigs: %v", err)
		}
	}
}

// writeArea writes the packages of one area.
func writeArea(out string, a area) error {
	if len(a.names) == 0 {
		return nil
	}
	schemas, err := gotypes.Parse(a.schema)
	if err != nil {
		return fmt.Errorf("reading the schemas of %s: %w", a.folder, err)
	}
	for _, name := range a.names {
		root, ok := schemas[name]
		if !ok {
			return fmt.Errorf("no schema of %s is named %q", a.folder, name)
		}
		if err := writePackage(filepath.Join(out, a.folder, name), name, root); err != nil {
			return fmt.Errorf("generating %s %s: %w", a.folder, name, err)
		}
	}
	return nil
}

// writePackage renders before it touches the disk, so that an error leaves the existing file alone.
func writePackage(folder, name string, root *gotypes.Node) error {
	var source bytes.Buffer
	if err := render(&source, name, root); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("creating the package folder: %w", err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".go"), source.Bytes(), 0o644); err != nil {
		return fmt.Errorf("writing the package: %w", err)
	}
	return nil
}

// words splits a comma-separated list and drops blanks.
func words(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}
