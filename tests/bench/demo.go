package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

// measuredDemo is what `make demo` takes once all programs are built.
const measuredDemo = "demo: from an empty cluster until nothing is left"

// doneIn is the demo's last sentence but one.
var doneIn = regexp.MustCompile(`Done in (\d+) seconds, with (.+)\.`)

// demo runs the demo as users do, and reads how long it says that it took.
func (w *world) demo(ctx context.Context) error {
	const program = "demo"
	run := exec.CommandContext(ctx, filepath.Join(w.bin, program), "--bin", w.bin, "--root", w.root)
	run.Dir = w.root
	// It ends what it has started when it is interrupted, and not when it is killed.
	run.Cancel = func() error { return run.Process.Signal(os.Interrupt) }
	run.WaitDelay = stopTime
	out, err := run.CombinedOutput()
	if err != nil {
		return fmt.Errorf("running the demo: %w:\n%s", err, out)
	}
	seconds, note, err := demoTook(string(out))
	if err != nil {
		return err
	}
	w.add(measuredDemo, seconds, "s", note)
	return nil
}

// demoTook are the seconds that the demo took, and its calls to Aiven, by what it printed.
func demoTook(out string) (seconds float64, calls string, err error) {
	found := doneIn.FindStringSubmatch(out)
	if found == nil {
		return 0, "", fmt.Errorf("the demo has printed no time:\n%s", out)
	}
	seconds, err = strconv.ParseFloat(found[1], 64)
	if err != nil {
		return 0, "", fmt.Errorf("reading the time of the demo: %w", err)
	}
	return seconds, found[2], nil
}
