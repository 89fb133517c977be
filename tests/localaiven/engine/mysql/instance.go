package mysql

import (
	"context"
	"crypto/sha1"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/daemon"
)

// privileges are those of avnadmin at Aiven, and of every user made through its API.
const privileges = "SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, RELOAD, PROCESS, REFERENCES, INDEX, ALTER, SHOW DATABASES, " +
	"CREATE TEMPORARY TABLES, LOCK TABLES, EXECUTE, REPLICATION SLAVE, REPLICATION CLIENT, CREATE VIEW, SHOW VIEW, " +
	"CREATE ROUTINE, ALTER ROUTINE, CREATE USER, EVENT, TRIGGER"

// noSuchThread is the number of the error for a session that has ended.
const noSuchThread = 1094

// instance is one running service.
type instance struct {
	*daemon.Server
	// keeper is the name of the user that the engine works as.
	keeper string
	admin  *sql.DB
}

var _ engine.Instance = (*instance)(nil)

func (i *instance) data() string { return i.Path("data") }

// Users are the users of the server, whatever host they come from.
func (i *instance) Users() engine.Users { return users{i} }

// Databases are the databases of the server, without its own.
func (i *instance) Databases() engine.Databases { return databases{i} }

// Pools are none.
func (*instance) Pools() engine.Pools { return nil }

// Stop lets the server save what it holds, and end.
func (i *instance) Stop(ctx context.Context) error {
	// A session that outlives the server couldn't be closed well later.
	i.admin.SetMaxIdleConns(0)
	defer i.admin.SetMaxIdleConns(1)
	return i.Server.Stop(ctx)
}

// Close ends the server, and with it all that it held.
func (i *instance) Close(ctx context.Context) error {
	return errors.Join(i.admin.Close(), i.Server.Close(ctx))
}

// execute runs statements, one caller at a time.
func (i *instance) execute(ctx context.Context, statements ...string) error {
	return i.Change(func() error { return i.run(ctx, statements...) })
}

func (i *instance) run(ctx context.Context, statements ...string) error {
	for _, statement := range statements {
		if _, err := i.admin.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

type users struct{ *instance }

// Set implements engine.Users. The password is never in a statement, only what the server keeps of it.
func (u users) Set(ctx context.Context, user engine.Credential) error {
	err := reserved(user.Username)
	if err == nil {
		name := identifier(user.Username) + "@`%`"
		grant := "GRANT " + privileges + " ON *.* TO " + name + " WITH GRANT OPTION"
		if user.Password == "" { // which fails where there is no such user
			err = u.execute(ctx, "ALTER USER "+name+" ACCOUNT UNLOCK", grant)
		} else {
			login := " IDENTIFIED VIA mysql_native_password USING " + literal(digest(user.Password))
			err = u.execute(ctx, "CREATE USER IF NOT EXISTS "+name+login, "ALTER USER "+name+login, grant)
		}
	}
	if err != nil {
		return fmt.Errorf("setting user %s: %w", user.Username, err)
	}
	return nil
}

// Remove implements engine.Users. The sessions of the user end.
func (u users) Remove(ctx context.Context, name string) error {
	err := reserved(name)
	if err == nil {
		err = u.Change(func() error {
			// First of all, or a client that reconnects at once would be back before the end.
			if err := u.run(ctx, "DROP USER IF EXISTS "+identifier(name)+"@`%`"); err != nil {
				return err
			}
			return u.kill(ctx, name)
		})
	}
	if err != nil {
		return fmt.Errorf("removing user %s: %w", name, err)
	}
	return nil
}

// kill ends the sessions of a user, but not those at the socket: the user of the operating system may have the same name.
func (u users) kill(ctx context.Context, name string) error {
	rows, err := u.admin.QueryContext(ctx, "SELECT id FROM information_schema.processlist WHERE host <> 'localhost' AND user = "+literal(name))
	if err != nil {
		return err
	}
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return errors.Join(err, rows.Close())
		}
		ids = append(ids, id)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, id := range ids {
		var refusal *mysql.MySQLError
		err := u.run(ctx, fmt.Sprintf("KILL HARD %d", id))
		if err != nil && (!errors.As(err, &refusal) || refusal.Number != noSuchThread) {
			return err
		}
	}
	return nil
}

// reserved refuses the names of users that are the server's.
func reserved(name string) error { return refuse(name, "root", "mysql", "mariadb.sys", "PUBLIC") }

type databases struct{ *instance }

// Set implements engine.Databases. A database has no locale.
func (d databases) Set(ctx context.Context, name, _, _ string) error {
	err := system(name)
	if err == nil {
		err = d.execute(ctx, "CREATE DATABASE IF NOT EXISTS "+identifier(name))
	}
	if err != nil {
		return fmt.Errorf("setting database %s: %w", name, err)
	}
	return nil
}

// Remove implements engine.Databases.
func (d databases) Remove(ctx context.Context, name string) error {
	err := system(name)
	if err == nil {
		err = d.execute(ctx, "DROP DATABASE IF EXISTS "+identifier(name))
	}
	if err != nil {
		return fmt.Errorf("removing database %s: %w", name, err)
	}
	return nil
}

// system refuses the names of databases that are the server's.
func system(name string) error {
	return refuse(name, "mysql", "information_schema", "performance_schema", "sys")
}

func refuse(name string, reserved ...string) error {
	switch {
	case name == "" || slices.ContainsFunc(reserved, func(r string) bool { return strings.EqualFold(r, name) }):
		return fmt.Errorf("the name %q is reserved", name)
	case strings.ContainsAny(name, "\x00\r\n"):
		return fmt.Errorf("the name %q has a control character", name)
	}
	return nil
}

// digest is what the server keeps of a password for mysql_native_password.
func digest(password string) string {
	once := sha1.Sum([]byte(password))
	twice := sha1.Sum(once[:])
	return fmt.Sprintf("*%X", twice)
}

func identifier(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

func literal(value string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", "''").Replace(value) + "'"
}
