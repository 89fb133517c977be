package clickhousesql

import (
	"cmp"
	"math"
	"regexp"
	"strings"
)

// Version is the one of ClickHouse that answers are modelled on.
const Version = "25.8.1.1"

// expression is something with a value for each row: a string, a uint64, or nil for NULL.
type expression interface {
	value(row) (any, *Error)
	// columnType is the type of its column in a result.
	columnType(row) (string, *Error)
}

// row is what an expression may refer to. Without values, it has the columns alone.
type row struct {
	*run
	columns []Column
	values  []any
	all     *uint64 // the number of rows, where that is what it is about
}

func (r row) index(name string) (int, *Error) {
	if r.all != nil {
		return 0, Errorf(CodeNotAnAggregate, "Column %s is not under aggregate function and not in GROUP BY keys", quoteAlways(name))
	}
	for i, c := range r.columns {
		if c.Name == name {
			return i, nil
		}
	}
	return 0, Errorf(CodeUnknownIdentifier, "Unknown expression identifier %s in scope of the query", quoteAlways(name))
}

type literal struct{ is any }

func (l literal) value(row) (any, *Error) { return l.is, nil }

func (l literal) columnType(row) (string, *Error) {
	switch v := l.is.(type) {
	case string:
		return typeString, nil
	case uint64:
		if v <= math.MaxUint8 {
			return typeUInt8, nil
		}
		return typeUInt64, nil
	}
	return typeNullableString, nil
}

type column struct{ name string }

func (c column) value(r row) (any, *Error) {
	i, err := r.index(c.name)
	if err != nil {
		return nil, err
	}
	return r.values[i], nil
}

func (c column) columnType(r row) (string, *Error) {
	i, err := r.index(c.name)
	if err != nil {
		return "", err
	}
	return r.columns[i].Type, nil
}

// function has no arguments.
type function struct {
	kind   string
	counts bool
	is     func(row) any
}

var functions = func() map[string]function {
	user := function{kind: typeString, is: func(r row) any { return r.session.User }}
	return map[string]function{
		"currentuser": user, "user": user, "current_user": user,
		"currentdatabase": {kind: typeString, is: func(r row) any { return r.session.Database }},
		"version":         {kind: typeString, is: func(row) any { return Version }},
		"count":           {kind: typeUInt64, counts: true, is: func(r row) any { return *r.all }},
	}
}()

func (f function) value(r row) (any, *Error) {
	if f.counts && r.all == nil {
		return nil, Errorf(CodeIllegalAggregation, "Aggregate function count() is found in wrong place in query")
	}
	return f.is(r), nil
}

func (f function) columnType(row) (string, *Error) { return f.kind, nil }

func isTrue(value any) bool { n, ok := value.(uint64); return ok && n != 0 }

func asNumber(b bool) any {
	if b {
		return uint64(1)
	}
	return uint64(0)
}

// pair are the values of two expressions. Known is false where one is NULL.
func pair(r row, left, right expression) (a, b any, known bool, err *Error) {
	if a, err = left.value(r); err != nil {
		return nil, nil, false, err
	}
	b, err = right.value(r)
	return a, b, a != nil && b != nil, err
}

func compare(a, b any) (int, *Error) {
	if x, ok := a.(string); ok {
		if y, ok := b.(string); ok {
			return cmp.Compare(x, y), nil
		}
	}
	if x, ok := a.(uint64); ok {
		if y, ok := b.(uint64); ok {
			return cmp.Compare(x, y), nil
		}
	}
	return 0, Errorf(CodeNoCommonType, "There is no supertype for types String, UInt8 because some of them are String and some of them are not")
}

type comparison struct {
	operator    string
	left, right expression
}

func (comparison) columnType(row) (string, *Error) { return typeUInt8, nil }

func (c comparison) value(r row) (any, *Error) {
	a, b, known, err := pair(r, c.left, c.right)
	if err != nil || !known {
		return nil, err
	}
	order, err := compare(a, b)
	if err != nil {
		return nil, err
	}
	return asNumber(map[string]bool{
		"=": order == 0, "==": order == 0, "!=": order != 0, "<>": order != 0,
		"<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0,
	}[c.operator]), nil
}

type in struct {
	left expression
	of   []expression
}

func (in) columnType(row) (string, *Error) { return typeUInt8, nil }

func (i in) value(r row) (any, *Error) {
	for _, one := range i.of {
		equal, err := (comparison{"=", i.left, one}).value(r)
		if err != nil || isTrue(equal) {
			return equal, err
		}
	}
	left, err := i.left.value(r)
	if left == nil {
		return nil, err
	}
	return asNumber(false), err
}

type isNull struct{ of expression }

func (isNull) columnType(row) (string, *Error) { return typeUInt8, nil }

func (i isNull) value(r row) (any, *Error) {
	v, err := i.of.value(r)
	return asNumber(v == nil), err
}

type like struct {
	left, pattern expression
	insensitive   bool
}

func (like) columnType(row) (string, *Error) { return typeUInt8, nil }

func (l like) value(r row) (any, *Error) {
	a, b, known, err := pair(r, l.left, l.pattern)
	if err != nil || !known {
		return nil, err
	}
	text, isText := a.(string)
	pattern, isPattern := b.(string)
	if !isText || !isPattern {
		return nil, Errorf(CodeNoCommonType, "Arguments of function like must be String")
	}
	return asNumber(wildcard(pattern, l.insensitive).MatchString(text)), nil
}

// wildcard turns a pattern of LIKE into a regular expression: % is anything, _ one character, \ escapes both.
func wildcard(pattern string, insensitive bool) *regexp.Regexp {
	var out strings.Builder
	out.WriteString("(?s")
	if insensitive {
		out.WriteByte('i')
	}
	out.WriteString(")^")
	escaped := false
	for _, c := range pattern {
		switch {
		case !escaped && c == '\\':
			escaped = true
			continue
		case !escaped && c == '%':
			out.WriteString(".*")
		case !escaped && c == '_':
			out.WriteByte('.')
		default:
			out.WriteString(regexp.QuoteMeta(string(c)))
		}
		escaped = false
	}
	out.WriteByte('$')
	return regexp.MustCompile(out.String()) // all that isn't ours is quoted
}

type logic struct {
	or          bool
	left, right expression
}

func (logic) columnType(row) (string, *Error) { return typeUInt8, nil }

func (l logic) value(r row) (any, *Error) {
	a, b, known, err := pair(r, l.left, l.right)
	switch {
	case err != nil:
		return nil, err
	case l.or && (isTrue(a) || isTrue(b)):
		return asNumber(true), nil
	case !l.or && (a != nil && !isTrue(a) || b != nil && !isTrue(b)):
		return asNumber(false), nil
	case !known:
		return nil, nil
	}
	return asNumber(!l.or), nil
}

type not struct{ of expression }

func (not) columnType(row) (string, *Error) { return typeUInt8, nil }

func (n not) value(r row) (any, *Error) {
	v, err := n.of.value(r)
	if v == nil {
		return nil, err
	}
	return asNumber(!isTrue(v)), err
}
