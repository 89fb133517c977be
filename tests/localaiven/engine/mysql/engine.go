// Package mysql runs Aiven for MySQL services as servers of MariaDB on this machine.
//
// What is as at Aiven: clients connect over TLS only, to a server with a certificate of the project's CA. Every user made
// through the API has the privileges of avnadmin: all that it takes to work with any database and to make users, but nothing
// of the server's own, such as its files, its global variables and its end.
//
// What is simpler: MariaDB isn't MySQL, and whatever the version, it is the one installed. There, users log in by
// mysql_native_password. The tables of database mysql are open to users, as MariaDB can't leave one database out of privileges
// on all. A locale of a database means nothing. There is no replication.
package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os/exec"
	"os/user"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/daemon"
)

const missing = "MariaDB isn't installed: install the Debian package mariadb-server, or mariadb-server-core without a service of its own"

// servers are where the program can be. Debian has it in a folder that isn't in the PATH of ordinary users.
var servers = []string{"mariadbd", "/usr/sbin/mariadbd"}

// Engine starts servers. Get one with New; it is safe for concurrent use.
type Engine struct{ templates *daemon.Templates }

var _ engine.Engine = (*Engine)(nil)

// New returns an engine that uses what the machine has installed. Servers start faster from the second one on, so share
// an engine.
func New() *Engine { return &Engine{daemon.NewTemplates()} }

// Type is "mysql".
func (*Engine) Type() string { return "mysql" }

// Available is nil if MariaDB is installed, and the machine has a user to run it as.
func (*Engine) Available() error {
	if _, err := find(); err != nil {
		return err
	}
	if _, err := scripts(); err != nil {
		return err
	}
	_, err := account()
	return err
}

func account() (daemon.Account, error) { return daemon.Unprivileged("mysql", "nobody") }

func find() (string, error) {
	for _, name := range servers {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New(missing)
}

// Start runs a server without databases in the spec's data directory, which it creates if need be. Errors end with the
// last lines of the server's log.
func (e *Engine) Start(ctx context.Context, spec engine.Spec) (engine.Instance, error) {
	i, err := e.start(ctx, spec)
	if err != nil {
		return nil, fmt.Errorf("starting MySQL for %s/%s: %w", spec.Project, spec.Service, err)
	}
	return i, nil
}

func (e *Engine) start(ctx context.Context, spec engine.Spec) (*instance, error) {
	path, err := find()
	if err != nil {
		return nil, err
	}
	run, err := account()
	if err != nil {
		return nil, err
	}
	keeper, err := user.Current()
	if err != nil {
		return nil, fmt.Errorf("looking up the current user: %w", err)
	}
	s, err := daemon.Prepare(run, spec, "mysql.sock")
	if err != nil {
		return nil, err
	}
	i := &instance{Server: s, keeper: keeper.Username, admin: connect(s.Socket, keeper.Username)}
	if err := i.launch(ctx, e.templates, path, spec.Admin); err != nil {
		return nil, errors.Join(err, i.Close(context.WithoutCancel(ctx)))
	}
	return i, nil
}

// connect is the way in for the user of the operating system who runs this process. No other user gets to the socket, and
// the server knows that user there only.
func connect(socket, keeper string) *sql.DB {
	config := mysql.NewConfig()
	config.Net, config.Addr, config.User, config.Logger = "unix", socket, keeper, &mysql.NopLogger{}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		panic(err) // a configuration that depends on nothing
	}
	db := sql.OpenDB(connector)
	db.SetMaxIdleConns(1)
	return db
}

func (i *instance) launch(ctx context.Context, templates *daemon.Templates, path string, admin engine.Credential) error {
	file := i.Path("my.cnf")
	if err := errors.Join(i.Write(file, config(i.Server)), i.Mkdir(i.Path("tmp"))); err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	err := templates.Fill(ctx, i.Account, path, i.data(), func(ctx context.Context) error {
		return i.initialize(ctx, path, file)
	})
	if err != nil {
		return err
	}
	command := func(port int) *exec.Cmd {
		return i.Command(i.Dir, path, "--defaults-file="+file, "--port="+fmt.Sprint(port), "--sql-mode="+sqlMode)
	}
	if err := i.Launch(ctx, "MariaDB", command, i.admin.PingContext); err != nil {
		return err
	}
	return i.Users().Set(ctx, admin)
}

// initialize makes a data folder with the system's tables.
func (i *instance) initialize(ctx context.Context, path, file string) error {
	tables, err := scripts()
	if err != nil {
		return err
	}
	if err := i.Mkdir(i.data()); err != nil {
		return fmt.Errorf("making the data folder: %w", err)
	}
	cmd := i.Command(i.Dir, path, "--defaults-file="+file, "--bootstrap")
	cmd.Stdin = strings.NewReader("CREATE DATABASE mysql;\nUSE mysql;\nSET @auth_root_socket=" + literal(i.keeper) + ";\n" + tables)
	return daemon.Finish(ctx, cmd)
}
