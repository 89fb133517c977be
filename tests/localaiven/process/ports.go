package process

import (
	"context"
	"fmt"
	"net"
	"strings"
)

const (
	// Loopback is the address whose ports FreePorts finds.
	Loopback = "127.0.0.1"
	// PrivateLink is where servers listen besides, on the same ports: the other end of a PrivateLink connection. Linux has all of
	// 127.0.0.0/8; elsewhere it has to be added to the loopback interface.
	PrivateLink = "127.0.0.2"
)

// portAttempts bounds the search for ports that no other process takes meanwhile.
const portAttempts = 5

// FreePorts returns n ports of Loopback without a listener. Another process may
// take one before it is used: OnFreePorts tries again then.
func FreePorts(n int) ([]int, error) {
	ports := make([]int, 0, n)
	for range n {
		listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.ParseIP(Loopback)})
		if err != nil {
			return nil, fmt.Errorf("finding a free port: %w", err)
		}
		// Held until all are chosen, so that they differ.
		defer func() { _ = listener.Close() }()
		ports = append(ports, listener.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// OnFreePorts starts a server on n ports that were free a moment ago, and tries
// others if another process was faster. It returns once the server is ready; one that
// doesn't get there is ended by the signal that it would get if we died.
func OnFreePorts(
	ctx context.Context, n int,
	start func(ports []int) (*Program, error),
	ready func(ctx context.Context, ports []int) error,
) (*Program, []int, error) {
	for attempt := 1; ; attempt++ {
		ports, err := FreePorts(n)
		if err != nil {
			return nil, nil, err
		}
		p, err := start(ports)
		if err != nil {
			return nil, nil, err
		}
		err = p.Await(ctx, func(ctx context.Context) error { return ready(ctx, ports) })
		if err == nil {
			return p, ports, nil
		}
		p.Stop(ctx, p.onParentDeath)
		log := strings.ToLower(strings.Join(p.Lines(tailLines), "\n"))
		if ctx.Err() != nil || attempt == portAttempts || !strings.Contains(log, "address already in use") {
			return nil, nil, err
		}
	}
}
