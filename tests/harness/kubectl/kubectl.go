// Package kubectl starts a kubectl that runs the short commands of a test in one process: three quarters of a command's processor time are
// the start of the program.
package kubectl

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/aero-operator/aero/tests/harness/controlplane"
	"github.com/aero-operator/aero/tests/localaiven/process"
)

const (
	// listenerEnv makes kubectl a server: it is the number of a file, the listener. serverEnv is where kubectlclient finds the server.
	// Both, and the network, are those of internal/serve, which is in the module of the control plane.
	listenerEnv, serverEnv = "KUBECTL_LISTENER", "KUBECTL_SERVER"
	// network keeps the borders of messages.
	network = "unixpacket"
	// stopTime bounds the end of a server.
	stopTime = 10 * time.Second
)

// Server is a kubectl that runs commands.
type Server struct {
	program *process.Program
	folder  string // of the socket
}

// Serve starts a server that writes to a log what no command prints. A folder of the search path gets its kubectl. The environment is that
// of its commands: kubectl reads HOME only as it starts. Where there is no server, as it needs Linux, the folder gets kubectl itself.
func Serve(folder, log string, environment []string) (*Server, error) {
	assets, err := controlplane.FindAssets()
	if err != nil {
		return nil, err
	}
	program, s := filepath.Join(assets, "kubectl"), &Server{}
	if runtime.GOOS != "linux" {
		return s, os.Symlink(program, filepath.Join(folder, "kubectl"))
	}
	if _, err := os.Stat(program + "client"); err != nil {
		return nil, fmt.Errorf("no kubectlclient in %s: run `make build`", assets)
	}
	if err := os.Symlink(program+"client", filepath.Join(folder, "kubectl")); err != nil {
		return nil, fmt.Errorf("linking kubectl: %w", err)
	}
	// The path of a socket has at most 107 bytes: the folder of a test may have more.
	if s.folder, err = os.MkdirTemp("", "kubectl-"); err != nil {
		return nil, fmt.Errorf("a folder for kubectl's socket: %w", err)
	}
	if err := s.start(program, log, environment); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.folder))
	}
	return s, nil
}

// start has the server listen before it runs: a client that is early waits.
func (s *Server) start(program, log string, environment []string) error {
	listener, err := net.ListenUnix(network, &net.UnixAddr{Name: s.socket(), Net: network})
	if err != nil {
		return err
	}
	listener.SetUnlinkOnClose(false)
	file, err := listener.File()
	if err := errors.Join(err, listener.Close()); err != nil {
		return err
	}
	command := exec.Command(program)
	command.ExtraFiles = []*os.File{file} // is number 3 there
	// The heap is garbage after each command.
	command.Env = append(slices.Clone(environment), listenerEnv+"=3", "GOGC=400")
	s.program, err = process.Launch("kubectl", log, command, syscall.SIGKILL)
	return errors.Join(err, file.Close())
}

func (s *Server) socket() string { return filepath.Join(s.folder, "socket") }

// Environment is what commands need to reach the server.
func (s *Server) Environment() string { return serverEnv + "=" + s.socket() }

// Stop ends the server, and removes its socket.
func (s *Server) Stop() error { return errors.Join(s.program.End(stopTime), os.RemoveAll(s.folder)) }
