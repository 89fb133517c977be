package export

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

var (
	// foreign are characters that no name of an object has.
	foreign = regexp.MustCompile(`[^a-z0-9.-]+`)
	// aroundDots is what can't be beside a dot.
	aroundDots = regexp.MustCompile(`[.-]*\.[.-]*`)
)

const (
	hashLength  = 8
	longestName = validation.DNS1123SubdomainMaxLength
)

// objectName makes a name of an object from a name at Aiven; empty if nothing of it can be in one.
func objectName(real string) string {
	name := foreign.ReplaceAllString(strings.ToLower(real), "-")
	return strings.Trim(aroundDots.ReplaceAllString(name, "."), ".-")
}

// hashed is a name that differs for all that differs at Aiven.
func hashed(name, what string) string {
	sum := sha256.Sum256([]byte(what))
	tail := hex.EncodeToString(sum[:])[:hashLength]
	if name == "" {
		return tail
	}
	return strings.TrimRight(name[:min(len(name), longestName-hashLength-1)], ".-") + "-" + tail
}

// names are those that are taken in the namespace.
type names struct{ objects, secrets map[string]bool }

func newNames() *names { return &names{map[string]bool{}, map[string]bool{}} }

// assign names all drafts: first those whose object has the name of what it manages, as nothing else can be its name.
func (n *names) assign(e *exporter) {
	for _, d := range e.drafts {
		if len(d.values) > 0 {
			n.secrets[secretOf(d.real)] = true // the user creates it
		}
	}
	for _, fixed := range []bool{true, false} {
		for _, d := range e.drafts {
			if d.fixed == fixed {
				n.name(d)
			}
		}
	}
}

func (n *names) name(d *draft) {
	kind := kindOf(d.obj) + "/"
	name := objectName(d.real)
	switch {
	case d.fixed && (name != d.real || len(name) > longestName):
		d.unnamed = "its object has to have its name, which no object can have"
		return
	case d.fixed && n.objects[kind+name]:
		d.unnamed = "its object has to have its name, which that of another service has. Export the service by itself, with --service and -n of another namespace"
		return
	case !d.fixed:
		name = unused(name, d.what, func(name string) bool {
			return name != "" && len(name) <= longestName && !n.objects[kind+name] && (d.secret() == nil || !n.secrets[name])
		})
	}
	n.objects[kind+name] = true
	d.obj.SetName(name)
	if d.rename != nil && name != d.real {
		d.rename(d.real)
	}
	n.nameSecret(d, name)
}

// nameSecret keeps two objects from publishing into one Secret, which has the name of its object by default.
func (n *names) nameSecret(d *draft, name string) {
	fields := d.secret()
	if fields == nil {
		return
	}
	own := unused(name, d.what, func(name string) bool { return !n.secrets[name] })
	if own != name {
		fields.ConnInfoSecretTarget.Name = own
	}
	n.secrets[own] = true
}

// unused is a name if it is free, or it with a hash: another thing may have that name, too.
func unused(name, what string, free func(string) bool) string {
	for next := name; ; what += " " {
		if free(next) {
			return next
		}
		next = hashed(name, what)
	}
}

// joined is a name of something that has none at Aiven, from what identifies it.
func joined(parts ...string) string {
	var named []string
	for _, part := range parts {
		if name := objectName(part); name != "" {
			named = append(named, name)
		}
	}
	return strings.Join(slices.Compact(named), "-")
}
