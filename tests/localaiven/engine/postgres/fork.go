package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/aero-operator/aero/tests/localaiven/engine"
)

// errFollows is why a replica can't be forked: its WAL begins with the copy that it was made of.
var errFollows = errors.New("the source of a fork is a read replica, or was one")

// fork fills the data folder with what another cluster had at a time. All clusters of an engine begin with the same files and keep all of
// their WAL, so a fork begins with them too, and replays what its source has written down since.
func (c *cluster) fork(ctx context.Context, from engine.Fork) error {
	source, ok := from.Of.(*cluster)
	if !ok || source.engine != c.engine {
		return errors.New("the source of a fork isn't of this engine")
	}
	c.bin = source.bin // another version has other files
	if err := c.initialize(ctx); err != nil {
		return err
	}
	if err := source.completeLog(ctx); err != nil {
		return fmt.Errorf("completing the WAL of the source: %w", err)
	}
	if err := c.begins(source); err != nil {
		return err
	}
	if err := c.account.Write(filepath.Join(c.files.data, "recovery.signal"), ""); err != nil {
		return fmt.Errorf("making it a fork: %w", err)
	}
	c.changes.Lock()
	defer c.changes.Unlock()
	c.owner, c.recovery = source.owner, [][2]string{
		{"restore_command", restoreCommand(source.log())},
		{"recovery_target_action", "promote"},
		{"hot_standby", "off"}, // no client gets in before the end of the recovery
	}
	if !from.At.IsZero() {
		c.recovery = append(c.recovery, [2]string{"recovery_target_time", from.At.UTC().Format("2006-01-02 15:04:05.999999-07")})
	}
	return nil
}

// completeLog writes down that all transactions until now are over. Without a transaction that is younger than the time of a fork, its
// server can't know that it has all that are older.
func (c *cluster) completeLog(ctx context.Context) error {
	return c.change(ctx, func(conn *pgx.Conn) error {
		follows := false
		if err := conn.QueryRow(ctx, "SELECT pg_is_in_recovery()").Scan(&follows); err != nil {
			return err
		}
		if follows {
			return errFollows
		}
		return execute(ctx, conn, "SELECT pg_current_xact_id()", "SELECT pg_switch_wal()")
	})
}

// begins fails unless the source has the WAL with which the data begins that the fork has now.
func (c *cluster) begins(source *cluster) error {
	first, err := os.ReadDir(c.log())
	if err != nil {
		return fmt.Errorf("reading the WAL that every cluster begins with: %w", err)
	}
	for _, segment := range first {
		if segment.IsDir() {
			continue
		}
		if _, err := os.Stat(filepath.Join(source.log(), segment.Name())); err != nil {
			return fmt.Errorf("%w: %w", errFollows, err)
		}
	}
	return nil
}

// log is the folder of the WAL.
func (c *cluster) log() string { return filepath.Join(c.files.data, "pg_wal") }

// restoreCommand copies a file of the WAL from a folder. The server runs it in a shell.
func restoreCommand(folder string) string {
	quoted := "'" + strings.NewReplacer("'", `'\''`, "%", "%%").Replace(folder) + "'"
	return "cp " + quoted + `/%f "%p"`
}
