package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// exampleVersion is what docs/examples/postgresql.yaml asks for.
const exampleVersion = "17"

// query uses the published Secrets as an application would.
func (d *demo) query(ctx context.Context) error {
	if d.noDatabase != nil {
		d.say("Left out: %v.", d.noDatabase)
		return nil //nolint:nilerr // the demo goes on without a database
	}
	user, err := d.secret(ctx, userSecret)
	if err != nil {
		return err
	}
	pool, err := d.secret(ctx, poolSecret)
	if err != nil {
		return err
	}
	address := userURL(user)
	d.say("As the new user, straight to PostgreSQL at %s:", address.Host)
	if err := d.session(ctx, address, user["ORDERS_CA_CERT"], d.writeAndRead); err != nil {
		return err
	}
	d.print("")
	if string(pool["ORDERS_POOL_PORT"]) == string(user["ORDERS_PORT"]) {
		d.say("Left out: the connection pool. Install PgBouncer for it: run `make deps`.")
		return nil
	}
	address, err = poolURL(pool)
	if err != nil {
		return err
	}
	d.say("Through the connection pool (PgBouncer) at %s, with its DATABASE_URI:", address.Host)
	return d.session(ctx, address, pool["ORDERS_POOL_CA_CERT"], d.readAgain)
}

// userURL is where the ServiceUser's Secret leads to.
func userURL(secret map[string][]byte) *url.URL {
	return &url.URL{
		Scheme: "postgres",
		User:   url.UserPassword(string(secret["ORDERS_USERNAME"]), string(secret["ORDERS_PASSWORD"])),
		Host:   net.JoinHostPort(string(secret["ORDERS_HOST"]), string(secret["ORDERS_PORT"])),
		Path:   database,
	}
}

// poolURL is where the ConnectionPool's Secret leads to.
func poolURL(secret map[string][]byte) (*url.URL, error) {
	address, err := url.Parse(string(secret["ORDERS_POOL_DATABASE_URI"]))
	if err != nil {
		// The error would show the password.
		return nil, errors.New("reading DATABASE_URI of the connection pool: it is no URI")
	}
	return address, nil
}

// session logs in over TLS that is checked against the published certificate, and runs some statements.
func (d *demo) session(ctx context.Context, address *url.URL, ca []byte, work func(context.Context, *pgx.Conn) error) error {
	conn, err := d.login(ctx, address, ca)
	if err != nil {
		return err
	}
	secured, ok := conn.PgConn().Conn().(*tls.Conn)
	if !ok {
		return errors.Join(errors.New("the connection isn't encrypted"), conn.Close(ctx))
	}
	d.good("%s, verified with the CA certificate in the Secret", tls.VersionName(secured.ConnectionState().Version))
	return errors.Join(work(ctx, conn), conn.Close(context.WithoutCancel(ctx)))
}

// login fails when the certificate of the server isn't the one that the Secret promises.
func (d *demo) login(ctx context.Context, address *url.URL, ca []byte) (*pgx.Conn, error) {
	root := d.scratch.File("ca.pem")
	if err := os.WriteFile(root, ca, 0o600); err != nil {
		return nil, fmt.Errorf("writing the CA certificate: %w", err)
	}
	verified := *address
	verified.RawQuery = url.Values{"sslmode": {"verify-full"}, "sslrootcert": {root}}.Encode()
	config, err := pgx.ParseConfig(verified.String())
	if err != nil {
		return nil, fmt.Errorf("reading the connection details: %w", err)
	}
	// A pool in transaction mode can't keep prepared statements.
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("logging in: %w", err)
	}
	return conn, nil
}

func (d *demo) writeAndRead(ctx context.Context, conn *pgx.Conn) error {
	if err := d.ask(ctx, conn, "SELECT current_user || ' in ' || current_database()"); err != nil {
		return err
	}
	for _, statement := range []string{
		"CREATE TABLE visits (who text, at timestamptz DEFAULT now())",
		"INSERT INTO visits (who) VALUES ('a curious reader')",
	} {
		tag, err := conn.Exec(ctx, statement)
		if err != nil {
			return fmt.Errorf("`%s`: %w", statement, err)
		}
		d.statement(statement, tag.String())
	}
	if err := d.ask(ctx, conn, "SELECT who FROM visits"); err != nil {
		return err
	}
	version, _, _ := strings.Cut(conn.PgConn().ParameterStatus("server_version"), " ")
	if strings.HasPrefix(version, exampleVersion) {
		d.good("PostgreSQL %s", version)
	} else {
		d.good("PostgreSQL %s: the example asks for %s, and the local Aiven takes what the machine has.", version, exampleVersion)
	}
	return nil
}

func (d *demo) readAgain(ctx context.Context, conn *pgx.Conn) error {
	return d.ask(ctx, conn, "SELECT who || ', seen by ' || current_user FROM visits")
}

// ask runs a query for a single text and shows both.
func (d *demo) ask(ctx context.Context, conn *pgx.Conn, query string) error {
	var answer string
	if err := conn.QueryRow(ctx, query).Scan(&answer); err != nil {
		return fmt.Errorf("`%s`: %w", query, err)
	}
	d.statement(query, answer)
	return nil
}

func (d *demo) statement(text, result string) {
	d.print(margin+d.paint(styleCommand, database+"=> "+text), margin+result)
}

// accepted reports whether PostgreSQL takes the password of a Secret. Any other failure is an error.
func (d *demo) accepted(ctx context.Context, secret map[string][]byte) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	conn, err := d.login(ctx, userURL(secret), secret["ORDERS_CA_CERT"])
	if err == nil {
		return true, conn.Close(ctx)
	}
	if wrongPassword(err) {
		return false, nil
	}
	return false, err
}
