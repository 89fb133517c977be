package fault

import (
	"regexp"
	"strings"
	"unicode"
)

// hidden replaces a secret.
const hidden = "***"

const (
	// secretName matches the last part of names whose value is a secret, in any notation: apiKey, api_key, api-key, api.key.
	secretName = `(?:password|passwd|passphrase|pwd|token|client[._-]?secret|user[._-]?info|jaas[._-]?config|` +
		`(?:api|access|account|encryption|integration|keystore|license|private|secret|service|shared|signing)[._-]?key)`
	// secretOption matches that of options, too. In sentences its words mean other things.
	secretOption = `(?:` + secretName + `|secret|credentials?(?:[._-]?json)?)`
)

var (
	privateKey = regexp.MustCompile(`(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\z)`)

	// Up to the last @ of a word: passwords in sloppy URIs hold slashes and @ themselves.
	userinfoPassword = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"'<>]*):[^\s"'<>]*@`)
	userinfoToken    = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^\s/:@"'<>]+@`)

	aivenToken = regexp.MustCompile(`(?i)\b(aivenv1\s+)[^\s"',;]+`)
	generated  = regexp.MustCompile(`AVNS_[A-Za-z0-9_-]+`)

	// name=value, and "name": "value" as JSON and YAML quote it. A quote that isn't closed ends with its line.
	assigned = regexp.MustCompile(`(?im)((?:\\?["'])?\b[\w.-]*` + secretOption + `(?:\\?["'])?[ \t]*=[ \t]*|` +
		`\\?["'][\w.-]*` + secretOption + `\\?["'][ \t]*:[ \t]*)` +
		`(\\"[^"\\\n]*(?:\\"|$)|"(?:[^"\\\n]|\\.)*(?:"|$)|'[^'\n]*(?:'|$)|[^\s,;&})\]"']+)`)
	// Value 'x' at 'migration.password' is how Aiven reports what JSON schema refuses.
	refused = regexp.MustCompile(`(?i)(\b(?:value|input)[ \t]+)("[^"\n]*"|'[^'\n]*')(.{0,40}["'\s.][\w.-]*` + secretOption + `\b)`)
	// spec.password: Invalid value: "x" is how Kubernetes does.
	invalid = regexp.MustCompile(`(?i)(` + secretOption + `: (?:invalid|unsupported|duplicate) value: )"(?:[^"\\\n]|\\.)*"`)
	// name: value without quotes is also common in prose: "password: must be longer". Without quotes, only values that
	// don't look like a word are taken for secrets.
	named = regexp.MustCompile(`(?i)(\b(?:bearer|basic|[\w.-]*` + secretName + `:?)[ \t]+)("[^"\n]*"|'[^'\n]*'|[^\s,;&})\]"']+)`)

	optionOfSecret = regexp.MustCompile(`(?i)` + secretOption + `(?:\[\d+\])?$`)
	printedSecret  = regexp.MustCompile(`(?is)\bmap\[(?:.*[\s\[])?[\w.-]*` + secretOption + `:`)
)

// NamesSecret reports whether the value of an option is a secret, by the last part of its name or path.
func NamesSecret(path string) bool { return optionOfSecret.MatchString(path) }

// HoldsSecret reports whether a text has a map as Go prints it, with an option whose value is a secret, by its name.
func HoldsSecret(printed string) bool { return printedSecret.MatchString(printed) }

// Redact removes secrets from text and leaves the rest readable: passwords and tokens in URIs, Authorization values,
// passwords that Aiven generated, private keys in PEM, and values of names such as token= and password=.
func Redact(text string) string {
	text = privateKey.ReplaceAllString(text, "(private key)")
	text = userinfoPassword.ReplaceAllString(text, "$1:"+hidden+"@")
	text = userinfoToken.ReplaceAllString(text, "$1"+hidden+"@")
	text = aivenToken.ReplaceAllString(text, "${1}"+hidden)
	text = hideValues(text, assigned, isNoSwitch)
	text = hideValues(text, named, resemblesSecret)
	text = refused.ReplaceAllString(text, "${1}"+hidden+"${3}")
	text = invalid.ReplaceAllString(text, "${1}"+hidden)
	return generated.ReplaceAllString(text, "AVNS_"+hidden)
}

// hideValues replaces the second group of the matches whose value is one.
func hideValues(text string, pattern *regexp.Regexp, isSecret func(value string) bool) string {
	return pattern.ReplaceAllStringFunc(text, func(match string) string {
		part := pattern.FindStringSubmatch(match)
		if !isSecret(part[2]) {
			return match
		}
		return part[1] + hidden
	})
}

// isNoSwitch reports whether a value is no boolean: adopt-secret=true is an annotation, and part of a remedy.
func isNoSwitch(value string) bool { return value != "true" && value != "false" }

// resemblesSecret reports whether a value is quoted, or no word: it has a digit among eight or more characters, or is very
// long.
func resemblesSecret(value string) bool {
	if len(value) > 2 && (value[0] == '"' || value[0] == '\'') {
		return true
	}
	return len(value) >= 32 || len(value) >= 8 && strings.ContainsFunc(value, unicode.IsDigit)
}
