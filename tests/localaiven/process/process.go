// Package process runs child processes that can't outlive this one: the kernel
// signals them when this process ends, be it by SIGKILL.
package process

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// grace is how long Stop waits for a child before it sends the next signal.
const grace = 5 * time.Second

// launches runs functions on one OS thread that lives as long as the process.
// Linux sends the parent death signal when the THREAD that forked ends, and Go
// ends threads at will.
var launches = sync.OnceValue(func() chan<- func() {
	queue := make(chan func())
	go func() {
		runtime.LockOSThread()
		for launch := range queue {
			launch()
		}
	}()
	return queue
})

// Process is a running or ended child. It is safe for concurrent use.
type Process struct {
	cmd           *exec.Cmd
	onParentDeath syscall.Signal
	done          chan struct{}
}

// Start runs the command in a process group of its own, so that a Ctrl-C in the
// terminal reaches only this process, which then stops its children in order.
// On Linux the child gets onParentDeath once this process has ended.
func Start(cmd *exec.Cmd, onParentDeath syscall.Signal) (*Process, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	setParentDeathSignal(cmd.SysProcAttr, onParentDeath)

	started := make(chan error)
	launches() <- func() { started <- cmd.Start() }
	if err := <-started; err != nil {
		return nil, fmt.Errorf("starting %s: %w", cmd.Path, err)
	}
	p := &Process{cmd: cmd, onParentDeath: onParentDeath, done: make(chan struct{})}
	go func() {
		// How it ended shows in cmd.ProcessState.
		_ = cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// Done is closed once the child has ended and was reaped.
func (p *Process) Done() <-chan struct{} { return p.done }

// Ended reports whether the child has ended and was reaped.
func (p *Process) Ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Pid is its number.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// State is how the child ended, such as "exit status 1". Call it after Done.
func (p *Process) State() string { return p.cmd.ProcessState.String() }

// ExitCode is its exit code, -1 for one that a signal ended. Call it after Done.
func (p *Process) ExitCode() int { return p.cmd.ProcessState.ExitCode() }

// Signal sends a signal to the child, unless it has ended.
func (p *Process) Signal(signal syscall.Signal) {
	// The only failure is a child that has just ended.
	_ = p.cmd.Process.Signal(signal)
}

// Stop sends the signals in turn, waiting a few seconds after each, and in the
// end kills the whole process group. It returns once the child has ended. If ctx is done,
// Stop proceeds to the last signal right away.
func (p *Process) Stop(ctx context.Context, signals ...syscall.Signal) {
	for i, signal := range signals {
		hurry := ctx.Done()
		if i == len(signals)-1 {
			hurry = nil
		}
		p.Signal(signal)
		select {
		case <-p.done:
			return
		case <-hurry:
		case <-time.After(grace):
		}
	}
	if p.Ended() {
		return
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.done
}
