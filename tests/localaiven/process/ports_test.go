package process_test

import (
	"context"
	"net"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/process"
)

func TestOnFreePorts(t *testing.T) {
	const taken = "echo bind: Address already in use; exit 1"
	cases := map[string]struct {
		scripts  []string
		attempts int
		fails    string
	}{
		"a server that gets its ports is started once": {
			scripts: []string{"echo ready; exec sleep 60"}, attempts: 1,
		},
		"a server whose port is taken tries another": {
			scripts: []string{taken, "echo ready; exec sleep 60"}, attempts: 2,
		},
		"a server that fails otherwise is not tried again, and its log says why": {
			scripts: []string{"echo broken; exit 3"}, attempts: 1, fails: "broken",
		},
		"the search for ports ends": {
			scripts: []string{taken}, attempts: 5, fails: "in use",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			attempts := 0
			var p *process.Program
			start := func([]int) (*process.Program, error) {
				p = launch(t, tc.scripts[min(attempts, len(tc.scripts)-1)])
				attempts++
				return p, nil
			}
			got, ports, err := process.OnFreePorts(t.Context(), 2, start, func(context.Context, []int) error {
				if _, said := p.Ready(); !said {
					return errNotYet
				}
				return nil
			})
			assert.Equal(t, tc.attempts, attempts)
			if tc.fails != "" {
				require.ErrorContains(t, err, tc.fails)
				return
			}
			require.NoError(t, err)
			assert.Same(t, p, got)
			assert.Len(t, ports, 2)
		})
	}
}

func TestAServerThatDoesNotGetReadyIsEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var p *process.Program
	_, _, err := process.OnFreePorts(ctx, 1,
		func([]int) (*process.Program, error) {
			p = launch(t, "exec sleep 60")
			return p, nil
		},
		func(context.Context, []int) error {
			cancel()
			return errNotYet
		})
	require.ErrorIs(t, err, context.Canceled)
	assert.True(t, p.Ended())
}

func TestFreePortsDifferAndCanBeListenedOn(t *testing.T) {
	ports, err := process.FreePorts(20)
	require.NoError(t, err)
	seen := map[int]bool{}
	for _, port := range ports {
		assert.False(t, seen[port])
		seen[port] = true
		listener, err := net.Listen("tcp", net.JoinHostPort(process.Loopback, strconv.Itoa(port)))
		require.NoError(t, err)
		require.NoError(t, listener.Close())
	}
}
