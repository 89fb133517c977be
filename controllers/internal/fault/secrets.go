package fault

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	// shortSecret and less are words or parts of words, and are hidden only where they stand as a value. So is base64 that is
	// shorter than longEncoding.
	shortSecret = 3
	// longLine is the least length of a line of a value that is hidden by itself.
	longLine = 16
	// longEncoding is the least length of base64 that is no word.
	longEncoding = 8
	// mostValues is how many values are hidden one by one. Each has up to forty forms, and each text is searched for all of them.
	mostValues = 1000
)

// tooMany takes the place of each text where there are more values.
var tooMany = fmt.Sprintf("Not shown, as the object has more than %d secret values. "+
	"Put fewer into its spec, such as spec.userConfig, and into the Secrets that it names", mostValues)

var (
	asPython = strings.NewReplacer("%2F", "/", "+", "%20") // its function quote
	forURLs  = strings.NewReplacer("+", "-", "/", "_")
)

// Secrets are values that must not appear in any text about an object: a password from a Secret, the credentials of an
// endpoint. The zero value has none, nil is usable too. It is for one reconcile, and not safe for concurrent use.
type Secrets struct {
	values map[string]bool
	forms  []string    // what a value looks like in texts, the longest first
	short  shortValues // what is hidden only where it stands as a value
	many   bool        // more values than are kept: no text is shown
}

// Add adds values. Those of one call are sorted once.
func (s *Secrets) Add(values ...string) {
	for _, value := range values {
		s.add(value)
		s.add(strings.TrimSpace(value))
	}
	slices.SortFunc(s.forms, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})
	s.forms = slices.Compact(s.forms)
}

func (s *Secrets) add(value string) {
	if value == "" || s.many || s.values[value] {
		return
	}
	if len(s.values) == mostValues {
		*s = Secrets{many: true}
		return
	}
	if s.values == nil {
		s.values = map[string]bool{}
	}
	s.values[value] = true
	forms := formsOf(value)
	if len(value) > shortSecret {
		s.forms = append(s.forms, forms...)
	}
	if len(base64Of(value)) == 0 {
		s.short.add(value, forms)
	}
}

// formsOf lists how a value is written in errors: as it is, in URLs, in JSON and Go strings, also where one quotes another, and
// in base64.
func formsOf(value string) []string {
	forms := append(base64Of(value), value)
	for _, escaped := range []string{url.QueryEscape(value), url.PathEscape(value)} {
		kept := asPython.Replace(escaped)
		forms = append(forms, escaped, lowerEscapes(escaped), kept, lowerEscapes(kept))
	}
	for _, quoted := range quotedForms(value) {
		forms = append(append(forms, quoted), quotedForms(quoted)...)
	}
	for _, line := range strings.Split(value, "\n") {
		if line = strings.TrimSpace(line); len(line) >= longLine {
			forms = append(forms, line)
		}
	}
	return forms
}

// lowerEscapes is a text of a URL with %2f in place of %2F.
func lowerEscapes(text string) string {
	return escapes.ReplaceAllStringFunc(text, strings.ToLower)
}

var escapes = regexp.MustCompile(`%[0-9A-F]{2}`)

// quotedForms are a value in a string of Go, of JSON, and of JSON that escapes < > & as \u003c and so on.
func quotedForms(value string) []string {
	forms := []string{inner(strconv.Quote(value))}
	for _, escapeHTML := range []bool{true, false} {
		var text strings.Builder
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(escapeHTML)
		if encoder.Encode(value) == nil {
			forms = append(forms, inner(strings.TrimSpace(text.String())))
		}
	}
	return forms
}

func inner(quoted string) string { return quoted[1 : len(quoted)-1] }

// base64Of lists the base64 of a value wherever it begins in what was encoded, "user:password" for instance: the
// characters that depend on nothing else.
func base64Of(value string) []string {
	var forms []string
	for offset := range 3 {
		encoded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\x00", offset) + value))
		first := (offset*8 + 5) / 6
		last := (offset + len(value)) * 8 / 6
		if last-first < longEncoding {
			continue
		}
		form := encoded[first:last]
		forms = append(forms, form, forURLs.Replace(form))
	}
	return forms
}

// Scrub removes the values from a text. What else looks like a secret is for Redact.
func (s *Secrets) Scrub(text string) string {
	switch {
	case s == nil || text == "":
		return text
	case s.many:
		return tooMany
	}
	for _, form := range s.forms {
		text = strings.ReplaceAll(text, form, hidden)
	}
	return s.short.hide(text)
}

// Hide removes the values, and what Redact removes, from a text of any length. Of one that is longer than longestText it returns the
// beginning: the patterns take 20 µs for each byte. Where such a text is cut, half of a secret would be left, so what is near goes, too.
func (s *Secrets) Hide(text string) string {
	text = s.Scrub(text)
	if len(text) <= longestText {
		return Redact(text)
	}
	text = Redact(text[:longestText])
	return cut(text, max(len(text)-longestMessage, len(ellipsis)))
}

// Of classifies an error as the function Of does, and removes the values from its message.
func (s *Secrets) Of(err error) Fault {
	if err == nil {
		return Fault{Class: None}
	}
	v := examine(err)
	return Fault{Class: v.class, Message: message(err, s), RetryAfter: v.retryAfter}
}

// redactedError has a text without secrets.
type redactedError struct {
	text string
	err  error
}

func (e *redactedError) Error() string { return e.text }

// Unwrap is for errors.Is and errors.As: its text isn't redacted.
func (e *redactedError) Unwrap() error { return e.err }

func isRedacted(err error) bool {
	var redacted *redactedError
	return errors.As(err, &redacted)
}

// Redacted returns an error for logs: its text is the message of err without secrets, and it unwraps to err.
func Redacted(err error) error { return (*Secrets)(nil).Redacted(err) }

// Redacted returns an error for logs, as the function Redacted does, and removes the values from its text.
func (s *Secrets) Redacted(err error) error {
	if err == nil {
		return nil
	}
	return &redactedError{text: s.Of(err).Message, err: err}
}
