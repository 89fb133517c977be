package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

const (
	// columns is how wide a line may be, on terminals that are wide enough.
	columns = 100
	// narrowest is what a line needs to be readable, and narrowestColumn what a column needs.
	narrowest       = 30
	narrowestColumn = 15
	margin          = "   "

	styleTitle   = "1"
	styleCommand = "36"
	styleGood    = "32"
	styleBad     = "31"
)

// screen is where the story is shown.
type screen struct {
	out   io.Writer
	tty   bool // lines can be overwritten
	color bool
	width int // of a line, in characters
	step  int
}

func newScreen(file *os.File, plain bool) *screen {
	s := &screen{out: file, width: columns}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil || os.Getenv("TERM") == "dumb" {
		return s
	}
	s.tty, s.color = true, !plain
	// A terminal that doesn't know its width says 0.
	if width > 0 {
		s.width = min(columns, max(width, narrowest))
	}
	return s
}

// print writes lines. A reader that is gone is noticed by its signal, not here.
func (s *screen) print(lines ...string) {
	_, _ = io.WriteString(s.out, strings.Join(lines, "\n")+"\n")
}

func (s *screen) paint(style, text string) string {
	if !s.color {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// heading begins a step.
func (s *screen) heading(title string) {
	s.step++
	s.print("", s.paint(styleTitle, fmt.Sprintf("%d. %s", s.step, title)))
}

// say prints a sentence.
func (s *screen) say(format string, args ...any) {
	for _, line := range wrap(fmt.Sprintf(format, args...), s.width-len(margin)) {
		s.print(margin + line)
	}
}

// good and bad print a result.
func (s *screen) good(format string, args ...any) { s.result(s.paint(styleGood, "✓"), format, args) }
func (s *screen) bad(format string, args ...any)  { s.result(s.paint(styleBad, "✗"), format, args) }

func (s *screen) result(mark, format string, args []any) {
	for _, line := range wrap(fmt.Sprintf(format, args...), s.width-len(margin)-2) {
		s.print(margin + mark + " " + line)
		mark = " "
	}
}

// command shows what a person would type; a shell understands it also where it goes on in the next line.
func (s *screen) command(line string) {
	lines := wrap(line, s.width-len(margin)-len("$  \\"))
	for i := range lines {
		prompt, more := "$ ", ""
		if i > 0 {
			prompt = "    "
		}
		if i < len(lines)-1 {
			more = " \\"
		}
		s.print(margin + s.paint(styleCommand, prompt+lines[i]+more))
	}
}

// output shows what a program printed. Lines that are too long go on below their last column.
func (s *screen) output(text string) {
	text = strings.TrimRight(text, "\n ")
	if text == "" {
		return
	}
	for _, line := range fold(strings.Split(text, "\n"), s.width-len(margin)) {
		s.print(strings.TrimRight(margin+line, " "))
	}
}

// table shows rows in columns, the first row being their titles.
func (s *screen) table(rows ...[]string) {
	widths := map[int]int{}
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var text strings.Builder
	for _, row := range rows {
		for i, cell := range row {
			if i < len(row)-1 {
				cell = pad(cell, widths[i]+len(margin))
			}
			text.WriteString(cell)
		}
		text.WriteString("\n")
	}
	s.output(text.String())
}

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}

// cut shortens a text that has no more than one line to live in.
func cut(text string, width int) string {
	runes := []rune(text)
	if len(runes) <= width {
		return text
	}
	return string(runes[:max(0, width-1)]) + "…"
}

// wrap breaks a text between words. A word that is too long stays whole.
func wrap(text string, width int) []string {
	lines := []string{}
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}

// fold wraps the lines of a table within its last column, and other lines anywhere. A table that leaves no room for its last
// column stays as it is.
func fold(lines []string, width int) []string {
	indent := lastColumn(lines)
	if indent > width-narrowestColumn {
		return lines
	}
	var out []string
	for _, line := range lines {
		runes := []rune(line)
		if len(runes) <= width {
			out = append(out, line)
			continue
		}
		head := ""
		if indent > 0 && len(runes) > indent {
			head, line = string(runes[:indent]), string(runes[indent:])
		}
		for _, part := range wrap(line, width-utf8.RuneCountInString(head)) {
			out = append(out, head+part)
			head = strings.Repeat(" ", indent)
		}
	}
	return out
}

// lastColumn is where the last title begins, or 0 where the first line holds no titles.
func lastColumn(lines []string) int {
	title := strings.TrimRight(lines[0], " ")
	gap := strings.LastIndex(title, "  ")
	if gap < 0 || title != strings.ToUpper(title) {
		return 0
	}
	return utf8.RuneCountInString(title[:gap]) + 2
}
