package fault

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
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
)

// Secrets are values that must not appear in any text about an object: a password from a Secret, the credentials of an
// endpoint. The zero value has none, nil is usable too. It is for one reconcile, and not safe for concurrent use.
type Secrets struct {
	values []string
	forms  []string         // what a value looks like in texts, the longest first
	short  []*regexp.Regexp // short values, with what makes them values
}

// Add adds values.
func (s *Secrets) Add(values ...string) {
	for _, value := range values {
		for _, v := range []string{value, strings.TrimSpace(value)} {
			if v == "" || slices.Contains(s.values, v) {
				continue
			}
			s.values = append(s.values, v)
			if len(v) > shortSecret {
				s.forms = append(s.forms, formsOf(v)...)
			}
			if len(base64Of(v)) == 0 {
				s.short = append(s.short, asValue(v))
			}
		}
	}
	slices.SortFunc(s.forms, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})
	s.forms = slices.Compact(s.forms)
}

// asValue matches a short value in all its forms, base64 included, in quotes, behind an equals sign or a colon, and as a
// whole text.
func asValue(value string) *regexp.Regexp {
	forms := formsOf(value)
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		forms = append(forms, encoding.EncodeToString([]byte(value)))
	}
	for i, form := range forms {
		forms[i] = regexp.QuoteMeta(strings.ToValidUTF8(form, "\uFFFD")) // as errors have it, and a pattern may
	}
	v := "(?:" + strings.Join(forms, "|") + ")"
	return regexp.MustCompile("^" + v + "$|(['\"`=]|: ?|%2[27]|%3[AaDd])" + v + "(['\"`,;&@%)}\\]\\\\\\s]|$)")
}

// formsOf lists how a value is written in errors: as it is, in URLs, in JSON and Go strings, also where one quotes another, and
// in base64.
func formsOf(value string) []string {
	forms := append(base64Of(value), value)
	for _, escaped := range []string{url.QueryEscape(value), url.PathEscape(value)} {
		kept := strings.NewReplacer("%2F", "/", "+", "%20").Replace(escaped) // as Python's quote does
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
		forms = append(forms, form, strings.NewReplacer("+", "-", "/", "_").Replace(form))
	}
	return forms
}

// Scrub removes the values from a text. What else looks like a secret is for Redact.
func (s *Secrets) Scrub(text string) string {
	if s == nil {
		return text
	}
	for _, form := range s.forms {
		text = strings.ReplaceAll(text, form, hidden)
	}
	for _, short := range s.short {
		text = short.ReplaceAllString(text, "${1}"+hidden+"${2}")
	}
	return text
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
