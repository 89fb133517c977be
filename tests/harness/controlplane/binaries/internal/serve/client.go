package serve

import (
	"fmt"
	"net"
	"os"
)

// Forward has the server at the path run the command of this process, and returns its exit code. It isn't done where the server is
// occupied.
func Forward(path string) (code int, done bool, err error) {
	connection, err := net.DialUnix(network, nil, &net.UnixAddr{Name: path, Net: network})
	if err != nil {
		return 0, false, err
	}
	defer func() { _ = connection.Close() }()
	folder, err := os.Getwd()
	if err != nil {
		return 0, false, err
	}
	if err := send(connection, command{Args: os.Args, Environment: os.Environ(), Folder: folder}, 0, 1, 2); err != nil {
		return 0, false, fmt.Errorf("sending a command: %w", err)
	}
	var a answer
	if _, err := receive(connection, &a); err != nil {
		return 0, false, fmt.Errorf("the server ended during the command: %w", err)
	}
	return a.Code, !a.Occupied, nil
}
