package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/aero-operator/aero/generators/internal/gotypes"
)

// addExample writes an object with what its spec requires. The values fit the schema where it names some.
func addExample(t *tree, k *kind) error {
	spec := map[string]any{"authSecretRef": map[string]any{"name": "aiven-token", "key": "token"}}
	for _, name := range k.Spec.Required {
		spec[name] = k.sample(name, k.Spec.Properties[name])
	}
	if k.publishes() {
		spec["connInfoSecretTarget"] = map[string]any{"name": k.object() + "-connection"}
	}
	if k.isService() {
		spec["cloudName"], spec["plan"] = "google-europe-west1", k.product.plan
	}
	raw, err := yaml.Marshal(spec)
	if err != nil {
		return fmt.Errorf("writing the example: %w", err)
	}
	text := fmt.Sprintf("# The %s %s.\napiVersion: aiven.io/v1alpha1\nkind: %[1]s\nmetadata:\n  name: %[2]s\nspec:\n", k.Names.Kind, k.object())
	for line := range strings.Lines(string(raw)) {
		text += "  " + strings.Replace(line, "    ", "  ", 1)
	}
	return t.create("docs/examples/"+k.Names.Singular+".yaml", text)
}

// sample is a value of a property.
func (k *kind) sample(name string, s *schema) any {
	switch {
	case name == "serviceName":
		return "my-" + serviceOf(k.product)
	case len(s.Enum) > 0:
		return s.Enum[0].Value
	case s.Type == "object":
		out := map[string]any{}
		for _, required := range s.Required {
			out[required] = k.sample(required, s.Properties[required])
		}
		return out
	case s.Type == "array":
		return []any{k.sample(name, s.Items)}
	case s.Type == "boolean":
		return true
	case s.Type == "integer", s.Type == "number":
		return 1
	}
	return "my-" + strings.Join(splitWords(gotypes.GoName(name)), "-")
}

// serviceOf is the end of the name of the service that the examples of a product have.
func serviceOf(p product) string {
	if p.serviceType == "pg" {
		return "pg"
	}
	return p.folder
}

// parentName is the variable of a service in the conformance cases.
func parentName(p product) string {
	if p.serviceType == "pg" {
		return "inPostgres"
	}
	return "in" + p.kind
}

// addCase adds the kind to the conformance cases of its product, and the service that it lives in.
func addCase(t *tree, k *kind) error {
	entry := fmt.Sprintf("\t{\n\t\tname: %q, example: %q, phase: v1alpha1.Phase%s,\n", k.Names.Kind, k.Names.Singular, k.phase())
	if k.inAService() {
		entry += "\t\tin: " + parentName(k.product) + ",\n"
	}
	if k.isService() {
		entry += fmt.Sprintf("\t\tresource: \"service\", path: %q, create: \"ServiceCreate\", update: \"ServiceUpdate\",\n", k.object())
	}
	if k.publishes() {
		entry += fmt.Sprintf("\t\tprefix: %q,\n", strings.ToUpper(k.Names.Kind)+"_")
	}
	if err := addEntry(t, k, entry+"\t},\n"); err != nil || !k.inAService() {
		return err
	}
	return t.edit(kindCases, func(text string) (string, error) { return addParent(text, k.product) })
}

// kindCases has the list of the products in the conformance cases.
const kindCases = "tests/suites/conformance/kinds_test.go"

// caseFile has the conformance cases of the kind's product.
func (k *kind) caseFile() string {
	return "tests/suites/conformance/kinds_" + k.product.folder + "_test.go"
}

// addEntry adds an entry to the conformance cases of a product, which may have none yet.
func addEntry(t *tree, k *kind, entry string) error {
	list, file := k.product.folder+"Kinds", k.caseFile()
	if t.exists(file) {
		return t.edit(file, func(text string) (string, error) { return insertEntry(text, list, k.Names.Kind, entry) })
	}
	text := "package conformance_test\n\nimport \"github.com/aero-operator/aero/api/v1alpha1\"\n\nvar " + list + " = []kind{\n" + entry + "}\n"
	if err := t.create(file, text); err != nil {
		return err
	}
	return t.edit(kindCases, func(text string) (string, error) {
		return insertSorted(text, "var allKinds = slices.Concat(", ")", "\t"+list+",", strings.Compare)
	})
}

// parents is the block of the services that the conformance cases have.
var parents = regexp.MustCompile(`(?m)^var \(\n(?:\tin\w+ += &parent.*\n)+`)

// addParent adds the service of a product, unless it is there.
func addParent(text string, p product) (string, error) {
	block := parents.FindString(text)
	if block == "" {
		return "", fmt.Errorf("no block has the variables of the type parent")
	}
	if strings.Contains(block, "\t"+parentName(p)+" ") {
		return text, nil
	}
	parent := fmt.Sprintf("\t%s = &parent{%q, %q, %q, %q, %q}\n", parentName(p), p.kind, strings.ToLower(p.kind),
		"my-"+serviceOf(p), p.serviceType, p.plan)
	return strings.Replace(text, block, block+parent, 1), nil
}

// phase is the end of the phase that objects of the kind end in.
func (k *kind) phase() string {
	if k.isService() {
		return "Running"
	}
	return "Ready"
}

// insertEntry adds an entry to a list of kinds, which is sorted by name.
func insertEntry(text, list, name, entry string) (string, error) {
	begin := "var " + list + " = []kind{\n"
	at := strings.Index(text, begin)
	if at < 0 {
		return "", fmt.Errorf("no list is called %s", list)
	}
	at += len(begin)
	length := strings.Index(text[at:], "\n}\n")
	if length < 0 {
		return "", fmt.Errorf("the list %s has no end", list)
	}
	entries := map[string]string{name: entry}
	for _, existing := range strings.SplitAfter(text[at:at+length+1], "\n\t},\n") {
		if _, rest, found := strings.Cut(existing, "\t\tname: \""); found {
			known, _, _ := strings.Cut(rest, "\"")
			entries[known] = existing
		}
	}
	var sorted strings.Builder
	for _, known := range slices.Sorted(maps.Keys(entries)) {
		sorted.WriteString(entries[known])
	}
	return text[:at] + sorted.String() + text[at+length+1:], nil
}
