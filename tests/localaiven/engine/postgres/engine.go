// Package postgres runs Aiven for PostgreSQL services as real PostgreSQL
// clusters on this machine, and their connection pools as PgBouncers.
//
// What is as at Aiven: clients connect over TLS only, with a certificate of the
// project's CA and a password; avnadmin may create roles and databases but is no
// superuser; each pool has a port of its own and is the only database there.
//
// What is simpler: every role may do anything in schema public of the databases
// made through the API, as it could before PostgreSQL 15. A service has the version
// it asks for only if the machine has it, else the newest one installed. A
// collation the machine lacks becomes C.UTF-8. A read replica has all roles and databases of its source, those of the
// engine included. A fork replays the WAL of its source in place of a backup and the WAL after it.
// A migration copies by pg_dump, also where Aiven would replicate, and copies no roles.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/daemon"
	"github.com/aero-operator/aero/tests/localaiven/process"
)

// host is where servers and pools listen.
const host = process.Loopback

// Engine starts PostgreSQL clusters. Get one with New; it is safe for concurrent use.
type Engine struct {
	templates *daemon.Templates
	// poolless warns, once, that there is no PgBouncer.
	poolless sync.Once
}

var _ engine.Engine = (*Engine)(nil)

// New returns an engine that uses what the machine has installed. Clusters
// start faster from the second one on, so share an engine.
func New() *Engine { return &Engine{templates: daemon.NewTemplates()} }

// Type is "pg".
func (*Engine) Type() string { return "pg" }

// Available is nil if PostgreSQL is installed, and the machine has a user to run it as.
// PgBouncer may be missing: see Pools.
func (*Engine) Available() error {
	if _, err := findPostgres(""); err != nil {
		return err
	}
	_, err := hostAccount()
	return err
}

// Start makes a fresh cluster in the spec's data directory, which it creates if need
// be. The directory must not hold a cluster yet. Started from the second time on, it
// takes well below a second. Errors end with the last lines of the server's log.
func (e *Engine) Start(ctx context.Context, spec engine.Spec) (engine.Instance, error) {
	c, err := e.start(ctx, spec)
	if err != nil {
		return nil, fmt.Errorf("starting PostgreSQL for %s/%s: %w", spec.Project, spec.Service, err)
	}
	return c, nil
}

func (e *Engine) start(ctx context.Context, spec engine.Spec) (*cluster, error) {
	bin, err := findPostgres(spec.Version)
	if err != nil {
		return nil, err
	}
	run, err := hostAccount()
	if err != nil {
		return nil, err
	}
	source, ok := spec.Source.(*cluster)
	if spec.Source != nil && !ok {
		return nil, errors.New("its source is none of PostgreSQL")
	}
	if source != nil {
		bin = source.bin // another version couldn't read the files
	}
	dir, err := run.Prepare(spec.DataDir)
	if err != nil {
		return nil, err
	}
	c := &cluster{engine: e, account: run, bin: bin, dir: dir, title: spec.Project + "/" + spec.Service, owner: spec.Admin.Username}
	c.pools = &pools{cluster: c, running: map[string]*bouncer{}}
	if err := c.launch(ctx, spec, source); err != nil {
		return nil, errors.Join(err, c.Close(context.WithoutCancel(ctx)))
	}
	return c, nil
}

// launch brings the cluster up. After an error, Close removes what it made.
func (c *cluster) launch(ctx context.Context, spec engine.Spec, source *cluster) error {
	if err := c.layOut(spec); err != nil {
		return err
	}
	if source != nil {
		if err := c.copy(ctx, source); err != nil {
			return err
		}
		return c.Resume(ctx)
	}
	if spec.Fork != nil {
		if err := c.fork(ctx, *spec.Fork); err != nil {
			return err
		}
	} else if err := c.initialize(ctx); err != nil {
		return err
	}
	if err := c.Resume(ctx); err != nil {
		return err
	}
	if spec.Fork != nil {
		return c.setAdmin(ctx, spec.Admin)
	}
	return c.bootstrap(ctx, spec.Admin)
}

// run starts the server on what is in the data folder.
func (c *cluster) run(ctx context.Context) error {
	if err := c.configure(); err != nil {
		return err
	}
	start := func(ports []int) (*process.Program, error) {
		cmd := c.account.Command(c.dir, filepath.Join(c.bin, "postgres"),
			"-D", c.files.data, "-c", "config_file="+c.files.conf(), "-p", fmt.Sprint(ports[0]))
		// On SIGQUIT the server ends its own processes before itself.
		return process.Launch("PostgreSQL", c.files.log, cmd, syscall.SIGQUIT)
	}
	ready := func(ctx context.Context, ports []int) error {
		c.at.Store(&engine.Endpoint{Host: host, Port: ports[0]})
		return c.ping(ctx)
	}
	server, _, err := process.OnFreePorts(ctx, 1, start, ready)
	if err != nil {
		return err
	}
	c.server, c.recovery = server, nil
	return nil
}

// hostAccount runs PostgreSQL and PgBouncer, which refuse to run as root.
func hostAccount() (daemon.Account, error) { return daemon.Unprivileged("postgres", "nobody") }

// initialize fills the data folder.
func (c *cluster) initialize(ctx context.Context) error {
	return c.engine.templates.Fill(ctx, c.account, c.bin, c.files.data, func(ctx context.Context) error {
		return daemon.Finish(ctx, c.account.Command(c.dir, filepath.Join(c.bin, "initdb"),
			"--pgdata", c.files.data, "--username", superuser, "--encoding", "UTF8", "--locale", fallbackLocale,
			"--auth", "reject", "--no-sync", "--no-instructions", "--wal-segsize", "1"))
	})
}

// layOut writes all files but PostgreSQL's own and its configuration.
func (c *cluster) layOut(spec engine.Spec) error {
	socket, err := daemon.SocketFolder(c.dir, ".s.PGSQL.65535")
	if err != nil {
		return err
	}
	c.files = newLayout(c.dir, socket)
	if err := c.account.Own(socket); err != nil {
		return fmt.Errorf("handing over the socket's folder: %w", err)
	}
	for _, folder := range []string{c.files.config, c.files.tls, c.files.pools} {
		if err := c.account.Mkdir(folder); err != nil {
			return fmt.Errorf("making a folder: %w", err)
		}
	}
	if err := c.account.Certify(spec, c.files.cert(), c.files.key()); err != nil {
		return err
	}
	self, err := currentUser()
	if err != nil {
		return err
	}
	for path, content := range map[string]string{
		c.files.hba():       accessRules(),
		c.files.ident():     identityMap(c.account.Name, self),
		c.files.authority(): spec.CA.CertPEM(),
	} {
		if err := c.account.Write(path, content); err != nil {
			return fmt.Errorf("writing the configuration: %w", err)
		}
	}
	return nil
}
