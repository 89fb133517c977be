package process_test

import (
	"bufio"
	"context"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/process"
)

func TestStop(t *testing.T) {
	cases := map[string]struct {
		script  string
		signals []syscall.Signal
		hurry   bool
		state   string
	}{
		"a child ends at the first signal it heeds": {
			script: "trap 'exit 7' INT; echo up; while :; do read -r _; done", signals: []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}, state: "exit status 7",
		},
		"a child that ignores a signal gets the last one at once if the context is done": {
			script: "trap '' INT; trap 'exit 8' TERM; echo up; while :; do read -r _; done", signals: []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}, hurry: true, state: "exit status 8",
		},
		"without signals a child is killed": {
			script: "echo up; exec sleep 60", state: "signal: killed",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command("sh", "-c", tc.script)
			// What the scripts wait for: a line that never comes.
			_, err := cmd.StdinPipe()
			require.NoError(t, err)
			output, err := cmd.StdoutPipe()
			require.NoError(t, err)
			child, err := process.Start(cmd, syscall.SIGKILL)
			require.NoError(t, err)
			_, err = bufio.NewReader(output).ReadString('\n')
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if tc.hurry {
				cancel()
			}
			child.Stop(ctx, tc.signals...)
			assert.Equal(t, tc.state, child.State())
			child.Stop(ctx, tc.signals...)
		})
	}
}

func TestStartOfMissingProgram(t *testing.T) {
	_, err := process.Start(exec.Command("/no/such/program"), syscall.SIGKILL)
	require.ErrorContains(t, err, "starting /no/such/program")
}
