package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/lockeddir"
	"github.com/aero-operator/aero/tests/localaiven/process"
)

// demoEnv makes the test program the demo.
const demoEnv = "AERO_TEST_IS_DEMO"

// limit bounds every wait.
const limit = 30 * time.Second

func TestMain(m *testing.M) {
	if os.Getenv(operatorEnv) != "" {
		playOperator(os.Args[1:])
	}
	if os.Getenv(demoEnv) != "" {
		main()
		os.Exit(0)
	}
	// So that what a demo leaves behind becomes a child of this process, in which the tests see it.
	if err := adoptOrphans(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// Stand-ins for the programs. Sleeping ends at the first SIGTERM, as theirs does.
const (
	sleeps = "exec sleep 1000\n"
	plane  = `case " $* " in *" --kubeconfig "*) printf '%s\n' 'apiVersion: v1' 'kind: Config' 'current-context: x' \
  'contexts: [{name: x, context: {cluster: x, user: x}}]' 'clusters: [{name: x, cluster: {server: "http://127.0.0.1:9"}}]' \
  'users: [{name: x, user: {}}]' >"$2";; esac
echo ready
` + sleeps
	aiven = "echo ready http://127.0.0.1:9\n" + sleeps
)

// stageSet is a demo with stand-ins for its programs, in a process of its own.
type stageSet struct {
	t    *testing.T
	temp string // its folder for temporary files
	cmd  *exec.Cmd
	out  output
	code chan int
}

func newStageSet(t *testing.T, programs map[string]string, flags ...string) *stageSet {
	root := t.TempDir()
	s := &stageSet{t: t, temp: t.TempDir(), code: make(chan int, 1)}
	for _, part := range []string{"config/crd/bases", "docs/examples", "bin/k8s", "bin/debug"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, part), 0o755))
	}
	for _, name := range []string{"controlplane", "localaiven", "manager", "k8s/kubectl", "dlv", "debug/manager"} {
		body, given := programs[name]
		if !given {
			body = sleeps
		}
		require.NoError(t, os.WriteFile(filepath.Join(root, "bin", name), []byte("#!/bin/sh\n"+body), 0o755))
	}
	self, err := os.Executable()
	require.NoError(t, err)
	s.cmd = exec.Command(self, append(flags, "--bin", filepath.Join(root, "bin"))...)
	s.cmd.Env = append(os.Environ(), demoEnv+"=1", "TMPDIR="+s.temp)
	s.cmd.Stdout, s.cmd.Stderr = &s.out, &s.out
	require.NoError(t, s.cmd.Start())
	go func() {
		// How it ended is in the exit code.
		_ = s.cmd.Wait()
		s.code <- s.cmd.ProcessState.ExitCode()
	}()
	return s
}

// running waits until a program with this name belongs to the demo.
func (s *stageSet) running(name string) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		logs, err := filepath.Glob(filepath.Join(s.temp, "aero-demo-*", name+".log"))
		return err == nil && len(logs) == 1
	}, limit, 10*time.Millisecond)
}

func (s *stageSet) end() int {
	s.t.Helper()
	select {
	case code := <-s.code:
		return code
	case <-time.After(limit):
		s.t.Fatal("the demo didn't end")
		return 0
	}
}

// nothingLeft fails where a process or a file is left.
func (s *stageSet) nothingLeft() {
	s.t.Helper()
	left, _, err := descendants()
	require.NoError(s.t, err)
	assert.Empty(s.t, left, "processes")
	files, err := os.ReadDir(s.temp)
	require.NoError(s.t, err)
	assert.Empty(s.t, files, "files")
}

func TestASignalAtAnyMomentLeavesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		programs map[string]string
		waitFor  string
	}{
		"while the control plane starts": {nil, "controlplane"},
		"while the local Aiven starts":   {map[string]string{"controlplane": plane}, "localaiven"},
		"while the operator starts":      {map[string]string{"controlplane": plane, "localaiven": aiven}, "manager"},
	} {
		for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			t.Run(name+" "+signal.String(), func(t *testing.T) {
				s := newStageSet(t, c.programs)
				s.running(c.waitFor)
				require.NoError(t, s.cmd.Process.Signal(signal))
				assert.Equal(t, process.ExitInterrupted, s.end())
				assert.Contains(t, s.out.String(), "Interrupted")
				s.nothingLeft()
			})
		}
	}
}

func TestAProgramThatDiesEndsTheDemoWithItsLastWords(t *testing.T) {
	s := newStageSet(t, map[string]string{"controlplane": plane, "localaiven": "echo no port is free >&2\nexit 3\n"})
	assert.Equal(t, exitFailed, s.end())
	assert.Contains(t, s.out.String(), "the local Aiven ended by itself (exit status 3)")
	assert.Contains(t, s.out.String(), "no port is free")
	s.nothingLeft()
}

func TestAGrandchildThatIsLeftAloneIsFoundAndKilled(t *testing.T) {
	s := newStageSet(t, map[string]string{"controlplane": plane, "localaiven": "setsid sleep 1000 &\n" + aiven})
	s.running("manager")
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGINT))
	assert.Equal(t, process.ExitInterrupted, s.end())
	assert.Contains(t, s.out.String(), "sleep had to be killed")
	s.nothingLeft()
}

func TestTheProgramsDieWithADemoThatIsKilled(t *testing.T) {
	s := newStageSet(t, map[string]string{"controlplane": plane, "localaiven": aiven})
	s.running("manager")
	require.NoError(t, s.cmd.Process.Kill())
	s.end()
	require.Eventually(t, func() bool {
		left, _, err := descendants()
		return err == nil && len(left) == 0
	}, limit, 10*time.Millisecond)
}

func TestACommandEndsWithTheDemoTogetherWithItsPipeline(t *testing.T) {
	root := t.TempDir()
	d := &demo{options: options{root: root}, scratch: &lockeddir.Folder{Path: t.TempDir()}}
	ctx, cancel := context.WithCancelCause(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := d.shell(ctx, "touch begun; sleep 1000 | sleep 1000")
		failed <- err
	}()
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(root, "begun"))
		return err == nil
	}, limit, 10*time.Millisecond)
	reason := errors.New("enough")
	cancel(reason)
	require.ErrorIs(t, <-failed, reason)
	require.Eventually(t, func() bool {
		left, _, err := descendants()
		return err == nil && len(left) == 0
	}, limit, 10*time.Millisecond)
}

func TestParseStat(t *testing.T) {
	for name, c := range map[string]struct {
		line    string
		program string
		parent  int
		alive   bool
	}{
		"an ordinary process":        {"17 (etcd) S 3 17 17", "etcd", 3, true},
		"a name that means mischief": {"17 (a) R 1 (b) S 3 17", "a) R 1 (b", 3, true},
		"a zombie":                   {"17 (etcd) Z 3 17 17", "", 0, false},
		"an empty file":              {"", "", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			program, parent, alive := parseStat([]byte(c.line))
			assert.Equal(t, c.program, strings.TrimSpace(program))
			assert.Equal(t, c.parent, parent)
			assert.Equal(t, c.alive, alive)
		})
	}
}
