package serve

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
)

// Server runs commands.
type Server struct {
	// Run runs the command that os.Args, the environment, the working folder and the standard files describe, and returns its exit code.
	Run func() int

	running sync.Mutex
	own     [files]int // what the standard files of the process are between commands
}

// Serve answers clients of a listener, which is a file of this process, until the process ends.
func (s *Server) Serve(file *os.File) error {
	inherited, err := net.FileListener(file)
	if err != nil {
		return fmt.Errorf("the listener: %w", err)
	}
	listener, ok := inherited.(*net.UnixListener)
	if !ok {
		return fmt.Errorf("the listener has network %s, want %s", inherited.Addr().Network(), network)
	}
	for standard := range s.own {
		if s.own[standard], err = syscall.Dup(standard); err != nil {
			return err
		}
		syscall.CloseOnExec(s.own[standard])
	}
	// A command whose reader has gone ends with an error, and the process goes on.
	signal.Ignore(syscall.SIGPIPE)
	for {
		connection, err := listener.AcceptUnix()
		if err != nil {
			return err
		}
		go func() {
			defer func() { _ = connection.Close() }()
			if err := s.answer(connection); err != nil {
				fmt.Fprintln(os.Stderr, "serving a command:", err)
			}
		}()
	}
}

func (s *Server) answer(connection *net.UnixConn) error {
	var c command
	descriptors, err := receive(connection, &c)
	release := sync.OnceFunc(func() {
		for _, d := range descriptors {
			_ = syscall.Close(d)
		}
	})
	defer release()
	if err != nil {
		return err
	}
	if len(descriptors) != files {
		return fmt.Errorf("%d files came with a command, want %d", len(descriptors), files)
	}
	if !s.running.TryLock() {
		return send(connection, answer{Occupied: true})
	}
	defer s.running.Unlock()
	if err := become(c, descriptors); err != nil {
		return errors.Join(err, setStandard(s.own[:]))
	}
	release() // readers of what the command prints wait for the last writer
	code := s.Run()
	return errors.Join(setStandard(s.own[:]), send(connection, answer{Code: code}))
}

// become gives the process what the command would have been started with.
func become(c command, descriptors []int) error {
	os.Args = c.Args
	os.Clearenv()
	for _, variable := range c.Environment {
		if name, value, _ := strings.Cut(variable, "="); name != "" {
			if err := os.Setenv(name, value); err != nil {
				return err
			}
		}
	}
	return errors.Join(os.Chdir(c.Folder), setStandard(descriptors))
}

// setStandard makes files the input, the output and that for errors.
func setStandard(descriptors []int) error {
	for standard, d := range descriptors {
		if err := syscall.Dup3(d, standard, 0); err != nil {
			return err
		}
	}
	return nil
}
