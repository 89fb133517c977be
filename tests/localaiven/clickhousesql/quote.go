package clickhousesql

import (
	"regexp"
	"strings"
)

var (
	plainName = regexp.MustCompile(`^[_a-zA-Z][_a-zA-Z0-9]*$`)
	// reserved are words that would be read as something else where a name stands.
	reserved = map[string]bool{"all": true, "any": true, "as": true, "distinct": true, "from": true, "none": true, "null": true, "on": true, "to": true, "with": true}
	escaper  = strings.NewReplacer("\\", "\\\\", "`", "\\`", "\n", "\\n", "\t", "\\t", "\r", "\\r", "\x00", "\\0", "\b", "\\b", "\f", "\\f")
)

// quote returns a name as SQL has it, in backticks where it needs them.
func quote(name string) string {
	if plainName.MatchString(name) && !reserved[strings.ToLower(name)] {
		return name
	}
	return quoteAlways(name)
}

func quoteAlways(name string) string { return "`" + escaper.Replace(name) + "`" }
