package userconfig

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/aero-operator/aero/api/v1alpha1"
)

// Difference is a difference between the spec and what Aiven returns. What is decided about it depends on its two values. Its texts are
// for users: two values may have the same text.
type Difference struct {
	Path          string
	Wanted, Found string // what the spec and Aiven have, as printed
	To, From      Value  // what they print
}

// Value is what is printed in a difference. The zero value is none: what Aiven doesn't have or doesn't return.
type Value struct {
	get     func() any // a function because fmt prints the address of it only: what others have set at Aiven may be a secret
	hidden  bool
	partial bool
}

// Printed is a value that has a text of its own in a difference.
type Printed struct {
	Text    string
	Value   any
	Partial bool // something in it isn't compared, and left out
}

// Hidden is a value that isn't shown and decides nothing, such as that of a Secret.
type Hidden struct{}

// NewDifference prints two values, which may be Printed; nil is none, and has no text.
func NewDifference(path string, wanted, found any) Difference {
	return Difference{Path: path, Wanted: textOf(wanted), Found: textOf(found), To: valueOf(wanted), From: valueOf(found)}
}

func textOf(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case Hidden:
		return Concealed
	case Printed:
		return v.Text
	default:
		return fmt.Sprint(v)
	}
}

// valueOf is none for a pointer that is nil.
func valueOf(v any) Value {
	printed, is := v.(Printed)
	if is {
		v = printed.Value
	}
	if of := reflect.ValueOf(v); !of.IsValid() || of.Kind() == reflect.Pointer && of.IsNil() {
		return Value{}
	} else if of.Kind() == reflect.Pointer {
		v = of.Elem().Interface()
	}
	if _, hidden := v.(Hidden); hidden || holdsSecret(v) {
		return Value{hidden: true}
	}
	return Value{get: func() any { return v }, partial: printed.Partial}
}

// Get returns the value; nil for none, and for one that is hidden.
func (v Value) Get() any {
	if v.get == nil {
		return nil
	}
	return v.get()
}

// Whole reports whether Get returns all of the value.
func (v Value) Whole() bool { return !v.hidden && !v.partial }

func (v Value) equals(other Value) bool {
	return v.hidden == other.hidden && reflect.DeepEqual(v.Get(), other.Get())
}

// Shown is a difference as it may be shown.
type Shown struct {
	v1alpha1.DriftEntry
	Hidden bool // Concealed is in place of the values. A value may have the same text
}

// Show is the difference with texts in place of its own. secret is whether they are in place of the values.
func (d Difference) Show(wanted, found string, secret bool) Shown {
	return Shown{v1alpha1.DriftEntry{Path: d.Path, Wanted: wanted, Found: found}, secret || d.To.hidden}
}

// Entry is the difference as it is printed.
func (d Difference) Entry() v1alpha1.DriftEntry {
	return v1alpha1.DriftEntry{Path: d.Path, Wanted: d.Wanted, Found: d.Found}
}

// Same reports whether differences are at the same paths and have the same values, in one order.
func Same(a, b []Difference) bool {
	return slices.EqualFunc(a, b, func(x, y Difference) bool { return x.Path == y.Path && x.To.equals(y.To) && x.From.equals(y.From) })
}
