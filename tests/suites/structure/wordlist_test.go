package structure_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// bannedWord is an entry of testdata/words.yaml.
type bannedWord struct {
	Words   string   `json:"words"`
	Instead string   `json:"instead"`
	Allow   []string `json:"allow"`
	Only    string   `json:"only"`

	find, only *regexp.Regexp
	allow      []*regexp.Regexp
}

// finding is a banned word in a text.
type finding struct {
	Line          int
	Word, Instead string
}

func wordList(t *testing.T) []bannedWord {
	t.Helper()
	data, err := os.ReadFile("testdata/words.yaml")
	require.NoError(t, err)
	var list []bannedWord
	require.NoError(t, yaml.UnmarshalStrict(data, &list))
	require.NotEmpty(t, list)
	for i := range list {
		w := &list[i]
		require.NotEmpty(t, w.Instead, "%q has no replacement", w.Words)
		w.find, w.only = phrase(`\b(`+w.Words+`)\b`), regexp.MustCompile(w.Only)
		for _, context := range w.Allow {
			w.allow = append(w.allow, phrase(context))
		}
	}
	return list
}

// phrase compiles a pattern that ignores case and matches across the ends of lines.
func phrase(pattern string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)` + strings.ReplaceAll(pattern, " ", `\s+`))
}

// listFor are the entries that hold for a file.
func listFor(list []bannedWord, path string) []bannedWord {
	return slices.DeleteFunc(slices.Clone(list), func(w bannedWord) bool { return !w.only.MatchString(path) })
}

// check returns the banned words of a text, with the line in which each begins.
func check(list []bannedWord, text string) []finding {
	var found []finding
	for _, w := range list {
		rest := text
		for _, context := range w.allow {
			// The length and the lines stay, so that positions do.
			rest = context.ReplaceAllStringFunc(rest, func(s string) string {
				return strings.Map(func(r rune) rune {
					if r == '\n' {
						return r
					}
					return '_'
				}, s)
			})
		}
		for _, at := range w.find.FindAllStringIndex(rest, -1) {
			found = append(found, finding{1 + strings.Count(rest[:at[0]], "\n"), rest[at[0]:at[1]], w.Instead})
		}
	}
	return found
}

func TestTheCheckOfWordsFindsThem(t *testing.T) {
	list := wordList(t)
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"a plain word":                         {"Somebody deleted it.", []string{"Somebody"}},
		"a phrase over two lines":              {"X stands\nfor the service.", []string{"stands\nfor"}},
		"an inflected word":                    {"It was looked at and told.", []string{"looked", "told"}},
		"two words of one entry":               {"nobody, whoever", []string{"nobody", "whoever"}},
		"another operator's former name":       {"the reference operator's lease", []string{"reference operator's"}},
		"kind for a sort":                      {"a kind of error", []string{"kind of"}},
		"a kind of Kubernetes is allowed":      {"every kind of aiven.io; the kind of the object", nil},
		"another object without its name":      {"It waits for that one, which owns it, or the other one.", []string{"that one", "the other one"}},
		"a conjunction before a number":        {"a service that one network can reach", nil},
		"an allowed context is allowed":        {"It looks like a bug. The field manager, `manager`, cert-manager.", nil},
		"a context allows nothing beside it":   {"The field manager of the manager", []string{"manager"}},
		"a part of a word isn't the word":      {"troubleshooting, outlook, newsletter, copyright, lawn", nil},
		"the field's words":                    {"The operator reconciles the object, and enqueues its owner.", nil},
		"a word in a message of this operator": {`"Waiting for Aiven to tell the connection details"`, []string{"tell"}},
	} {
		t.Run(name, func(t *testing.T) {
			var words []string
			for _, f := range check(list, tc.text) {
				words = append(words, f.Word)
			}
			assert.ElementsMatch(t, tc.want, words)
		})
	}
}

func TestAFindingNamesItsLineAndTheRemedy(t *testing.T) {
	assert.Equal(t, []finding{{3, "nobody", wordList(t)[2].Instead}}, check(wordList(t), "one\ntwo\nnobody\n"))
}

func TestWordsOfGoFilesAreFound(t *testing.T) {
	list := wordList(t)
	for name, tc := range map[string]struct{ source, want string }{
		"a comment":                     {"// It looks at a row.\nvar row int", "looks"},
		"the name of a case":            {`var cases = map[string]int{"nobody may write": 1}`, "nobody"},
		"a message":                     {`func f() { fail("it must be told once") }`, "told"},
		"the name of a test":            {"func TestATopicIsToldOnce(t int) {}", "Told"},
		"a helper":                      {"func wakeAll() {}", "wake"},
		"a type and its field":          {"type row struct{ verdict string }", "verdict"},
		"a parameter":                   {"func f(trouble error) {}", "trouble"},
		"a constant":                    {"const patience = 1", "patience"},
		"a local variable":              {"func f() { news := 1; _ = news }", "news"},
		"a variable of a loop":          {"func f() { for _, door := range list {} }", "door"},
		"a name of another package":     {"var path = exec.LookPath", ""},
		"a name isn't a phrase":         {"func kindOf() {}", ""},
		"a string that is data":         {`var account = "nobody"`, ""},
		"a sentence around such a text": {`var message = "nobody knows"`, "nobody"},
	} {
		t.Run(name, func(t *testing.T) {
			texts, err := source("a.go", []byte("package p\n\n"+tc.source+"\n"))
			require.NoError(t, err)
			found := map[string]bool{}
			for _, piece := range texts {
				for _, f := range check(list, piece.text) {
					found[f.Word] = true
				}
			}
			want := map[string]bool{}
			if tc.want != "" {
				want[tc.want] = true
			}
			assert.Equal(t, want, found)
		})
	}
}
