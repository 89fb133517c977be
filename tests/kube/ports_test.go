package kube

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// server is a program that fails where its port (the first argument) is the
// forbidden one (the second), as a server does whose port is taken.
const server = `#!/bin/sh
[ "$1" = "$2" ] && { echo "listen tcp 127.0.0.1:$1: bind: address already in use"; exit 1; }
exec sleep 60
`

func TestAProgramWhosePortIsTakenStartsOnAnother(t *testing.T) {
	program := filepath.Join(t.TempDir(), "server")
	require.NoError(t, os.WriteFile(program, []byte(server), 0o700))
	data, err := openDataDir(t.TempDir())
	require.NoError(t, err)
	c := &ControlPlane{data: data, done: make(chan struct{})}
	var first int
	ports, err := c.startOnPorts(t.Context(), program, 1,
		func(ports []int) []string {
			if first == 0 {
				first = ports[0]
			}
			return []string{strconv.Itoa(ports[0]), strconv.Itoa(first)}
		},
		func(_ context.Context, ports []int) error {
			if ports[0] == first {
				return assert.AnError
			}
			return nil
		})
	require.NoError(t, err)
	assert.NotEqual(t, first, ports[0])
	require.NoError(t, c.Stop())
}

func TestFreePortsDifferAndCanBeListenedOn(t *testing.T) {
	ports, err := freePorts(20)
	require.NoError(t, err)
	seen := map[int]bool{}
	for _, port := range ports {
		assert.False(t, seen[port])
		seen[port] = true
		listener, err := net.Listen("tcp", net.JoinHostPort(loopback, strconv.Itoa(port)))
		require.NoError(t, err)
		require.NoError(t, listener.Close())
	}
}
