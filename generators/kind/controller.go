package main

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
)

//go:embed resource.tmpl
var resourceTemplate string

//go:embed service.tmpl
var serviceTemplate string

// addController writes the Definition of the kind, and the package of a product that has no kinds yet.
func addController(t *tree, k *kind) error {
	text := resourceTemplate
	if k.isService() {
		text = serviceTemplate
	}
	source, err := execute(text, map[string]any{
		"Kind": k.Names.Kind, "Plural": k.Names.Plural, "Package": k.product.folder, "Short": k.short(), "Place": k.placeSource(),
		"Identity": k.identity(), "Publishes": k.publishes(), "ServiceType": k.product.serviceType, "Title": k.product.title,
		"Options": k.options(), "Migrates": k.Spec.Properties["migrationSecretSource"] != nil,
	})
	if err != nil {
		return err
	}
	doc := "controllers/kinds/" + k.product.folder + "/doc.go"
	if !t.exists(doc) {
		comment := "// Package " + k.product.folder + " holds the kinds for " + k.product.title + ".\n"
		if err := t.create(doc, comment+"package "+k.product.folder+"\n"); err != nil {
			return err
		}
	}
	return t.create(k.file(), source)
}

// placeSource is the resource.Place.
func (k *kind) placeSource() string {
	switch k.in {
	case inProject:
		return "resource.InProject()"
	case inOrganization:
		return "resource.InOrganization(func(obj *v1alpha1." + k.Names.Kind + ") string { return obj.Spec.OrganizationID })"
	case anywhere:
		return "resource.Anywhere()"
	}
	return `resource.InService("` + k.product.serviceType + `")`
}

// identity is the expression for what can't change in the spec: it is the best guess at what the resource is known by.
func (k *kind) identity() string {
	var parts []string
	for _, name := range []string{"project", "serviceName"} {
		if k.Spec.Properties[name] != nil {
			parts = append(parts, "obj.Spec."+fieldName(name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(k.own.Properties)) {
		property := k.own.Properties[name]
		if property.Type == "string" && (property.immutable() || k.Spec.immutable()) {
			parts = append(parts, "obj.Spec."+fieldName(name))
		}
	}
	if len(parts) == 0 || len(parts) == 2 && k.inAService() {
		parts = append(parts, "obj.Name")
	}
	return strings.Join(parts, ` + "/" + `)
}
