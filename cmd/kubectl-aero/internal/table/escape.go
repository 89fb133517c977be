package table

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Escape writes what could control a terminal, or change the order or the appearance of a line, as Go writes it in a string: \n, \x1b, \u202e.
// Names and messages of a cluster are written by many: none of them may imitate the output of a command.
func Escape(text string) string {
	return escape(strings.ToValidUTF8(text, string(utf8.RuneError)), func(r rune) string {
		return strings.Trim(strconv.QuoteRuneToASCII(r), "'")
	})
}

// EscapeJSON does the same with JSON or YAML, in which control characters of ASCII are escaped already: the others are written as JSON
// escapes them. In YAML without quotes, that is text.
func EscapeJSON(text string) string {
	return escape(text, func(r rune) string {
		if r < unicode.MaxASCII {
			return string(r) // the line breaks of the format
		}
		code := ""
		for _, unit := range utf16.Encode([]rune{r}) {
			code += fmt.Sprintf(`\u%04x`, unit)
		}
		return code
	})
}

func escape(text string, as func(rune) string) string {
	if !strings.ContainsFunc(text, controls) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if controls(r) {
			b.WriteString(as(r))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// controls reports whether a character isn't shown, but changes what is: C0, DEL, C1, format characters such as those of directions, and
// separators of lines and paragraphs.
func controls(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}
