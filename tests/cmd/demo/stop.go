package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aero-operator/aero/tests/localaiven/process"
)

const (
	// stopTime is what a program gets for a clean end.
	stopTime = 30 * time.Second
	// settling is what processes without a parent get to notice it, and the kernel to end what was killed.
	settling = 5 * time.Second
)

// stop ends what was started, last things first, and proves that nothing is left. It pays no attention to signals: there is
// nothing better to do.
func (d *demo) stop() error {
	if d.scratch == nil {
		return nil
	}
	d.heading("Stop, and check for leftovers")
	err := errors.Join(d.count(), d.stopChildren(), reap(), d.scratch.Close())
	if err != nil {
		return err
	}
	if _, err := os.Stat(d.scratch.Path); !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s still exists", d.scratch.Path)
	}
	if len(d.seen) > 0 {
		d.good("%d processes are gone: %s", len(d.seen), names(d.seen))
	}
	d.good("The folder %s is gone", d.scratch.Path)
	return nil
}

// names lists the programs behind processes.
func names(processes map[int]string) string {
	return strings.Join(slices.Compact(slices.Sorted(maps.Values(processes))), ", ")
}

// stopChildren stops the operator first: it must not see Aiven or Kubernetes disappear.
func (d *demo) stopChildren() error {
	var children []*process.Program
	for _, c := range []*process.Program{d.operator, d.aiven, d.plane} {
		if c != nil {
			children = append(children, c)
		}
	}
	var mu sync.Mutex
	var errs []error
	stopped := 0
	go func() {
		for _, c := range children {
			err := c.End(stopTime)
			mu.Lock()
			errs = append(errs, err)
			stopped++
			mu.Unlock()
		}
	}()
	err := d.await(context.Background(), time.Duration(len(children)+1)*stopTime, func(context.Context) ([]row, error) {
		mu.Lock()
		defer mu.Unlock()
		r := row{name: "Stopping", done: stopped == len(children), state: "done"}
		if !r.done {
			r.state = children[stopped].Title
		}
		return []row{r}, nil
	})
	mu.Lock()
	defer mu.Unlock()
	return errors.Join(append(errs, err)...)
}

// reap waits for descendants that have outlived the programs, and kills those that don't end by themselves.
func reap() error {
	left, err := outlast(settling)
	if err != nil || len(left) == 0 {
		return err
	}
	err = errors.Join(fmt.Errorf("%s had to be killed", names(left)), kill(left))
	_, waited := outlast(settling)
	return errors.Join(err, waited)
}

// outlast waits until no descendant is alive, but not forever; it returns those that still are.
func outlast(limit time.Duration) (left map[int]string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	err = until(ctx, checkInterval/4, func() (err error) {
		if left, _, err = descendants(); err == nil && len(left) > 0 {
			return errUnfinished
		}
		return err
	})
	if errors.Is(err, context.DeadlineExceeded) {
		err = nil
	}
	return left, err
}
