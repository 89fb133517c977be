package localaiven_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

var update = flag.Bool("update", false, "write the answers in testdata/lives")

// TestLives plays what happens to a resource of each type, from its creation to its end, errors included. A file of
// testdata/lives is a protocol: calls, and what was answered. Its lines are
//
//	# a remark
//	advance 1m
//	METHOD path body
//	> status operation, and the lines of the answer
//
// A path is below the project, unless it begins with a slash. In calls, $key is the value that key last had in an answer.
// Secrets, and what else differs from run to run, are replaced. With -update the answers are written.
func TestLives(t *testing.T) {
	files, err := filepath.Glob("testdata/lives/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			written, err := os.ReadFile(file)
			require.NoError(t, err)
			played := play(t, string(written))
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(played), 0o600))
			}
			assert.Equal(t, string(written), played)
		})
	}
}

// play makes the calls of a protocol, and writes it with the answers.
func play(t *testing.T, protocol string) string {
	t.Helper()
	h := start(t, localaiven.Options{ProvisionTime: provision})
	var out strings.Builder
	known := map[string]string{}
	for line := range strings.Lines(protocol) {
		if strings.HasPrefix(line, ">") {
			continue
		}
		out.WriteString(line)
		line = strings.TrimSpace(line)
		command, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case command == "advance":
			by, err := time.ParseDuration(rest)
			require.NoError(t, err, line)
			h.clock.Advance(by)
		default:
			path, body, _ := strings.Cut(remembered.ReplaceAllStringFunc(rest, func(key string) string { return known[key[1:]] }), " ")
			out.WriteString(h.protocol(t, command, path, body, known))
		}
	}
	return out.String()
}

var remembered = regexp.MustCompile(`\$[a-z_]+`)

// protocol makes a call, and returns the lines that say what was answered. It learns the values in the answer.
func (h *harness) protocol(t *testing.T, method, path, body string, known map[string]string) string {
	t.Helper()
	if !strings.HasPrefix(path, "/") {
		path = "/v1/project/" + proj + "/" + path
	}
	status, answer := h.send(t, method, path, "x", body)
	journal := h.Journal(0)
	learn(answer, known)
	var shown bytes.Buffer
	encoder := json.NewEncoder(&shown)
	encoder.SetIndent("> ", "  ")
	encoder.SetEscapeHTML(false)
	require.NoError(t, encoder.Encode(presentable("", answer)))
	return fmt.Sprintf("> %d %s\n> %s", status, journal[len(journal)-1].Operation, shown.String())
}

// learn notes the texts of an answer by their keys.
func learn(answer any, known map[string]string) {
	switch v := answer.(type) {
	case map[string]any:
		for key, item := range v {
			if text, ok := item.(string); ok {
				known[key] = text
			}
			learn(item, known)
		}
	case []any:
		for _, item := range v {
			learn(item, known)
		}
	}
}

// changing are keys whose values differ from run to run.
var changing = []string{
	"password", "access_cert", "access_key", "access_cert_not_valid_after_time", "certificate", "kafka_access_cert",
	"kafka_access_key", "uuid",
}

// generated is a password that the server has generated, also inside a URI.
var generated = regexp.MustCompile(`AVNS_[0-9A-Z]{19}`)

func presentable(key string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, item := range v {
			out[k] = presentable(k, item)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = presentable(key, item)
		}
		return out
	case string:
		if slices.Contains(changing, key) && v != "<redacted>" {
			return "<" + key + ">"
		}
		return generated.ReplaceAllString(v, "<password>")
	}
	return value
}
