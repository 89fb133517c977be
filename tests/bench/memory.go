package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// operatorMemory reads what the kernel counts for the operator, in MB: the most that was resident at any time, and what is
// resident now of the memory that it has allocated.
func (w *world) operatorMemory() (peak, anon float64, err error) {
	file, err := os.Open(fmt.Sprintf("/proc/%d/status", w.operator.Pid()))
	if err != nil {
		return 0, 0, fmt.Errorf("reading the operator's memory: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) != 3 || fields[2] != "kB" {
			continue
		}
		kb, err := strconv.ParseFloat(fields[1], 64)
		if err != nil {
			return 0, 0, fmt.Errorf("reading the operator's memory: %w", err)
		}
		switch fields[0] {
		case "VmHWM:":
			peak = kb * 1024 / 1e6
		case "RssAnon:":
			anon = kb * 1024 / 1e6
		}
	}
	return peak, anon, lines.Err()
}
