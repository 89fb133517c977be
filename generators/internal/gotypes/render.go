package gotypes

import (
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"
)

// Style is what differs between the structs of one generator and those of another.
type Style struct {
	// Name returns the Go name of a property.
	Name func(property string) string
	// Comment returns the description of a field on one line.
	Comment func(name string, n *Node) string
	// Tags returns the struct tags of a field.
	Tags func(name string, n *Node, required bool) map[string]string
	// Prefix is in front of the names of nested types.
	Prefix string
	// Values makes optional strings and the items of arrays values instead of pointers, and marks what is optional.
	Values bool
}

// Struct is one type.
type Struct struct {
	Name   string
	Node   *Node
	Fields []jen.Code
}

// Renderer collects the types of one package.
type Renderer struct {
	style Style
	taken map[string]bool // type names in use
	queue []queued        // types that are referred to and not rendered yet
}

// queued is a type to render.
type queued struct {
	name string
	node *Node
}

// NewRenderer returns a renderer without types.
func NewRenderer(style Style) *Renderer { return &Renderer{style: style, taken: map[string]bool{}} }

// Add makes an object a type of its own. The root of a schema is one.
func (r *Renderer) Add(name string, root *Node) error {
	if root.Kind() != KindObject || !root.supported() {
		return fmt.Errorf("the root has to be an object whose required properties have types that are known")
	}
	r.enqueue(name, "", root)
	return nil
}

// Structs returns the types that were added, and those that they refer to.
//
// The same schema always gives the same structs: properties are visited in the order of their names, and the names of
// the types only depend on that order.
func (r *Renderer) Structs() ([]Struct, error) {
	var out []Struct
	for len(r.queue) > 0 {
		next := r.queue[0]
		r.queue = r.queue[1:]
		fields, err := r.fields(next)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", next.name, err)
		}
		out = append(out, Struct{next.name, next.node, fields})
	}
	return out, nil
}

// enqueue picks a free name for a type, with the parent's name in front if the short one is taken.
func (r *Renderer) enqueue(name, parent string, n *Node) string {
	for r.taken[name] {
		name = parent + name
	}
	r.taken[name] = true
	r.queue = append(r.queue, queued{name, n})
	return name
}

// fields returns the fields of one struct.
func (r *Renderer) fields(q queued) ([]jen.Code, error) {
	var fields []jen.Code
	for _, name := range q.node.Embeds {
		fields = append(fields, jen.Id(name).Tag(map[string]string{"json": ",inline"}))
	}
	seen := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(q.node.Properties)) {
		property := q.node.Properties[name]
		if !property.supported() {
			continue
		}
		field := r.style.Name(name)
		if other, twice := seen[field]; twice || !token.IsIdentifier(field) {
			return nil, fmt.Errorf("property %s can't have the Go name %q (taken by %q)", name, field, other)
		}
		seen[field] = name
		if len(fields) > 0 {
			fields = append(fields, jen.Line())
		}
		required := slices.Contains(q.node.Required, name)
		fields = append(fields, r.comments(name, property, required)...)
		goType := r.goType(q.name, name, property, required)
		fields = append(fields, jen.Id(field).Add(goType).Tag(r.style.Tags(name, property, required)))
	}
	return fields, nil
}

// comments are the description and the markers of a field.
func (r *Renderer) comments(name string, n *Node, required bool) []jen.Code {
	out := []jen.Code{jen.Comment(r.style.Comment(name, n))}
	for _, marker := range markers(name, n) {
		out = append(out, jen.Comment(marker))
	}
	if n.Kind() == KindArray && n.Items.Kind() != KindObject {
		for _, marker := range n.ItemMarkers {
			out = append(out, jen.Comment(marker))
		}
	}
	if r.style.Values && !required {
		out = append(out, jen.Comment("+optional"))
	}
	return out
}

// goType returns the Go type of a supported property.
//
// Optional scalars and objects are pointers, so that a zero stays apart from what isn't set.
func (r *Renderer) goType(parent, name string, n *Node, required bool) jen.Code {
	id := scalars[n.Kind()]
	switch {
	case n.Go != "":
		id = n.Go
	case n.Kind() == KindArray:
		return r.sliceType(parent, name, n)
	case n.Values != nil:
		return jen.Map(jen.String()).Id(scalars[n.Values.Kind()])
	case n.Kind() == KindObject:
		id = r.enqueue(r.style.Prefix+r.style.Name(name), parent, n)
	}
	if required || r.style.Values && id == scalars[KindString] {
		return jen.Id(id)
	}
	return jen.Op("*").Id(id)
}

func (r *Renderer) sliceType(parent, name string, n *Node) jen.Code {
	if n.Items.Kind() != KindObject {
		return jen.Index().Id(scalars[n.Items.Kind()])
	}
	id := r.enqueue(r.style.Prefix+r.style.Name(name), parent, n.Items)
	if r.style.Values {
		return jen.Index().Id(id)
	}
	return jen.Index().Op("*").Id(id)
}

// GoName turns a property's name, like ip_filter or pg_partman_bgw.interval, into an exported Go name.
func GoName(name string) string {
	var out strings.Builder
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		out.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return out.String()
}
