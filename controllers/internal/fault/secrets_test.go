package fault_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	avngen "github.com/aiven/go-client-codegen"
	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

func secretsOf(values ...string) *fault.Secrets {
	s := &fault.Secrets{}
	s.Add(values...)
	return s
}

func TestValuesOfSecretsAreRedactedLiterally(t *testing.T) {
	const value = `Tr0ub<4d>or&3 "x"/+ä`
	quoted, err := json.Marshal(value)
	assert.NoError(t, err)
	encode := func(prefix, suffix string) string {
		return base64.StdEncoding.EncodeToString([]byte(prefix + value + suffix))
	}
	for name, text := range map[string]string{
		"as it is":                 value,
		"in a query":               url.QueryEscape(value),
		"in a path":                url.PathEscape(value),
		"in JSON":                  string(quoted),
		"in JSON within a string":  strings.Trim(strconv.Quote(value), `"`),
		"in JSON without HTML":     `Tr0ub<4d>or&3 \"x\"/+ä`,
		"in JSON within JSON":      strings.Trim(strconv.Quote(string(quoted)), `"`),
		"in a URL, as Python does": strings.ReplaceAll(strings.ReplaceAll(url.QueryEscape(value), "%2F", "/"), "+", "%20"),
		"in a URL, in lower case":  lowerCase(url.QueryEscape(value)),
		"in base64":                encode("", ""),
		"behind one byte":          encode("a", "z"),
		"behind two bytes":         encode("ab", "zy"),
		"in basic authorization":   encode("avnadmin:", ""),
		"in base64 for URLs":       base64.RawURLEncoding.EncodeToString([]byte(value)),
		"twice":                    value + " and " + value,
		"with white space outside": " " + value + " ",
	} {
		t.Run(name, func(t *testing.T) {
			s := secretsOf(value + "\n")
			got := s.Scrub("before " + text + " after")
			assert.Contains(t, got, "***")
			assert.NotContains(t, got, value)
			for _, part := range []string{"Tr0ub", encode("", "")[4:14], encode("a", "")[4:14], encode("ab", "")[4:14]} {
				assert.NotContains(t, got, part)
			}
			assert.True(t, strings.HasPrefix(got, "before ") && strings.HasSuffix(got, " after"), got)
		})
	}
}

// lowerCase is a text of a URL with its escapes in lower case.
func lowerCase(text string) string {
	return regexp.MustCompile("%..").ReplaceAllStringFunc(text, strings.ToLower)
}

func TestShortValuesAreRedactedWhereTheyAreValues(t *testing.T) {
	for name, row := range map[string]struct{ value, in, want string }{
		"nothing":           {"", "a message", "a message"},
		"an article":        {"a", "a 404 is a refusal", "a 404 is a refusal"},
		"in quotes":         {"abc", `Value 'abc' is too short for abcd`, `Value '***' is too short for abcd`},
		"behind a sign":     {"a1", "host=h key=a1 user=u", "host=h key=*** user=u"},
		"behind a colon":    {"xyz", "too short: xyz", "too short: ***"},
		"four are enough":   {"abcd", "the word abcd", "the word ***"},
		"a form of another": {"abcdef", "abcdefgh", "***gh"},
		"in escaped quotes": {"abc", `body {\"pin\":\"abc\"}`, `body {\"pin\":\"***\"}`},
		"as a number":       {"123", `{"pin":123}`, `{"pin":***}`},
		"in parentheses":    {"abc", "refused (pin=abc)", "refused (pin=***)"},
		"a quote, in JSON":  {`a"b`, `{"pin":"a\"b"}`, `{"pin":"***"}`},
		"in a query":        {"a&b", "GET /x?pin=a%26b&y=1", "GET /x?pin=***&y=1"},
		"in escaped JSON":   {"abc", "GET /x?q=%22abc%22", "GET /x?q=%22***%22"},
		"in base64":         {"abc", "pin: YWJj was refused", "pin: *** was refused"},
		"five in base64":    {"abcde", `{"pin":"YWJjZGU="}`, `{"pin":"***"}`},
		"no text at all":    {"\xff", "Value '\ufffd' and '\\xff'", "Value '***' and '***'"},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, row.want, secretsOf(row.value).Scrub(row.in)) })
	}
	assert.Equal(t, "*** ***", secretsOf("abcd", "abcdef").Scrub("abcdef abcd"), "the longest goes first")
}

func FuzzScrub(f *testing.F) {
	for _, value := range []string{"a", "\xff", "\xff\xfe\xfd\xfc", "ab\"", "%41", `\u0041`, "+/+/", "line\nline-that-is-long-enough\n", "$1${2}", "(?i)", "日本語"} {
		f.Add(value, "Value '", "' is too short")
		f.Add(value, "", "")
		f.Add(value, "https://h/?a=", "&b=1")
	}
	f.Fuzz(func(t *testing.T, value, before, after string) {
		if strings.Contains(value, "*") {
			t.Skip("a value is hidden by asterisks: one that has some may be found in them")
		}
		got := secretsOf(value).Scrub(before + value + after)
		if len(value) > 3 {
			assert.NotContains(t, got, value)
		}
	})
}

func TestLinesOfAValueAreRedacted(t *testing.T) {
	value := "first-line-of-credentials\nsecond-line-of-credentials\n"
	got := secretsOf(value).Of(errors.New("refused: " + value)).Message
	assert.Equal(t, "refused: ***", got)
	assert.Equal(t, "at ***", secretsOf(value).Scrub("at second-line-of-credentials"))
}

func TestReviewH2_ErrorsForTheLogAreRedacted(t *testing.T) {
	refused := fmt.Errorf("setting: %w", avngen.Error{
		OperationID: "ServiceUserCredentialsModify", Status: 400, Message: "CorrectHorseBattery is in postgres://avnadmin:s3cretPassw0rd@db:1/x",
	})
	err := secretsOf("CorrectHorseBattery").Redacted(refused)
	assert.EqualError(t, err, "Aiven rejected the request: *** is in postgres://avnadmin:***@db:1/x (400 ServiceUserCredentialsModify)")
	assert.Equal(t, fault.Rejected, fault.Of(err).Class, "it keeps its class")
	assert.Equal(t, err.Error(), fault.Of(err).Message, "its message stays redacted")
	assert.Equal(t, "again: "+err.Error(), fmt.Errorf("again: %w", err).Error())
	assert.NotContains(t, fault.Of(fmt.Errorf("again: %w", err)).Message, "CorrectHorse")
	assert.NotContains(t, (*fault.Secrets)(nil).Refusal(err, "spec.x", ""), "CorrectHorse")
	assert.NotContains(t, (*fault.Secrets)(nil).Sentence(err), "CorrectHorse")
	assert.ErrorIs(t, err, refused, "and what it is")
	assert.NoError(t, fault.Redacted(nil))
	assert.EqualError(t, fault.Redacted(errors.New("a://u:p@h")), "a://u:***@h")
}

func TestOfALongTextTheBeginningIsSearchedAndNoHalfOfASecretIsLeft(t *testing.T) {
	const kib = 1 << 10
	long := strings.Repeat("x", 64*kib)
	hidden := secretsOf("the-known-password").Hide("refused: the-known-password, then " + long)
	assert.LessOrEqual(t, len(hidden), 8*kib)
	assert.True(t, strings.HasPrefix(hidden, "refused: ***, then xxx"), hidden[:40])
	assert.True(t, strings.HasSuffix(hidden, "…"))
	assert.Equal(t, "short", secretsOf().Hide("short"))
	whole := strings.Repeat("x ", 4*kib)
	assert.Equal(t, whole, secretsOf().Hide(whole), "8 KiB are returned whole")

	key := "-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("k", 7*kib) + "\n-----END PRIVATE KEY-----\n" // leaves room for what is at the end
	for name, secret := range map[string]string{
		"a known value":        "the-known-password",
		"a quoted value":       `password: "with several words in it, none of which may be shown"`,
		"a generated password": "AVNS_0123456789abcdefghijklmnop",
	} {
		for at := 0; at < len(secret); at += 5 {
			text := key + strings.Repeat("y ", (8*kib-len(key)-at)/2) + secret + long
			for _, word := range []string{"known", "words", "0123"} {
				if got := secretsOf("the-known-password").Hide(text); strings.Contains(got, word) {
					t.Fatalf("%s that is cut after %d bytes is shown: %s", name, at, got)
				}
			}
		}
	}
}
