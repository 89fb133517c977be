package impact

import (
	"math"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// when is a condition on the value at Aiven and that of the spec, as the difference prints them.
type when func(from, to string) bool

// to is a change to one of some values.
func to(values ...string) when {
	return func(_, to string) bool { return slices.Contains(values, to) }
}

var off = to("false")

// unlimited is how Kafka writes that nothing limits.
const unlimited = -1

// less is a number that becomes lower. A text that is no number may be.
func less(from, to string) bool {
	before, after, known := numbers(from, to)
	return !known || after < before
}

// more is a number that becomes higher. A text that is no number may be.
func more(from, to string) bool {
	before, after, known := numbers(from, to)
	return !known || after > before
}

func numbers(from, to string) (before, after float64, known bool) {
	before, errBefore := strconv.ParseFloat(from, 64)
	after, errAfter := strconv.ParseFloat(to, 64)
	for _, number := range []*float64{&before, &after} {
		if *number == unlimited {
			*number = math.Inf(1)
		}
	}
	return before, after, errBefore == nil && errAfter == nil
}

// network finds the networks in the text of a list.
var network = regexp.MustCompile(`[0-9a-fA-F:.]+/[0-9]+`)

// narrowed is a list of networks that no longer has all addresses.
func narrowed(from, to string) bool {
	kept := networks(to)
	return slices.ContainsFunc(networks(from), func(had netip.Prefix) bool {
		return !slices.ContainsFunc(kept, func(has netip.Prefix) bool {
			return has.Bits() <= had.Bits() && has.Contains(had.Addr())
		})
	})
}

func networks(text string) []netip.Prefix {
	var found []netip.Prefix
	for _, match := range network.FindAllString(text, -1) {
		if prefix, err := netip.ParsePrefix(match); err == nil {
			found = append(found, prefix.Masked())
		}
	}
	return found
}

// removed is a list or a map, as text, that no longer has all of its words.
func removed(from, to string) bool {
	kept := words(to)
	return slices.ContainsFunc(words(from), func(word string) bool { return !slices.Contains(kept, word) })
}

func words(text string) []string {
	return strings.FieldsFunc(strings.TrimPrefix(text, "map"), func(r rune) bool { return strings.ContainsRune(" ,[]{}", r) })
}
