package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/format"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/dave/jennifer/jen"

	"github.com/aero-operator/aero/generators/internal/gotypes"
)

// undescribed is the description of what the author has to describe. A test of the API refuses it.
const undescribed = "Description missing."

//go:embed types.tmpl
var typesTemplate string

// sharedTypes are the Go types of fields that several kinds have.
var sharedTypes = map[string]string{
	"connInfoSecretSource": "ConnInfoSecretSource", "migrationSecretSource": "MigrationSecretSource",
}

// initialisms are the words of property names that Go has in upper case.
var initialisms = map[string]string{"Id": "ID", "Acl": "ACL", "Url": "URL", "Uri": "URI", "Uuid": "UUID", "Vpc": "VPC", "Api": "API", "Ip": "IP", "Aws": "AWS"}

// addTypes writes the spec, the status, and the methods by which the engine knows the kind.
func addTypes(t *tree, k *kind) error {
	structs, err := k.structs()
	if err != nil {
		return err
	}
	short, err := k.shortName(t.root)
	if err != nil {
		return err
	}
	text, err := execute(typesTemplate, map[string]any{
		"Kind": k.Names.Kind, "Plural": k.Names.Plural, "Singular": k.Names.Singular, "ShortName": short,
		"Columns": k.columns(), "Structs": structs,
		"Receiver": strings.ToLower(k.Names.Kind[:1]), "Undescribed": undescribed, "Methods": k.methods(), "Service": k.isService(),
		"Options": k.options(), "ServiceType": k.product.serviceType,
		"OptionsPackage": k.optionsPackage(), "SecretColumn": k.widensSecret(), "Publishes": k.publishes(),
	})
	if err != nil {
		return err
	}
	return t.create("api/v1alpha1/"+k.Names.Singular+"_types.go", text)
}

// shortName is the name for kubectl. It has no prefix of the product, unless another kind has that name already.
func (k *kind) shortName(root string) (string, error) {
	name := "avn" + strings.ToLower(k.short())
	if k.isService() {
		return "avn" + k.Names.Singular, nil
	}
	files, err := filepath.Glob(filepath.Join(root, "api/v1alpha1/*_types.go"))
	if err != nil {
		return "", fmt.Errorf("listing the types: %w", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("reading a type: %w", err)
		}
		if strings.Contains(string(text), "shortName="+name+",") {
			return "avn" + k.Names.Singular, nil
		}
	}
	return name, nil
}

// secretColumn is aiven-operator's, which is empty where the spec names no Secret.
const secretColumn = ".spec.connInfoSecretTarget.name"

// A table of all namespaces has 140 columns, and room for some besides the namespace, the name, Ready, Reason and Age. A test
// of the API knows the widths of values better.
const (
	roomForColumns = 69
	columnWidth    = 10 // of a typical value
	columnGap      = 3
)

// columns are those of aiven-operator, with the Secret that the object really has. What the table has no room for is in the
// wide one.
func (k *kind) columns() []column {
	out, used := slices.Clone(k.Columns), 0
	for i := range out {
		if out[i].JSONPath == secretColumn {
			out[i].Name, out[i].JSONPath = "Secret", ".status.binding.name"
		}
		used += max(len(out[i].Name), columnWidth) + columnGap
		out[i].Wide = used > roomForColumns
	}
	return out
}

// widensSecret reports whether the Secret is in a column of the wide table.
func (k *kind) widensSecret() bool {
	return k.publishes() && !slices.ContainsFunc(k.Columns, func(c column) bool { return c.JSONPath == secretColumn })
}

// options reports whether the option tree is a type of the product.
func (k *kind) options() bool { return k.isService() && k.Spec.Properties["userConfig"] != nil }

// optionsType is the Go type of the options: a package of its own.
func (k *kind) optionsType() string {
	return k.optionsPackage() + "." + gotypes.GoName(k.product.serviceType) + "UserConfig"
}

func (k *kind) optionsPackage() string {
	return strings.ReplaceAll(k.product.serviceType, "_", "") + "userconfig"
}

// structs is the source of the types of spec and status.
func (k *kind) structs() (string, error) {
	name := k.Names.Kind
	spec := k.own.node()
	spec.Embeds, spec.TypeMarkers = k.embeds, spec.Markers
	for property, goType := range sharedTypes {
		if spec.Properties[property] != nil {
			spec.Properties[property].Go = goType
		}
	}
	if k.options() {
		spec.Properties["userConfig"] = &gotypes.Node{Go: k.optionsType(), Type: gotypes.TypeNames{"object"}}
	}
	r := gotypes.NewRenderer(gotypes.Style{Name: fieldName, Comment: describe, Tags: tags, Prefix: name, Values: true})
	if err := r.Add(name+"Spec", spec); err != nil {
		return "", fmt.Errorf("spec: %w", err)
	}
	if !k.isService() {
		own := *k.Status
		own.Properties, own.Required = maps.Clone(own.Properties), nil
		delete(own.Properties, "conditions")
		status := own.node()
		status.Embeds = []string{"CommonStatus"}
		if err := r.Add(name+"Status", status); err != nil {
			return "", fmt.Errorf("status: %w", err)
		}
	}
	structs, err := r.Structs()
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, s := range structs {
		fmt.Fprintf(&out, "// %s %s\n", s.Name, k.purpose(s.Name))
		for _, marker := range s.Node.TypeMarkers {
			fmt.Fprintf(&out, "// %s\n", marker)
		}
		fmt.Fprintf(&out, "%#v\n\n", jen.Type().Id(s.Name).Struct(s.Fields...))
	}
	return out.String(), nil
}

// purpose is what the comment of a type says after its name.
func (k *kind) purpose(name string) string {
	switch strings.TrimPrefix(name, k.Names.Kind) {
	case "Spec":
		return "defines the desired state of " + k.Names.Kind + "."
	case "Status":
		return "is the observed state of " + k.Names.Kind + "."
	}
	return "is a part of " + k.Names.Kind + "."
}

// describe leaves the description to the author, but for what the schema says.
func describe(_ string, n *gotypes.Node) string {
	if slices.ContainsFunc(n.Markers, func(m string) bool { return strings.Contains(m, `rule="self == oldSelf"`) }) {
		return undescribed + " Immutable."
	}
	return undescribed
}

// fieldName is the Go name of a property.
func fieldName(property string) string {
	var out strings.Builder
	for _, word := range splitWords(gotypes.GoName(property)) {
		word = strings.ToUpper(word[:1]) + word[1:]
		if upper, known := initialisms[word]; known {
			word = upper
		}
		out.WriteString(word)
	}
	return out.String()
}

func tags(name string, _ *gotypes.Node, required bool) map[string]string {
	if required {
		return map[string]string{"json": name}
	}
	return map[string]string{"json": name + ",omitempty"}
}

// method is one by which the engine learns about an object.
type method struct{ Name, Comment, Type, Result string }

func (k *kind) methods() []method {
	out := []method{{"GetAuthSecretRef", "the Secret key that holds the token, nil for the operator's default token", "AuthSecretReference", "Spec.AuthSecretRef"}}
	add := func(applies bool, name, comment, result string) {
		if applies {
			out = append(out, method{"Get" + name, comment, name, "&" + result})
		}
	}
	common := k.has("ServiceCommonSpec")
	add(k.has("ServiceDependant"), "ServiceDependant", "the service that the resource belongs to", "Spec.ServiceDependant")
	add(k.isService() || k.has("ProjectDependant"), "ProjectDependant", "the project that the resource belongs to and its token", "Spec.ProjectDependant")
	add(k.isService(), "BaseServiceFields", "the part of the spec that every service kind has", "Spec.BaseServiceFields")
	add(common, "ServiceCommonSpec", "the part of the spec that service kinds with a disk and a connection Secret share", "Spec.ServiceCommonSpec")
	add(k.publishes(), "SecretFields", "where the connection details are published", "Spec.SecretFields")
	if k.isService() {
		out = append(out, method{"GetServiceStatus", "the status that service kinds share", "ServiceStatus", "&Status"})
	}
	add(true, "CommonStatus", "the status that every kind has", "Status.CommonStatus")
	return out
}

// execute renders Go source.
func execute(text string, data any) (string, error) {
	tmpl, err := template.New("").Parse(text)
	if err != nil {
		return "", fmt.Errorf("parsing the template: %w", err)
	}
	var out bytes.Buffer
	if err := tmpl.Execute(&out, data); err != nil {
		return "", fmt.Errorf("executing the template: %w", err)
	}
	source, err := format.Source(out.Bytes())
	if err != nil {
		return "", fmt.Errorf("formatting the source: %w", err)
	}
	return string(source), nil
}
