package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"

	"github.com/aero-operator/aero/tests/localaiven/process"
)

// wire stands between the operator and the local Aiven. It passes on every byte, and counts the connections: opening one
// to the real Aiven takes longer than most calls.
type wire struct {
	URL string // where the operator calls

	listener net.Listener
	target   string // host and port of the local Aiven
	opened   atomic.Int64
}

// newWire listens on a free port.
func newWire(ctx context.Context, target string) (*wire, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", process.Loopback+":0")
	if err != nil {
		return nil, fmt.Errorf("listening for the operator: %w", err)
	}
	w := &wire{URL: "http://" + listener.Addr().String(), listener: listener, target: target}
	go w.serve(ctx)
	return w, nil
}

// serve ends with the listener.
func (w *wire) serve(ctx context.Context) {
	for {
		near, err := w.listener.Accept()
		if err != nil {
			return
		}
		w.opened.Add(1)
		go w.join(ctx, near)
	}
}

// join copies in both directions until one side has enough. What went wrong meanwhile the operator notices by itself.
func (w *wire) join(ctx context.Context, near net.Conn) {
	defer func() { _ = near.Close() }()
	far, err := (&net.Dialer{}).DialContext(ctx, "tcp", w.target)
	if err != nil {
		return
	}
	defer func() { _ = far.Close() }()
	ended := make(chan struct{}, 2)
	for _, ends := range [][2]net.Conn{{near, far}, {far, near}} {
		go func() {
			_, _ = io.Copy(ends[0], ends[1])
			ended <- struct{}{}
		}()
	}
	<-ended
}

// connections is how many were opened so far.
func (w *wire) connections() int64 { return w.opened.Load() }

// Close lets no further connection in; those that are open end with the operator. A nil wire is closed.
func (w *wire) Close() error {
	if w == nil {
		return nil
	}
	if err := w.listener.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("closing the wire: %w", err)
	}
	return nil
}
