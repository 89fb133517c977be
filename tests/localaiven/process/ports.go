package process

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
)

const (
	// Loopback is the address whose ports FreePorts finds.
	Loopback = "127.0.0.1"
	// PrivateLink is where servers listen besides, on the same ports, if HasPrivateLink: the other end of a PrivateLink connection.
	PrivateLink = "127.0.0.2"
)

// HasPrivateLink reports whether a server can listen on PrivateLink. On Linux the loopback interface has all of 127.0.0.0/8;
// elsewhere, on macOS say, it has 127.0.0.1 only, until a user adds the other address (ifconfig lo0 alias 127.0.0.2).
var HasPrivateLink = sync.OnceValue(func() bool {
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.ParseIP(PrivateLink)})
	if err != nil {
		return false
	}
	return listener.Close() == nil
})

// Addresses are where servers of more than one route listen: on Loopback and, if this machine has it, on PrivateLink.
func Addresses() []string {
	if HasPrivateLink() {
		return []string{Loopback, PrivateLink}
	}
	return []string{Loopback}
}

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
