package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/avast/retry-go/v5"
)

const (
	// checkInterval is the pause between two checks of what is being waited for.
	checkInterval = 200 * time.Millisecond
	// showInterval is the pause between two lines where they can't be overwritten and nothing changes.
	showInterval = 5 * time.Second
	// settled is how old a wait must be to be worth a line in a log.
	settled = time.Second
	// firstColumn is how wide names are at least, so that the columns of all waits are aligned.
	firstColumn = 24

	clearLine = "\r\x1b[2K"
	lineUp    = "\x1b[1A"
)

// row is one thing that is being waited for.
type row struct {
	name  string
	state string
	done  bool
}

// board shows rows while they change: in place on a terminal, else a line a change.
type board struct {
	screen *screen
	start  time.Time
	last   time.Time                // when something was printed last
	shown  map[string]row           // in a log, by name
	took   map[string]time.Duration // until it was done
	drawn  int                      // lines on a terminal that the next frame takes back
}

func newBoard(s *screen, now time.Time) *board {
	return &board{screen: s, start: now, last: now, shown: map[string]row{}, took: map[string]time.Duration{}}
}

// errUnfinished is what a check returns that wants to be repeated.
var errUnfinished = errors.New("not done yet")

// until repeats a check, with a pause, until it returns anything but errUnfinished.
func until(ctx context.Context, pause time.Duration, check func() error) error {
	return retry.New(
		retry.UntilSucceeded(), retry.Context(ctx), retry.Delay(pause), retry.DelayType(retry.FixedDelay),
		retry.RetryIf(func(err error) bool { return errors.Is(err, errUnfinished) }),
	).Do(check)
}

// await observes until everything is done, and shows it all the while. It gives up after the timeout.
func (s *screen) await(ctx context.Context, timeout time.Duration, observe func(context.Context) ([]row, error)) error {
	b := newBoard(s, time.Now())
	return until(ctx, checkInterval, func() error {
		rows, err := observe(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		b.show(rows, time.Now())
		open := unfinished(rows)
		switch {
		case len(open) == 0:
			return nil
		case time.Since(b.start) > timeout:
			return fmt.Errorf("gave up after %s: %s", timeout, strings.Join(open, "; "))
		default:
			return errUnfinished
		}
	})
}

func unfinished(rows []row) []string {
	var open []string
	for _, r := range rows {
		if !r.done {
			open = append(open, strings.TrimSpace(r.name+" "+r.state))
		}
	}
	return open
}

// show brings the board up to date.
func (b *board) show(rows []row, now time.Time) {
	for _, r := range rows {
		if _, known := b.took[r.name]; r.done && !known {
			b.took[r.name] = now.Sub(b.start)
		}
	}
	if b.screen.tty {
		lines := b.frame(rows, now)
		b.screen.print(strings.Repeat(lineUp+clearLine, b.drawn) + strings.Join(lines, "\n"))
		b.drawn = len(lines)
	} else if lines := b.changed(rows, now); len(lines) > 0 {
		b.screen.print(lines...)
		b.last = now
	}
}

// frame is the whole board, for terminals.
func (b *board) frame(rows []row, now time.Time) []string {
	lines := make([]string, len(rows))
	for i, r := range rows {
		lines[i] = b.line(r, nameWidth(rows), now)[0]
	}
	return lines
}

// changed are the rows that differ from what was shown, for logs. Where nothing changes for long, what isn't done is
// shown again, so that the demo doesn't seem to hang.
func (b *board) changed(rows []row, now time.Time) []string {
	quiet := now.Sub(b.last) >= showInterval
	var lines []string
	for _, r := range rows {
		state, known := b.shown[r.name]
		switch {
		case !r.done && now.Sub(b.start) < settled:
			continue
		case known && state == r && (r.done || !quiet):
			continue
		}
		b.shown[r.name] = r
		lines = append(lines, strings.Join(b.line(r, nameWidth(rows), now), "\n"))
	}
	return lines
}

// line is a row with its mark and time; on a terminal it is always a single line.
func (b *board) line(r row, width int, now time.Time) []string {
	mark, took := "…", now.Sub(b.start)
	if r.done {
		mark, took = b.screen.paint(styleGood, "✓"), b.took[r.name]
	}
	head := fmt.Sprintf("%s %s %5.1fs   ", mark, pad(r.name, width), took.Seconds())
	indent := utf8.RuneCountInString("✓ ") + width + len(" 000.0s   ")
	rest := max(b.screen.width-len(margin)-indent, 1)
	parts := wrap(r.state, rest)
	if b.screen.tty {
		parts = []string{cut(r.state, rest)}
	}
	lines := make([]string, len(parts))
	for i, part := range parts {
		lines[i] = strings.TrimRight(margin+head+part, " ")
		head = strings.Repeat(" ", indent)
	}
	return lines
}

func nameWidth(rows []row) int {
	width := firstColumn
	for _, r := range rows {
		width = max(width, utf8.RuneCountInString(r.name))
	}
	return width
}
