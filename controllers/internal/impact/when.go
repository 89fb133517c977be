package impact

import (
	"math"
	"net/netip"
	"reflect"
	"slices"
	"strings"
)

// when is a condition on the value at Aiven and that of the spec. One that isn't known is nil. A condition holds for values that it can't
// read: they may be what it is about.
type when func(from, to any) bool

// to is a change to a value.
func to(value any) when {
	return func(_, to any) bool { return to == nil || to == value }
}

var off = to(false)

// unlimited is how Kafka writes that nothing limits.
const unlimited = -1

// less is a number that becomes lower.
func less(from, to any) bool {
	before, after, known := numbers(from, to)
	return !known || after < before
}

// more is a number that becomes higher.
func more(from, to any) bool {
	before, after, known := numbers(from, to)
	return !known || after > before
}

func numbers(from, to any) (before, after float64, known bool) {
	before, knownBefore := number(from)
	after, knownAfter := number(to)
	return before, after, knownBefore && knownAfter
}

// number is that of a value of any type of number. A text that has the form of one is none.
func number(v any) (n float64, known bool) {
	switch value := reflect.ValueOf(v); {
	case !value.IsValid():
		return 0, false
	case value.CanInt():
		n = float64(value.Int())
	case value.CanUint():
		n = float64(value.Uint())
	case value.CanFloat():
		n = value.Float()
	default:
		return 0, false
	}
	if n == unlimited {
		n = math.Inf(1)
	}
	return n, true
}

// narrowed is a list of networks that no longer has all addresses.
func narrowed(from, to any) bool {
	before, knownBefore := networks(from)
	after, knownAfter := networks(to)
	return !knownBefore || !knownAfter || slices.ContainsFunc(before, func(had netip.Prefix) bool {
		return !slices.ContainsFunc(after, func(has netip.Prefix) bool {
			return has.Bits() <= had.Bits() && has.Contains(had.Addr())
		})
	})
}

// networks are those of a list of networks and addresses, each on its own or together with a description; of an address, that of it
// alone. They aren't known if one entry isn't.
func networks(list any) (found []netip.Prefix, known bool) {
	entries, known := list.([]any)
	for _, entry := range entries {
		if described, is := entry.(map[string]any); is {
			entry = described["network"]
		}
		text, _ := entry.(string)
		network, err := parse(text)
		if err != nil {
			return nil, false
		}
		found = append(found, network)
	}
	return found, known
}

func parse(text string) (netip.Prefix, error) {
	if !strings.Contains(text, "/") {
		address, err := netip.ParseAddr(text)
		return netip.PrefixFrom(address, address.BitLen()), err
	}
	network, err := netip.ParsePrefix(text)
	return network.Masked(), err
}

// removed is a list or a map that no longer has all of its entries.
func removed(from, to any) bool {
	before, after := reflect.ValueOf(from), reflect.ValueOf(to)
	if !before.IsValid() || !after.IsValid() || before.Kind() != after.Kind() {
		return true
	}
	switch before.Kind() {
	case reflect.Slice:
		return slices.ContainsFunc(entries(before), func(entry any) bool {
			return !slices.ContainsFunc(entries(after), func(kept any) bool { return reflect.DeepEqual(entry, kept) })
		})
	case reflect.Map:
		return slices.ContainsFunc(before.MapKeys(), func(key reflect.Value) bool {
			kept := after.MapIndex(key)
			return !kept.IsValid() || !reflect.DeepEqual(before.MapIndex(key).Interface(), kept.Interface())
		})
	default:
		return true
	}
}

func entries(list reflect.Value) []any {
	var all []any
	for i := range list.Len() {
		all = append(all, list.Index(i).Interface())
	}
	return all
}
