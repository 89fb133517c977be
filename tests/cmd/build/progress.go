package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

const (
	// lineInterval is the pause between lines where they can't be overwritten.
	lineInterval = 15 * time.Second
	// redrawInterval is the pause between updates on a terminal.
	redrawInterval = time.Second / 4
	// clearLine moves to the start of the line and empties it.
	clearLine = "\r\x1b[2K"
)

// step is one part of the wait, shown on stderr: updated in place
// on a terminal, else a line from time to time.
type step struct {
	title string
	unit  string // what the count counts
	start time.Time
	tty   bool
	quit  chan struct{}
	idle  sync.WaitGroup

	mu   sync.Mutex
	done int
}

// begin starts a step; end must follow.
func begin(title, unit string) *step {
	s := &step{title: title, unit: unit, start: time.Now(), quit: make(chan struct{})}
	info, err := os.Stderr.Stat()
	s.tty = err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
	s.idle.Go(s.show)
	return s
}

// took counts a line of the go tool that reports progress, and reports whether it
// was one: a download, or the bare import path of a package being compiled.
func (s *step) took(line string) bool {
	progress := strings.HasPrefix(line, "go: downloading ") || !strings.ContainsAny(line, " \t:#")
	if progress {
		s.mu.Lock()
		s.done++
		s.mu.Unlock()
	}
	return progress
}

func (s *step) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.done
}

func (s *step) show() {
	interval := lineInterval
	if s.tty {
		interval = redrawInterval
	}
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-s.quit:
			return
		case <-ticker.C:
			line := fmt.Sprintf("%s … %s", s.title, round(time.Since(s.start)))
			if done := s.count(); done > 0 {
				line += fmt.Sprintf(", %d %s", done, s.unit)
			}
			s.print(line)
		}
	}
}

func (s *step) print(line string) {
	if s.tty {
		fmt.Fprint(os.Stderr, clearLine+line)
		return
	}
	fmt.Fprintln(os.Stderr, line)
}

// end stops the updates, and leaves one line about the whole step if wanted.
func (s *step) end(report bool, summary string) {
	close(s.quit)
	s.idle.Wait()
	if s.tty {
		fmt.Fprint(os.Stderr, clearLine)
	}
	if report {
		fmt.Fprintf(os.Stderr, "%s in %s\n", summary, round(time.Since(s.start)))
	}
}

// round keeps what a waiting person cares about.
func round(d time.Duration) time.Duration {
	if d < 10*time.Second {
		return d.Round(time.Second / 10)
	}
	return d.Round(time.Second)
}
