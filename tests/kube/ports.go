package kube

import (
	"fmt"
	"net"
)

// loopback is where every server of the control plane listens.
const loopback = "127.0.0.1"

// freePorts returns n ports of loopback that nobody listens on. Somebody may
// take one before it is used: the caller tries again then.
func freePorts(n int) ([]int, error) {
	ports := make([]int, 0, n)
	for range n {
		listener, err := net.Listen("tcp", net.JoinHostPort(loopback, "0"))
		if err != nil {
			return nil, fmt.Errorf("finding a free port: %w", err)
		}
		// Held until all are chosen, so that they differ.
		defer func() { _ = listener.Close() }()
		ports = append(ports, listener.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}
