package fault

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	avngen "github.com/aiven/go-client-codegen"
)

const (
	// longestMessage is in bytes: the bound that Kubernetes puts on the note of an event.
	longestMessage = 1024
	// longestField leaves room for what Aiven writes.
	longestField = 256
	// longestText is how much of a text is searched for secrets, and quoted at most, in bytes.
	longestText = 8 << 10
	// ellipsis ends what was cut.
	ellipsis = "…"
)

var (
	requestNoise = regexp.MustCompile(`\b[A-Z][a-z]+ "https?://([^/"?\s]+)[^"]*": `)
	// The near end of a connection has a new port on each try, and each new text would be a new status and event.
	nearEnd = regexp.MustCompile(`\S+:\d+->(\S+:\d+)`)
	webPage = regexp.MustCompile(`(?is)\s*<(!doctype|html)\b.*`)
)

// headlines begin the message of a response of Aiven.
var headlines = map[Class]string{
	Unauthorized: "Aiven rejected the token",
	Forbidden:    "Aiven denied access",
	Exhausted:    "Aiven rejected the request",
	Rejected:     "Aiven rejected the request",
	Exists:       "Aiven rejected the request",
	Conflict:     "Aiven rejected the request for now",
	NotReady:     "Aiven isn't ready for the request",
	Protected:    "Aiven rejected the request",
	NoChange:     "Aiven rejected the request",
	NotFound:     "Aiven found nothing",
	RateLimited:  "Aiven limits the rate of calls",
}

// message makes one clean line of an error.
func message(err error, secrets *Secrets) string {
	text := clean(compose(err), secrets)
	if text == "" {
		text = "unknown error"
	}
	return cut(text, longestMessage)
}

// compose puts the text of a tree of errors together. What wraps a response of Aiven says what was being done, as the
// operation at the end of the message does, so it is left out.
func compose(err error) string {
	answer, answered := answerOf(err)
	if !answered {
		return err.Error()
	}
	switch node := err.(type) { //nolint:errorlint // one node at a time: compose walks the tree
	case *redactedError:
		return node.text
	case *RateLimitError:
		if node.Answer.Status == 0 {
			return node.Answer.Message + " (" + node.Answer.OperationID + ")"
		}
		return compose(node.Answer)
	case interface{ Unwrap() error }:
		return compose(node.Unwrap())
	case interface{ Unwrap() []error }:
		var parts []string
		for _, inner := range node.Unwrap() {
			parts = append(parts, compose(inner))
		}
		return strings.Join(parts, "\n")
	}
	headline, known := headlines[ofAiven(answer)]
	if !known {
		headline = "Aiven failed"
	}
	return headline + ": " + sentence(answer) + code(answer)
}

// answerOf finds the response of Aiven in a tree of errors.
func answerOf(err error) (avngen.Error, bool) {
	var value avngen.Error
	if errors.As(err, &value) {
		return value, true
	}
	var pointer *avngen.Error
	if errors.As(err, &pointer) && pointer != nil {
		return *pointer, true
	}
	return avngen.Error{}, false
}

// sentence is Aiven's own, with the details that it leaves out.
func sentence(answer avngen.Error) string {
	text := webPage.ReplaceAllString(answer.Message, " (a web page instead of an answer)")
	for _, detail := range detailsOf(answer) {
		if !strings.Contains(text, detail) {
			text = strings.TrimRight(text, ". ") + ": " + detail
		}
	}
	text = strings.TrimSpace(text)
	if text == "" {
		return http.StatusText(answer.Status)
	}
	return text
}

// detailsOf lists the messages among the details of a response. Details of another form are one, as JSON.
func detailsOf(answer avngen.Error) []string {
	if answer.Errors == nil {
		return nil
	}
	data, err := json.Marshal(answer.Errors)
	if err != nil {
		return nil
	}
	var items []struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(data, &items) != nil {
		return []string{string(data)}
	}
	var texts []string
	for _, item := range items {
		if item.Message != "" {
			texts = append(texts, item.Message)
		}
	}
	return texts
}

func code(answer avngen.Error) string {
	return " (" + strconv.Itoa(answer.Status) + " " + answer.OperationID + ")"
}

// Refusal is the message of a change that Aiven refused: the headline, Aiven's sentence, the remedy, and the code with the
// operation. What was found wrong before any call has its own text and the remedy. The remedy may be empty.
func (s *Secrets) Refusal(err error, headline, remedy string) string {
	if !FromAiven(err) {
		return cut(clean(withRemedy(compose(err), remedy), s), longestMessage)
	}
	answer, _ := answerOf(err)
	var at *fieldError
	if errors.As(err, &at) {
		headline, remedy = "Aiven rejected "+cut(clean(at.field, s), longestField), withRemedy(at.remedy, remedy)
	}
	tail := code(answer)
	text := clean(withRemedy(headline+": "+sentence(answer), remedy), s)
	return cut(text, longestMessage-len(tail)) + tail
}

// Advice is the message of a response of Aiven with a remedy.
func (s *Secrets) Advice(err error, remedy string) string {
	answer, _ := answerOf(err)
	return s.Refusal(err, headlines[ofAiven(answer)], remedy)
}

// FromAiven reports whether an error holds a response of Aiven that may be quoted.
func FromAiven(err error) bool {
	_, ok := answerOf(err)
	return ok && !isRedacted(err)
}

func withRemedy(text, remedy string) string {
	if remedy == "" || text == "" {
		return text + remedy
	}
	return strings.TrimRight(text, ". \n") + ". " + remedy
}

// Sentence is what the other side said, without anything that this project adds. Two errors with the same sentence have
// the same cause.
func (s *Secrets) Sentence(err error) string {
	if !FromAiven(err) {
		return s.Of(err).Message
	}
	answer, _ := answerOf(err)
	return clean(sentence(answer), s)
}

// clean removes secrets and noise from a text, and makes one line of it. Redaction comes first: what follows may cut a
// secret in two, and half of one is still a secret.
func clean(text string, secrets *Secrets) string {
	text = secrets.Hide(text)
	text = webPage.ReplaceAllString(text, " (a web page instead of an answer)")
	text = requestNoise.ReplaceAllString(text, "calling $1: ")
	text = nearEnd.ReplaceAllString(text, "$1")
	text = tryAgain.ReplaceAllString(text, "$1 later") // the time that is left differs from call to call
	return OneLine(text)
}

// OneLine joins lines by "; " and drops what terminals would act upon, and characters that can't be seen but change what is, as those
// that reverse the direction of a text do.
func OneLine(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	kept := lines[:0]
	for _, line := range lines {
		line = strings.Join(strings.FieldsFunc(line, func(r rune) bool {
			return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
		}), " ")
		if line != "" {
			kept = append(kept, line)
		}
	}
	return strings.ToValidUTF8(strings.Join(kept, "; "), "?")
}

// ShortLine makes one line of a text, no longer than the note of an event may be.
func ShortLine(text string) string { return cut(OneLine(text), longestMessage) }

// cut shortens text to at most limit bytes without splitting a character.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := limit - len(ellipsis)
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + ellipsis
}

// ListLimit is how much of a list a message has that says what to do about it, in bytes.
const ListLimit = 120

// Few are the first of several names, as many as fit into limit bytes but one at least, and the number of the others.
func Few(names []string, limit int) string {
	shown := min(1, len(names))
	for shown < len(names) && len(strings.Join(names[:shown+1], ", ")) <= limit {
		shown++
	}
	text := cut(strings.Join(names[:shown], ", "), longestMessage)
	if others := len(names) - shown; others > 0 {
		text += fmt.Sprintf(" and %d more", others)
	}
	return text
}
