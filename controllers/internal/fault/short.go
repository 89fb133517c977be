package fault

import (
	"encoding/base64"
	"slices"
	"strings"
)

// shortValues are values that are words or parts of words, in all their forms. They are looked up where a value may begin: a pattern
// for each would take more memory than the object that has them.
type shortValues struct {
	forms   map[string]bool
	longest int
}

// add adds a value with its forms, base64 included.
func (s *shortValues) add(value string, forms []string) {
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		forms = append(forms, encoding.EncodeToString([]byte(value)))
	}
	if s.forms == nil {
		s.forms = map[string]bool{}
	}
	for _, form := range forms {
		for _, text := range []string{form, strings.ToValidUTF8(form, "\uFFFD")} { // the latter as errors have it
			s.forms[text] = true
			s.longest = max(s.longest, len(text))
		}
	}
}

// hide hides the values in quotes, behind an equals sign or a colon, and as a whole text.
func (s *shortValues) hide(text string) string {
	if len(s.forms) == 0 {
		return text
	}
	if s.forms[text] {
		return hidden
	}
	var kept strings.Builder
	from := 0
	for at := 1; at < len(text); at++ {
		if length := s.at(text, at); length > 0 {
			kept.WriteString(text[from:at] + hidden)
			at += length
			from = at
		}
	}
	return kept.String() + text[from:]
}

// at is the length of the longest value that stands at a place of a text; 0 for none.
func (s *shortValues) at(text string, at int) int {
	if !beginsValue(text[:at]) {
		return 0
	}
	for length := min(s.longest, len(text)-at); length > 0; length-- {
		if endsValue(text[at+length:]) && s.forms[text[at:at+length]] {
			return length
		}
	}
	return 0
}

// escapedSigns are a quote, a colon and an equals sign in a URL.
var escapedSigns = []string{"%22", "%27", "%3A", "%3a", "%3D", "%3d"}

// beginsValue reports whether a value may stand behind a text.
func beginsValue(before string) bool {
	return strings.IndexByte("'\"`=:", before[len(before)-1]) >= 0 || strings.HasSuffix(before, ": ") ||
		len(before) > 2 && slices.Contains(escapedSigns, before[len(before)-3:])
}

// endsValue reports whether a value may stand before a text.
func endsValue(after string) bool {
	return after == "" || strings.IndexByte("'\"`,;&@%)}]\\ \t\n\f\r", after[0]) >= 0
}
