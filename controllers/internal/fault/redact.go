package fault

import (
	"regexp"
	"strings"
	"unicode"
)

// hidden stands where a secret was.
const hidden = "***"

// secretName matches the last part of names whose value is a secret.
const secretName = `(?:password|passwd|passphrase|pwd|token|api[_-]?key|access[_-]?key|private[_-]?key|secret[_-]?key|client[_-]?secret)`

var (
	privateKey = regexp.MustCompile(`(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\z)`)

	// Up to the last @ of a word: passwords in sloppy URIs hold slashes and @ themselves.
	userinfoPassword = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"'<>]*):[^\s"'<>]*@`)
	userinfoToken    = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^\s/:@"'<>]+@`)

	aivenToken = regexp.MustCompile(`(?i)\b(aivenv1\s+)[^\s"',;]+`)
	generated  = regexp.MustCompile(`AVNS_[A-Za-z0-9_-]+`)

	// name=value, and "name": "value" as JSON and YAML quote it. A quote that isn't closed ends with its line.
	assigned = regexp.MustCompile(`(?im)((?:\\?["'])?\b[\w.-]*` + secretName + `(?:\\?["'])?[ \t]*=[ \t]*|` +
		`\\?["'][\w.-]*` + secretName + `\\?["'][ \t]*:[ \t]*)` +
		`(\\"[^"\\\n]*(?:\\"|$)|"(?:[^"\\\n]|\\.)*(?:"|$)|'[^'\n]*(?:'|$)|[^\s,;&})\]"']+)`)
	// name: value without quotes is also how people write: "password: must be longer". Only values that don't look like
	// a word are taken for secrets.
	told = regexp.MustCompile(`(?i)(\b(?:bearer|basic|[\w.-]*` + secretName + `:?)[ \t]+)("[^"\n]*"|'[^'\n]*'|[^\s,;&})\]"']+)`)
)

// Redact removes secrets from text and leaves the rest readable: passwords and tokens in URIs, Authorization values,
// passwords that Aiven generated, private keys in PEM, and values of names such as token= and password=.
func Redact(text string) string {
	text = privateKey.ReplaceAllString(text, "(private key)")
	text = userinfoPassword.ReplaceAllString(text, "$1:"+hidden+"@")
	text = userinfoToken.ReplaceAllString(text, "$1"+hidden+"@")
	text = aivenToken.ReplaceAllString(text, "${1}"+hidden)
	text = assigned.ReplaceAllString(text, "$1"+hidden)
	text = told.ReplaceAllStringFunc(text, func(match string) string {
		part := told.FindStringSubmatch(match)
		if !looksSecret(part[2]) {
			return match
		}
		return part[1] + hidden
	})
	return generated.ReplaceAllString(text, "AVNS_"+hidden)
}

// looksSecret tells a random value from a word: it has a digit among eight or more characters, or is very long.
func looksSecret(value string) bool {
	value = strings.Trim(value, `"'`)
	return len(value) >= 32 || len(value) >= 8 && strings.ContainsFunc(value, unicode.IsDigit)
}
