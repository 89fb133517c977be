package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/process"
)

// ErrStopped is what changes of a stopped server get.
var ErrStopped = errors.New("the server is stopped")

var errClosed = errors.New("the server is closed")

// Server is a process that is all of a service, and whose data is worth nothing without it.
type Server struct {
	Account
	// Dir is the data directory.
	Dir string
	// Socket is the path of the Unix socket, which only the account can reach.
	Socket string

	at     atomic.Pointer[engine.Endpoint]
	launch func(context.Context) error

	// changes serializes what changes the server, and guards what is below.
	changes sync.Mutex
	program *process.Program // nil while it is stopped
	closed  bool
}

// Prepare makes the data directory of a server, with the folder of its socket. After an error nothing is left.
func Prepare(run Account, spec engine.Spec, socketFile string) (*Server, error) {
	dir, err := run.Prepare(spec.DataDir)
	if err != nil {
		return nil, err
	}
	s := &Server{Account: run, Dir: dir}
	folder, err := SocketFolder(dir, socketFile)
	if err != nil {
		return nil, errors.Join(err, s.Close(context.Background()))
	}
	s.Socket = filepath.Join(folder, socketFile)
	if err := errors.Join(run.Own(folder), run.Certify(spec, s.Cert(), s.Key())); err != nil {
		return nil, errors.Join(err, s.Close(context.Background()))
	}
	return s, nil
}

// Path is that of a file or folder in the data directory.
func (s *Server) Path(name string) string { return filepath.Join(s.Dir, name) }

// Cert is the file of the server's certificate.
func (s *Server) Cert() string { return s.Path("server.crt") }

// Key is the file of the key to the certificate.
func (s *Server) Key() string { return s.Path("server.key") }

// Log is the file of all that the server prints.
func (s *Server) Log() string { return s.Path("server.log") }

// Launch runs the command on a free port until Stop or Close, and returns once the server is ready. Resume does it again.
func (s *Server) Launch(ctx context.Context, title string, command func(port int) *exec.Cmd, ready func(context.Context) error) error {
	s.launch = func(ctx context.Context) error {
		start := func(ports []int) (*process.Program, error) {
			return process.Launch(title, s.Log(), command(ports[0]), syscall.SIGKILL)
		}
		program, ports, err := process.OnFreePorts(ctx, 1, start, func(ctx context.Context, _ []int) error { return ready(ctx) })
		if err != nil {
			return err
		}
		s.program = program
		s.at.Store(&engine.Endpoint{Host: process.Loopback, Port: ports[0]})
		return nil
	}
	s.changes.Lock()
	defer s.changes.Unlock()
	return s.launch(ctx)
}

// Stop lets the process save its data, and ends it.
func (s *Server) Stop(ctx context.Context) error {
	s.changes.Lock()
	defer s.changes.Unlock()
	if s.program != nil {
		// More than once, since Stop kills a process a few seconds after the last signal, and saving can take longer.
		s.program.Stop(ctx, syscall.SIGTERM, syscall.SIGTERM, syscall.SIGTERM)
		s.program = nil
	}
	return nil
}

// Resume launches a stopped server again.
func (s *Server) Resume(ctx context.Context) error {
	s.changes.Lock()
	defer s.changes.Unlock()
	switch {
	case s.closed:
		return errClosed
	case s.program != nil:
		return nil
	}
	return s.launch(ctx)
}

// Endpoint is where clients connect to.
func (s *Server) Endpoint() engine.Endpoint {
	if at := s.at.Load(); at != nil {
		return *at
	}
	return engine.Endpoint{}
}

// Change does something that must not meet another change, or Close.
func (s *Server) Change(work func() error) error {
	s.changes.Lock()
	defer s.changes.Unlock()
	switch {
	case s.closed:
		return errClosed
	case s.program == nil:
		return ErrStopped
	}
	return work()
}

// Close kills the process, which has nothing to save, and removes the data directory.
func (s *Server) Close(ctx context.Context) error {
	s.changes.Lock()
	defer s.changes.Unlock()
	s.closed = true
	if s.program != nil {
		s.program.Stop(ctx)
	}
	err := os.RemoveAll(s.Dir)
	if s.Socket != "" {
		err = errors.Join(err, os.RemoveAll(filepath.Dir(s.Socket)))
	}
	if err != nil {
		return fmt.Errorf("removing the data directory: %w", err)
	}
	return nil
}
