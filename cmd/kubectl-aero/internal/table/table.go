// Package table writes text for a terminal: columns as kubectl has them, and colors where they are wanted. No text that it writes controls
// the terminal.
package table

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
)

// gap is the space between columns, as kubectl has it.
const gap = "   "

// Cell is a text with a color. An empty one has none.
type Cell struct {
	Text  string
	Color string
}

// Colors of text, as the codes of ECMA-48.
const (
	Red    = "31"
	Green  = "32"
	Yellow = "33"
	Bold   = "1"
)

// Writer writes to a terminal, or to what isn't one.
type Writer struct {
	Out     io.Writer
	Colored bool
	// Now is the time that ages are counted to.
	Now time.Time
}

// paint returns the text with its color, if the output has colors.
func (w *Writer) paint(c Cell) string {
	text := Escape(c.Text)
	if !w.Colored || c.Color == "" || text == "" {
		return text
	}
	return "\x1b[" + c.Color + "m" + text + "\x1b[0m"
}

// width is the number of columns of a cell.
func width(c Cell) int { return utf8.RuneCountInString(Escape(c.Text)) }

// Rows writes rows in columns. text/tabwriter would count the codes of colors as text.
func (w *Writer) Rows(rows ...[]Cell) error {
	var widths []int
	for _, row := range rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], width(c))
		}
	}
	for _, row := range rows {
		last := lastText(row)
		line := ""
		for i, c := range row[:last+1] {
			line += w.paint(c)
			if i < last {
				line += strings.Repeat(" ", widths[i]-width(c)) + gap
			}
		}
		if _, err := fmt.Fprintln(w.Out, line); err != nil {
			return err
		}
	}
	return nil
}

// lastText is the last cell of a row with a text, so that no line ends in spaces; -1 if there is none.
func lastText(row []Cell) int {
	for i, c := range slices.Backward(row) {
		if c.Text != "" {
			return i
		}
	}
	return -1
}

// Line writes a line, which consists of these cells without a gap.
func (w *Writer) Line(cells ...Cell) error {
	line := ""
	for _, c := range cells {
		line += w.paint(c)
	}
	_, err := fmt.Fprintln(w.Out, line)
	return err
}

// Status is the status of a condition for which True is good.
func Status(status metav1.ConditionStatus) Cell {
	color := Yellow
	switch status {
	case metav1.ConditionTrue:
		color = Green
	case metav1.ConditionFalse:
		color = Red
	}
	return Cell{Text: string(status), Color: color}
}

// Age is the time since then, as kubectl has it; empty if there is no such time.
func (w *Writer) Age(since metav1.Time) string {
	if since.IsZero() {
		return ""
	}
	return duration.HumanDuration(w.Now.Sub(since.Time))
}
