package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// memory is what the kernel counts for a process, in MB of a million bytes.
type memory struct {
	peak float64 // the most that was resident at any time, the program and shared pages included
	anon float64 // what is resident now of the memory that it has allocated
}

func (w *world) operatorMemory() (m memory, err error) {
	file, err := os.Open(fmt.Sprintf("/proc/%d/status", w.operator.Pid()))
	if err != nil {
		return m, fmt.Errorf("reading the operator's memory: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return parseMemory(file)
}

// parseMemory reads what Linux writes about a process.
func parseMemory(status io.Reader) (memory, error) {
	found := map[string]float64{}
	lines := bufio.NewScanner(status)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		amount, isMemory := strings.CutSuffix(strings.TrimSpace(value), " kB")
		if !isMemory {
			continue
		}
		kb, err := strconv.ParseFloat(amount, 64)
		if err != nil {
			return memory{}, fmt.Errorf("reading the operator's memory: %w", err)
		}
		found[name] = kb * 1024 / 1e6
	}
	m := memory{peak: found["VmHWM"], anon: found["RssAnon"]}
	if m.peak == 0 || m.anon == 0 {
		return m, errors.Join(lines.Err(), errors.New("the kernel doesn't say how much memory the operator has"))
	}
	return m, nil
}

// highest is the largest y of a curve; 0 of none.
func highest(curve []point) float64 {
	top := 0.0
	for _, p := range curve {
		top = max(top, p.y)
	}
	return top
}
