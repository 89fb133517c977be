package kube

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

const (
	// stopTimeout bounds a clean stop; what still runs then is killed.
	stopTimeout = 30 * time.Second
	// tailBytes and tailLines bound what an error shows of a program's log.
	tailBytes = 16 << 10
	tailLines = 15
)

// process is one running child.
type process struct {
	name    string
	logPath string
	cmd     *exec.Cmd
	exited  chan struct{} // closed once the child is gone
	exitErr error         // how it went; read after exited
}

// launch starts a program of the assets folder with its output in logDir.
func launch(program, logDir string, args []string) (*process, error) {
	name := filepath.Base(program)
	p := &process{name: name, logPath: filepath.Join(logDir, name+".log"), exited: make(chan struct{})}
	logFile, err := os.OpenFile(p.logPath, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the log of %s: %w", name, err)
	}
	p.cmd = exec.Command(program, args...)
	p.cmd.Stdout, p.cmd.Stderr = logFile, logFile
	p.cmd.SysProcAttr = childAttributes()

	started := make(chan error, 1)
	go func() {
		defer close(p.exited)
		defer func() { _ = logFile.Close() }()
		// Linux ends the child together with the thread that started it, not
		// with the process. So this thread is kept, for this goroutine alone,
		// as long as the child lives.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			p.exitErr = p.cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	return p, nil
}

// await polls check until it succeeds. It fails when the child is gone, when
// ctx is done, or after limit.
func (p *process) await(ctx context.Context, limit time.Duration, check func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := check(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-p.exited:
			return p.death()
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w: %w%s", p.name, ctx.Err(), err, p.tail())
		case <-ticker.C:
		}
	}
}

// death is the error of a child that ended on its own. Valid after exited.
func (p *process) death() error {
	how := "status 0"
	if p.exitErr != nil {
		how = p.exitErr.Error()
	}
	return fmt.Errorf("%s ended by itself (%s)%s", p.name, how, p.tail())
}

// stop asks the child to end and waits until it has.
func (p *process) stop() error {
	select {
	case <-p.exited:
		return p.death()
	default:
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("stopping %s: %w", p.name, err)
	}
	timeout := time.NewTimer(stopTimeout)
	defer timeout.Stop()
	select {
	case <-p.exited:
		return nil
	case <-timeout.C:
	}
	if err := p.cmd.Process.Kill(); err != nil {
		return fmt.Errorf("killing %s: %w", p.name, err)
	}
	<-p.exited
	return fmt.Errorf("%s had to be killed: it didn't stop within %s%s", p.name, stopTimeout, p.tail())
}

// tail is the end of the child's log, ready to be put behind an error.
func (p *process) tail() string {
	file, err := os.Open(p.logPath)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	if info, err := file.Stat(); err == nil && info.Size() > tailBytes {
		if _, err := file.Seek(-tailBytes, io.SeekEnd); err != nil {
			return ""
		}
	}
	content, err := io.ReadAll(file)
	if err != nil || len(bytes.TrimSpace(content)) == 0 {
		return ""
	}
	lines := strings.Split(strings.TrimRight(string(content), "\n"), "\n")
	lines = lines[max(0, len(lines)-tailLines):]
	return fmt.Sprintf("\nlast lines of %s:\n  %s", p.logPath, strings.Join(lines, "\n  "))
}
