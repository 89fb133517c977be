package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/aero-operator/aero/tests/localaiven/engine"
)

// sessionEnd is how many milliseconds a session of a removed role gets to end.
const sessionEnd = 5000

type users struct{ *cluster }

// Set makes a role that can log in, or gives it this password and the privilege to
// replicate, or revokes it. A password that the role has already stays as it is, verifier and all, so that sessions a
// pool opens for a client who is logged in keep working.
func (u users) Set(ctx context.Context, user engine.Credential) error {
	if err := reserved(user.Username); err != nil {
		return err
	}
	err := u.change(ctx, func(conn *pgx.Conn) error { return setRole(ctx, conn, user) })
	if err != nil {
		return fmt.Errorf("setting user %s: %w", user.Username, err)
	}
	return nil
}

func setRole(ctx context.Context, conn *pgx.Conn, user engine.Credential) error {
	var stored *string
	err := conn.QueryRow(ctx, "SELECT rolpassword FROM pg_authid WHERE rolname = $1", user.Username).Scan(&stored)
	verb, right := "ALTER", "NOREPLICATION"
	switch {
	case errors.Is(err, pgx.ErrNoRows) && user.Password == "":
		return errors.New("it has no password")
	case errors.Is(err, pgx.ErrNoRows):
		verb = "CREATE"
	case err != nil:
		return err
	}
	if user.Access.Replication {
		right = "REPLICATION"
	}
	statement := verb + " ROLE " + quote(user.Username) + " LOGIN " + right
	if user.Password == "" || stored != nil && verifies(*stored, user.Password) {
		return execute(ctx, conn, statement)
	}
	secret, err := verifier(user.Password)
	if err != nil {
		return err
	}
	// A verifier holds no quotes.
	return execute(ctx, conn, statement+" PASSWORD '"+secret+"'")
}

// Remove ends the sessions of the role, gives what it owns to the admin, revokes its
// grants and drops it.
func (u users) Remove(ctx context.Context, name string) error {
	if err := reserved(name); err != nil {
		return err
	}
	if name == u.owner {
		return fmt.Errorf("user %s can't be removed: it owns the databases", name)
	}
	err := u.change(ctx, func(conn *pgx.Conn) error {
		var exists bool
		err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)", name).Scan(&exists)
		if err != nil || !exists {
			return err
		}
		return u.drop(ctx, conn, name)
	})
	if err != nil {
		return fmt.Errorf("removing user %s: %w", name, err)
	}
	return nil
}

func (u users) drop(ctx context.Context, conn *pgx.Conn, name string) error {
	// First of all, or a client that reconnects at once would be back before the end.
	if err := execute(ctx, conn, "ALTER ROLE "+quote(name)+" NOLOGIN"); err != nil {
		return err
	}
	_, err := conn.Exec(ctx, "SELECT pg_terminate_backend(pid, $2) FROM pg_stat_activity WHERE usename = $1", name, sessionEnd)
	if err != nil {
		return fmt.Errorf("ending its sessions: %w", err)
	}
	rows, err := conn.Query(ctx, "SELECT datname FROM pg_database WHERE datallowconn")
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, database := range names {
		err := u.in(ctx, database, func(conn *pgx.Conn) error {
			return execute(ctx, conn, "REASSIGN OWNED BY "+quote(name)+" TO "+quote(u.owner), "DROP OWNED BY "+quote(name))
		})
		// A database can vanish by a statement of a client.
		if err != nil && !hasCode(err, "3D000") {
			return fmt.Errorf("moving what it owns in %s: %w", database, err)
		}
	}
	return execute(ctx, conn, "DROP ROLE IF EXISTS "+quote(name))
}

// reserved refuses the names of roles and databases that belong to PostgreSQL.
func reserved(name string) error {
	switch {
	case name == "", name == superuser, name == replicator, name == "template0", name == "template1", strings.HasPrefix(name, "pg_"):
		return fmt.Errorf("the name %q is reserved", name)
	case strings.ContainsAny(name, "\x00\r\n"):
		return fmt.Errorf("the name %q has a control character", name)
	}
	return nil
}

// hasCode reports whether the server refused with this SQLSTATE.
func hasCode(err error, code string) bool {
	var refusal *pgconn.PgError
	return errors.As(err, &refusal) && refusal.Code == code
}
