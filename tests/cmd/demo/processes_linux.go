package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// adoptOrphans makes this process the parent of descendants whose own parent has died, so that none gets out of sight.
func adoptOrphans() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("adopting orphans: %w", err)
	}
	return nil
}

// descendants are the living processes that this one has started, directly or not, by id. The second result reports whether
// this system can list them.
func descendants() (map[int]string, bool, error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, true, fmt.Errorf("listing processes: %w", err)
	}
	names, children := map[int]string{}, map[int][]int{}
	for _, path := range stats {
		// A process may end at any time, and its file with it.
		content, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			return nil, true, fmt.Errorf("reading %s: %w", path, err)
		}
		if name, parent, alive := parseStat(content); alive {
			names[pid] = cmp.Or(program(pid), name)
			children[parent] = append(children[parent], pid)
		}
	}
	found := map[int]string{}
	for queue := children[os.Getpid()]; len(queue) > 0; queue = queue[1:] {
		found[queue[0]] = names[queue[0]]
		queue = append(queue, children[queue[0]]...)
	}
	return found, true, nil
}

// program is the name of the program that a process runs, or "" if it is just ending. The kernel's own name for it is cut at
// 15 characters, and PostgreSQL's processes describe themselves there.
func program(pid int) string {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil || len(content) == 0 {
		return ""
	}
	name, _, _ := strings.Cut(string(content), "\x00")
	name, _, _ = strings.Cut(name, ": ")
	return filepath.Base(name)
}

// parseStat reads name and parent from a line such as "17 (some name) S 3 ...". The name can hold anything. A zombie is
// not alive: it has ended, and only waits for its parent to ask how.
func parseStat(line []byte) (string, int, bool) {
	begin, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if begin < 0 || end < begin {
		return "", 0, false
	}
	fields := strings.Fields(string(line[end+1:]))
	if len(fields) < 2 || fields[0] == "Z" || fields[0] == "X" {
		return "", 0, false
	}
	parent, err := strconv.Atoi(fields[1])
	return string(line[begin+1 : end]), parent, err == nil
}

// kill ends processes at once.
func kill(pids map[int]string) error {
	var errs []error
	for pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			errs = append(errs, fmt.Errorf("killing process %d: %w", pid, err))
		}
	}
	return errors.Join(errs...)
}
