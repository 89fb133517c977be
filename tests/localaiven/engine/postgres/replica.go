package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/daemon"
)

const (
	// replicator is the role that replicas log in as, and may do nothing else.
	replicator = "engine_replicator"
	// slotPrefix distinguishes slots of the engine from those of clients.
	slotPrefix = "engine_"
	// promotion is how many seconds a replica gets to become a server of its own.
	promotion = 30
)

// stream is what a cluster knows of replication. Its changes guard it, and no caller holds those of two clusters.
type stream struct {
	source *cluster // nil for one that follows none
	slot   string   // of the source, which keeps there what the replica hasn't yet
	// secret is the replicator's password: a replica has that of its source, as it has its roles.
	secret   string
	replicas map[string]*cluster // by slot
}

// copy fills the data folder with what the source has.
func (c *cluster) copy(ctx context.Context, source *cluster) error {
	slot, secret, err := source.admit(ctx, c)
	if err != nil {
		return fmt.Errorf("asking the source for a copy: %w", err)
	}
	c.changes.Lock()
	c.source, c.slot, c.secret, c.owner = source, slot, secret, source.owner
	c.changes.Unlock()
	cmd := c.account.Command(c.dir, filepath.Join(c.bin, "pg_basebackup"), "--pgdata", c.files.data,
		"--dbname", c.conninfo(), "--slot", slot, "--wal-method", "stream", "--checkpoint", "fast", "--no-sync", "--no-password")
	cmd.Env = append(cmd.Env, "PGPASSWORD="+secret) // every process can see arguments
	if err := daemon.Finish(ctx, cmd); err != nil {
		return err
	}
	if err := c.account.Write(c.files.standby(), ""); err != nil {
		return fmt.Errorf("making it a replica: %w", err)
	}
	return nil
}

// admit lets a new replica in, by a slot and the replicator's password.
func (c *cluster) admit(ctx context.Context, replica *cluster) (slot, secret string, err error) {
	err = c.change(ctx, func(conn *pgx.Conn) error {
		if c.secret == "" {
			role := engine.Credential{Username: replicator, Password: rand.Text(), Access: engine.Access{Replication: true}}
			if err := setRole(ctx, conn, role); err != nil {
				return err
			}
			c.secret = role.Password
		}
		slot, secret = slotPrefix+strings.ToLower(rand.Text()), c.secret
		if _, err := conn.Exec(ctx, "SELECT pg_create_physical_replication_slot($1, true)", slot); err != nil {
			return err
		}
		if c.replicas == nil {
			c.replicas = map[string]*cluster{}
		}
		c.replicas[slot] = replica
		return nil
	})
	return slot, secret, err
}

// release forgets a replica. Its slot goes now, or when the source resumes.
func (c *cluster) release(ctx context.Context, replica *cluster) error {
	c.changes.Lock()
	defer c.changes.Unlock()
	for slot, known := range c.replicas {
		if known != replica {
			continue
		}
		delete(c.replicas, slot)
		if c.server == nil {
			return nil
		}
		return c.in(ctx, superuser, func(conn *pgx.Conn) error { return dropSlot(ctx, conn, slot) })
	}
	return nil
}

func dropSlot(ctx context.Context, conn *pgx.Conn, slot string) error {
	const ofSlot = " FROM pg_replication_slots WHERE slot_name = $1"
	// The replica has ended, but what served it may not have noticed yet.
	if _, err := conn.Exec(ctx, "SELECT pg_terminate_backend(active_pid, $2)"+ofSlot+" AND active", slot, sessionEnd); err != nil {
		return fmt.Errorf("ending a replica's session: %w", err)
	}
	if _, err := conn.Exec(ctx, "SELECT pg_drop_replication_slot(slot_name)"+ofSlot, slot); err != nil {
		return fmt.Errorf("dropping a replica's slot: %w", err)
	}
	return nil
}

// dropLeftSlots drops those of replicas that went while the server was stopped, and returns the replicas that are left.
// The caller holds changes.
func (c *cluster) dropLeftSlots(ctx context.Context) ([]*cluster, error) {
	var left []*cluster
	err := c.in(ctx, superuser, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, "SELECT slot_name FROM pg_replication_slots WHERE starts_with(slot_name, $1)", slotPrefix)
		if err != nil {
			return err
		}
		slots, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		for _, slot := range slots {
			if replica := c.replicas[slot]; replica != nil {
				left = append(left, replica)
			} else if err := dropSlot(ctx, conn, slot); err != nil {
				return err
			}
		}
		return nil
	})
	return left, err
}

// follow leads a replica that runs to where its source is now.
func (c *cluster) follow(ctx context.Context) {
	c.changes.Lock()
	defer c.changes.Unlock()
	if c.server == nil || c.source == nil {
		return // it reads where its source is when it starts
	}
	err := c.configure()
	if err == nil {
		err = c.in(ctx, superuser, func(conn *pgx.Conn) error { return execute(ctx, conn, "SELECT pg_reload_conf()") })
	}
	if err != nil { // which is no failure of the source
		slog.WarnContext(ctx, "A read replica doesn't find its source", "replica", c.title, "error", err)
	}
}

// Promote lets a replica go on by itself.
func (c *cluster) Promote(ctx context.Context) error {
	source, err := c.promote(ctx)
	if err == nil && source != nil {
		err = source.release(ctx, c)
	}
	if err != nil {
		return fmt.Errorf("promoting a read replica: %w", err)
	}
	return nil
}

func (c *cluster) promote(ctx context.Context) (*cluster, error) {
	c.changes.Lock()
	defer c.changes.Unlock()
	source := c.source
	switch {
	case c.closed:
		return nil, errClosed
	case source == nil:
		return nil, nil
	case c.server == nil:
		if err := os.Remove(c.files.standby()); err != nil {
			return nil, err
		}
	default:
		done := false
		err := c.in(ctx, superuser, func(conn *pgx.Conn) error {
			return conn.QueryRow(ctx, "SELECT pg_promote(true, $1)", promotion).Scan(&done)
		})
		if err != nil {
			return nil, err
		}
		if !done {
			return nil, errors.New("it took too long")
		}
	}
	c.source = nil
	return source, nil
}

// conninfo is how a replica finds its source, without the password.
func (c *cluster) conninfo() string {
	// By name, which all versions compare with the certificate, and by address, since the server listens at the latter only.
	return fmt.Sprintf("host=localhost hostaddr=%s port=%d user=%s sslmode=verify-full sslrootcert=%s application_name=%s",
		host, c.source.Endpoint().Port, replicator, settingValue(c.files.authority()), settingValue(c.title))
}

// configure writes the server's configuration, with the way to the source, or to the data of a fork, if there is one.
func (c *cluster) configure() error {
	more := c.recovery
	if c.source != nil {
		more = [][2]string{
			{"primary_conninfo", c.conninfo() + " password=" + settingValue(c.secret)},
			{"primary_slot_name", c.slot},
		}
	}
	if err := c.account.Write(c.files.conf(), serverConfig(c.files, c.title, more)); err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	return nil
}
