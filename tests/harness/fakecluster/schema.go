package fakecluster

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// schemas are those in the CRDs, by kind.
type schemas map[string]map[string]any

// readSchemas reads the CRDs in a folder.
func readSchemas(dir string) (schemas, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no CRDs in %s: %w", dir, err)
	}
	all := schemas{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading CRDs: %w", err)
		}
		crd := map[string]any{}
		if err := yaml.Unmarshal(content, &crd); err != nil {
			return nil, fmt.Errorf("decoding %s: %w", file, err)
		}
		kind, _, _ := unstructured.NestedString(crd, "spec", "names", "kind")
		versions, _, _ := unstructured.NestedSlice(crd, "spec", "versions")
		version, _ := versions[0].(map[string]any)
		all[kind], _, _ = unstructured.NestedMap(version, "schema", "openAPIV3Schema")
	}
	return all, nil
}

// allows reports whether an object may become another one: what is immutable stays, what can't be added or removed isn't, and lists are as
// long as they must be.
func (s schemas) allows(before, now runtime.Object) error {
	schema, known := s[reflect.TypeOf(now).Elem().Name()]
	if !known {
		return nil
	}
	old, err := runtime.DefaultUnstructuredConverter.ToUnstructured(before)
	if err != nil {
		return err
	}
	edited, err := runtime.DefaultUnstructuredConverter.ToUnstructured(now)
	if err != nil {
		return err
	}
	return unchanged("", schema, old, edited)
}

// presence finds the field of a rule that compares whether it is there.
var presence = regexp.MustCompile(`has\(oldSelf\.(\w+)\)`)

// unchanged follows the rules about a value and its former one, which the CRDs write in two ways.
func unchanged(path string, schema map[string]any, old, now any) error {
	rules, _ := schema["x-kubernetes-validations"].([]any)
	was, is := asMap(old), asMap(now)
	at := func(field string) string { return strings.TrimPrefix(path+"."+field, ".") }
	for _, rule := range rules {
		text, _ := rule.(map[string]any)["rule"].(string)
		if text == "self == oldSelf" && !reflect.DeepEqual(old, now) {
			return fmt.Errorf("%s is immutable", path)
		}
		for _, field := range presence.FindAllStringSubmatch(text, -1) {
			_, had := was[field[1]]
			_, has := is[field[1]]
			mayBeAdded := strings.Contains(text, "|| !"+field[0])
			if had && !has || has && !had && !mayBeAdded {
				return fmt.Errorf("%s can't be added or removed", at(field[1]))
			}
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		before, had := was[name]
		after, has := is[name]
		if !had || !has {
			continue
		}
		if err := longEnough(at(name), property.(map[string]any), after); err != nil {
			return err
		}
		if err := unchanged(at(name), property.(map[string]any), before, after); err != nil {
			return err
		}
	}
	return nil
}

func longEnough(path string, schema map[string]any, list any) error {
	items, _ := list.([]any)
	if least, bounded := schema["minItems"].(float64); bounded && len(items) < int(least) {
		return fmt.Errorf("%s must have at least %v items", path, least)
	}
	return nil
}

func asMap(value any) map[string]any {
	fields, _ := value.(map[string]any)
	return fields
}
