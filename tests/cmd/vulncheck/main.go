// Command vulncheck runs govulncheck on modules: it lists known vulnerabilities in code that the programs and the tests call.
//
//	vulncheck --govulncheck PROGRAM [--root DIR] [--db URL] MODULE...
//
// It ends with 3 if there are vulnerabilities, with 4 if the database can't be reached, which says nothing about the code, and with 1
// after any other error.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// The ends of a run. That for vulnerabilities is govulncheck's own.
const (
	exitFailed      = 1
	exitVulnerable  = 3
	exitUnreachable = 4
)

var (
	errVulnerable  = errors.New("there are vulnerabilities")
	errUnreachable = errors.New("the vulnerability database can't be reached, so nothing was checked")
)

// reachTimeout bounds the first request to the database.
const reachTimeout = 20 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout)
	if err != nil {
		fmt.Fprintf(os.Stderr, "vulncheck: %v\n", err)
	}
	os.Exit(exitCode(err))
}

func exitCode(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errVulnerable):
		return exitVulnerable
	case errors.Is(err, errUnreachable):
		return exitUnreachable
	default:
		return exitFailed
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("vulncheck", flag.ContinueOnError)
	program := flags.String("govulncheck", "", "`program` that checks a module")
	root := flags.String("root", "..", "`folder` of the project")
	database := flags.String("db", "https://vuln.go.dev", "`URL` of the vulnerability database, such as file:///srv/vulndb")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if err := reach(ctx, *database); err != nil {
		return fmt.Errorf("%w: %w", errUnreachable, err)
	}
	var found error
	for _, module := range flags.Args() {
		if _, err := fmt.Fprintf(out, "=== %s\n", module); err != nil {
			return err
		}
		switch err := check(ctx, *program, filepath.Join(*root, module), *database, out); {
		case errors.Is(err, errVulnerable):
			found = err // the other modules are checked, too
		case err != nil:
			return fmt.Errorf("checking %s: %w", module, err)
		}
	}
	return found
}

// reach reads the smallest file of a database. govulncheck would load all packages first.
func reach(ctx context.Context, database string) error {
	location, err := url.JoinPath(database, "index", "db.json")
	if err != nil {
		return err
	}
	client := &http.Client{Timeout: reachTimeout, Transport: transport()}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, location, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", location, response.Status)
	}
	return errors.Join(err, response.Body.Close())
}

// transport also reads a database in a folder.
func transport() http.RoundTripper {
	t := &http.Transport{Proxy: http.ProxyFromEnvironment}
	t.RegisterProtocol("file", http.NewFileTransport(http.Dir("/")))
	return t
}

func check(ctx context.Context, program, module, database string, out io.Writer) error {
	cmd := exec.CommandContext(ctx, program, "-db", database, "./...")
	cmd.Dir, cmd.Stdout, cmd.Stderr = module, out, out
	err := cmd.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.ExitCode() == exitVulnerable {
		return errVulnerable
	}
	return err
}
