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

// entry is the first entry of a printed list of networks: a network or an address, on its own or together with a description. Who writes a
// description chooses its text, so one with brackets is known in quotes only.
var entry = regexp.MustCompile(`^(?:map\[(?:description:(?:"(?:[^"\\]|\\.)*"|[^]["]*) )?network:([0-9a-fA-F:./]+)\]|([0-9a-fA-F:./]+))(?: |$)`)

// narrowed is a list of networks that no longer has all addresses. A text that is no such list may be.
func narrowed(from, to string) bool {
	before, knownBefore := networks(from)
	after, knownAfter := networks(to)
	return !knownBefore || !knownAfter || slices.ContainsFunc(before, func(had netip.Prefix) bool {
		return !slices.ContainsFunc(after, func(has netip.Prefix) bool {
			return has.Bits() <= had.Bits() && has.Contains(had.Addr())
		})
	})
}

// networks are those of a printed list; of an address, that of it alone. They aren't known if one entry isn't.
func networks(text string) (found []netip.Prefix, known bool) {
	rest, opened := strings.CutPrefix(text, "[")
	rest, closed := strings.CutSuffix(rest, "]")
	if !opened || !closed {
		return nil, false
	}
	for rest != "" {
		match := entry.FindStringSubmatch(rest)
		if match == nil {
			return nil, false
		}
		network, err := parse(match[1] + match[2])
		if err != nil {
			return nil, false
		}
		found, rest = append(found, network), rest[len(match[0]):]
	}
	return found, true
}

func parse(text string) (netip.Prefix, error) {
	if !strings.Contains(text, "/") {
		address, err := netip.ParseAddr(text)
		return netip.PrefixFrom(address, address.BitLen()), err
	}
	network, err := netip.ParsePrefix(text)
	return network.Masked(), err
}

// removed is a list or a map, as text, that no longer has all of its words.
func removed(from, to string) bool {
	kept := words(to)
	return slices.ContainsFunc(words(from), func(word string) bool { return !slices.Contains(kept, word) })
}

func words(text string) []string {
	return strings.FieldsFunc(strings.TrimPrefix(text, "map"), func(r rune) bool { return strings.ContainsRune(" ,[]{}", r) })
}
