// Command localaiven serves a local Aiven until SIGTERM or SIGINT. See package localaiven.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/aero-operator/aero/tests/localaiven"
)

// shutdownTime is what calls in flight get to finish.
const shutdownTime = 2 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "localaiven:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	c, err := parse(args)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", c.listen)
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	aiven, err := localaiven.New(c.options)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	server := &http.Server{Handler: aiven, ReadHeaderTimeout: 10 * time.Second}
	logging, stopLogging := context.WithCancel(ctx)
	defer stopLogging()
	go (&progress{log: c.options.Log}).follow(logging, aiven.Services)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	if _, err := fmt.Fprintf(out, "ready http://%s\n", listener.Addr()); err != nil {
		return fmt.Errorf("saying ready: %w", err)
	}
	select {
	case err := <-served:
		return errors.Join(fmt.Errorf("serving: %w", err), aiven.Close())
	case <-ctx.Done():
	}
	return errors.Join(shutdown(server), aiven.Close())
}

// shutdown ends the calls that take too long, such as those that a fault holds.
func shutdown(server *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return server.Close()
	}
	return nil
}
