package fault

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestMessage is in bytes: the bound that Kubernetes puts on the note of an event.
const longestMessage = 1024

var (
	requestNoise = regexp.MustCompile(`\b[A-Z][a-z]+ "https?://([^/"?\s]+)[^"]*": `)
	// The near end of a connection has a new port on each try, and each new text would be a new status and event.
	nearEnd   = regexp.MustCompile(`\S+:\d+->(\S+:\d+)`)
	webPage   = regexp.MustCompile(`(?is)\s*<(!doctype|html)\b.*`)
	emptyTail = regexp.MustCompile(`\[(\d{3}) \w+\]:\s*$`)
)

// message makes one clean line of an error.
func message(err error) string {
	// Redaction comes first: what follows may cut a secret in two, and half of one is still a secret.
	text := Redact(err.Error())
	text = webPage.ReplaceAllString(text, " (a web page instead of an answer)")
	text = requestNoise.ReplaceAllString(text, "calling $1: ")
	text = nearEnd.ReplaceAllString(text, "$1")
	text = oneLine(text)
	if tail := emptyTail.FindStringSubmatch(text); tail != nil {
		status, _ := strconv.Atoi(tail[1])
		text = strings.TrimRight(text, " ") + " " + http.StatusText(status)
	}
	if text == "" {
		text = "unknown error"
	}
	return cut(text, longestMessage)
}

// oneLine joins lines by "; " and drops what terminals would act upon.
func oneLine(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	kept := lines[:0]
	for _, line := range lines {
		line = strings.Join(strings.FieldsFunc(line, func(r rune) bool {
			return unicode.IsSpace(r) || unicode.IsControl(r)
		}), " ")
		if line != "" {
			kept = append(kept, line)
		}
	}
	return strings.ToValidUTF8(strings.Join(kept, "; "), "?")
}

// cut shortens text to at most limit bytes without splitting a character.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	const mark = "…"
	end := limit - len(mark)
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + mark
}
