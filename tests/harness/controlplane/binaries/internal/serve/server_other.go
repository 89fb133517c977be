//go:build !linux

package serve

import (
	"errors"
	"os"
)

// Server runs commands.
type Server struct{ Run func() int }

// Serve needs Linux.
func (*Server) Serve(*os.File) error { return errors.ErrUnsupported }
