package fault

import (
	"net/http"
	"regexp"
	"strings"
)

// Aiven has no machine-readable reasons, so these phrases are all there is. They match a subject together with its
// problem, never the subject alone: "invalid billing email" is bad input, "billing information is missing" is not.
var (
	existsPhrase = regexp.MustCompile(`(?i)\balready exist`)

	tokenPhrase = regexp.MustCompile(`(?i)` + either(
		`\b(invalid|expired|missing|revoked|malformed|unknown)\b.{0,20}\btoken\b`,
		`\btoken\b.{0,20}\b(invalid|expired|missing|revoked|malformed|not valid)\b`,
		`\bnot authenticated\b`,
		`\bauthentication (failed|required)\b`,
	))

	// Aiven's internals say so for a moment after a service was built, whichever thing was asked for. Taken for the
	// absence of that thing, it would be created a second time.
	internalUserPhrase = regexp.MustCompile(`(?i)\buser \S+ with component \S+ not found\b`)

	// A topic may be named trial, so quoted names mean nothing.
	quotedName = regexp.MustCompile("(^|[\\s(:=])('[^'\\s]*'|\"[^\"\\s]*\"|`[^`\\s]*`)")

	// exhaustedPhrases maps a subject to the phrases that mean it ran out. An operation on the subject itself is no
	// refusal over it: setting a quota of Kafka may fail with "quota exceeds the maximum", which is bad input.
	exhaustedPhrases = map[string]*regexp.Regexp{
		"quota": about(`quotas?`,
			`exceed(s|ed|ing)?|reached|exhausted|full|insufficient|used up|over|no more|limit`),
		"billing": about(`billing|payment|invoices?`,
			`required|missing|insufficient|overdue|past due|unpaid|suspended|declined|expired|no valid|add a|needed`),
		"credit": about(`credits?|credit card`,
			`required|missing|insufficient|exhausted|depleted|out of|ran out|run out|used up|declined|expired|no|`+
				`remaining|not enough|exceed(s|ed)?|limit|needed`),
		"trial": regexp.MustCompile(`(?i)\btrials?\b.*\b(expired|ended|over|limit(s|ed)?|exceed(s|ed)?|not|only)\b|` +
			`\b(in|during|your|free) trial\b`),
		"limit": regexp.MustCompile(`(?i)` + either(
			`\bnot enough\b`,
			`\binsufficient (funds|resources|capacity|balance)\b`,
			`\bplan('s)? limits?\b`,
			`\blimits? of (the|your|this) (\S+ )?plan\b`,
			`\blimit (has been |was |is )?(reached|exceeded)\b`,
			`\b(reached|exceeded) (the|your|its|this) ([\w-]+ ){0,3}(limit|maximum|allowance)\b`,
			`\bmaximum (number|amount) of .*\b(reached|exceeded)\b`,
		)),
	}
)

func either(alternatives ...string) string {
	return `(` + strings.Join(alternatives, `|`) + `)`
}

// about matches text in which the problem stands before or after its subject.
func about(subject, problem string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(` + subject + `)\b.*\b(` + problem + `)\b|\b(` + problem + `)\b.*\b(` + subject + `)\b`)
}

func saysExists(text string) bool         { return existsPhrase.MatchString(text) }
func blamesToken(text string) bool        { return tokenPhrase.MatchString(text) }
func blamesInternalUser(text string) bool { return internalUserPhrase.MatchString(text) }

func saysExhausted(operation string, status int, text string) bool {
	if status == http.StatusForbidden {
		operation = "" // it is denied before anything that the user wrote is read, and whatever it is about
	}
	if quoting.MatchString(operation) {
		return false
	}
	operation = strings.ToLower(operation)
	text = quotedName.ReplaceAllString(text, "$1")
	for subject, phrase := range exhaustedPhrases {
		if !strings.Contains(operation, subject) && phrase.MatchString(text) {
			return true
		}
	}
	return false
}
