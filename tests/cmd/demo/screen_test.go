package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestACommandGoesOnInTheNextLineAsAShellWants(t *testing.T) {
	var out bytes.Buffer
	s := &screen{out: &out, width: columns}
	s.command("kubectl apply -f short.yaml")
	s.command("kubectl " + strings.Repeat("0123456789 ", 10))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 3)
	assert.Equal(t, "$ kubectl apply -f short.yaml", lines[0])
	assert.True(t, strings.HasSuffix(lines[1], ` \`), lines[1])
	assert.True(t, strings.HasPrefix(lines[2], "       0123456789"), lines[2])
}

func TestFold(t *testing.T) {
	words := strings.TrimSpace(strings.Repeat("word ", 8))
	for name, c := range map[string]struct{ in, want []string }{
		"short lines stay": {
			[]string{"NAME   MESSAGE", "a      b"}, []string{"NAME   MESSAGE", "a      b"},
		},
		"a long message goes on below its title": {
			[]string{"NAME   MESSAGE", "a      " + words},
			[]string{"NAME   MESSAGE", "a      word word word word word word", "       word word"},
		},
		"a long line that belongs to no table goes on at the margin": {
			[]string{"The object is invalid:", words + " " + words},
			[]string{"The object is invalid:", "word word word word word word word word", "word word word word word word word word"},
		},
		"a table without room for its last column stays as it is": {
			[]string{"A VERY LONG NAME             MESSAGE", "a                            " + words},
			[]string{"A VERY LONG NAME             MESSAGE", "a                            " + words},
		},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, fold(c.in, 39)) })
	}
}

func TestATableShowsItsColumnsBelowEachOther(t *testing.T) {
	var out bytes.Buffer
	(&screen{out: &out, width: columns}).table([]string{"KEY", "VALUE"}, []string{"longer", "•"})
	assert.Equal(t, "   KEY      VALUE\n   longer   •\n", out.String())
}

func TestAMaskShowsTheLengthAndNothingElse(t *testing.T) {
	assert.Equal(t, "(empty)", mask(nil))
	assert.Equal(t, "•••••••• (6 bytes)", mask([]byte("secret")))
	assert.NotContains(t, fingerprint([]byte("secret")), "secret")
	assert.NotEqual(t, fingerprint([]byte("secret")), fingerprint([]byte("Secret")))
}

func TestColorsAreForTerminals(t *testing.T) {
	assert.Equal(t, "text", (&screen{}).paint(styleGood, "text"))
	assert.Equal(t, "\x1b[32mtext\x1b[0m", (&screen{color: true}).paint(styleGood, "text"))
}

// testBoard is a board at an invented time.
type testBoard struct {
	*board
	out   bytes.Buffer
	start time.Time
}

func newTestBoard(tty bool) *testBoard {
	s := &testBoard{start: time.Unix(0, 0)}
	s.board = newBoard(&screen{out: &s.out, tty: tty, width: columns}, s.start)
	return s
}

// at shows rows after some seconds, and returns what was printed for that.
func (s *testBoard) at(seconds float64, rows ...row) string {
	s.out.Reset()
	s.show(rows, s.start.Add(time.Duration(seconds*float64(time.Second))))
	return s.out.String()
}

func TestALogGetsALineAChange(t *testing.T) {
	s := newTestBoard(false)
	waiting := row{name: "Operator", state: "filling its caches"}
	assert.Empty(t, s.at(0.2, waiting), "what is over at once isn't worth a line")
	assert.Equal(t, "   … Operator                   1.0s   filling its caches\n", s.at(1, waiting))
	assert.Empty(t, s.at(2, waiting), "nothing has changed")
	assert.NotEmpty(t, s.at(6.5, waiting), "a wait must not seem to hang")
	assert.Empty(t, s.at(7, waiting))
	done := row{name: "Operator", state: "up", done: true}
	assert.Equal(t, "   ✓ Operator                   7.2s   up\n", s.at(7.2, done))
	assert.Empty(t, s.at(20, done))
}

func TestATerminalIsOverwritten(t *testing.T) {
	s := newTestBoard(true)
	first := s.at(0, row{name: "a"}, row{name: "b"})
	assert.NotContains(t, first, lineUp)
	second := s.at(3, row{name: "a", done: true}, row{name: "b", state: strings.Repeat("long ", 50)})
	assert.Equal(t, 2, strings.Count(second, lineUp))
	for line := range strings.Lines(strings.ReplaceAll(second, lineUp+clearLine, "")) {
		assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSpace(line)), columns)
	}
	third := s.at(9, row{name: "a", done: true}, row{name: "b", done: true})
	assert.Contains(t, third, "✓ a"+strings.Repeat(" ", 26)+"3.0s", "the time at which it was done stays")
	assert.Contains(t, third, "✓ b"+strings.Repeat(" ", 26)+"9.0s")
}

func fixed(rows ...row) func(context.Context) ([]row, error) {
	return func(context.Context) ([]row, error) { return rows, nil }
}

func TestAwaitGivesUpAndNamesWhatIsMissing(t *testing.T) {
	err := newTestBoard(false).screen.await(t.Context(), 0, fixed(row{name: "a", done: true}, row{name: "b", state: "slow"}))
	assert.EqualError(t, err, "gave up after 0s: b slow")
}
