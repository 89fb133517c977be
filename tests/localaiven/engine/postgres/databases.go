package postgres

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/jackc/pgx/v5"
)

// fallbackLocale sorts by code point. It is the one UTF-8 locale that every
// Linux machine has.
const fallbackLocale = "C.UTF-8"

// SQLSTATEs of CREATE DATABASE.
const (
	duplicateDatabase = "42P04"
	// unknownLocale is that of "invalid locale name", among others.
	unknownLocale = "42809"
)

type databases struct{ *cluster }

// Set makes a UTF-8 database of the admin's, in which every role may create
// tables. One that exists keeps its locales.
func (d databases) Set(ctx context.Context, name, collate, ctype string) error {
	if err := reserved(name); err != nil {
		return err
	}
	err := d.change(ctx, func(conn *pgx.Conn) error {
		err := d.create(ctx, conn, name, collate, ctype)
		if err != nil && !hasCode(err, duplicateDatabase) {
			return err
		}
		if err := execute(ctx, conn, "GRANT ALL ON DATABASE "+quote(name)+" TO PUBLIC"); err != nil {
			return err
		}
		return d.in(ctx, name, func(conn *pgx.Conn) error {
			return execute(ctx, conn, "GRANT ALL ON SCHEMA public TO PUBLIC")
		})
	})
	if err != nil {
		return fmt.Errorf("setting database %s: %w", name, err)
	}
	return nil
}

func (d databases) create(ctx context.Context, conn *pgx.Conn, name, collate, ctype string) error {
	statement := func(collate, ctype string) string {
		return fmt.Sprintf("CREATE DATABASE %s OWNER %s TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE %s LC_CTYPE %s",
			quote(name), quote(d.owner), literal(collate), literal(ctype))
	}
	orFallback := func(locale string) string {
		if locale == "" {
			return fallbackLocale
		}
		return locale
	}
	err := execute(ctx, conn, statement(orFallback(collate), orFallback(ctype)))
	if !hasCode(err, unknownLocale) {
		return err
	}
	slog.DebugContext(ctx, "The machine lacks a locale, the database sorts by code point instead",
		"database", name, "lc_collate", collate, "lc_ctype", ctype, "used", fallbackLocale)
	return execute(ctx, conn, statement(fallbackLocale, fallbackLocale))
}

// Remove drops the database and ends the sessions in it.
func (d databases) Remove(ctx context.Context, name string) error {
	if err := reserved(name); err != nil {
		return err
	}
	err := d.change(ctx, func(conn *pgx.Conn) error {
		return execute(ctx, conn, "DROP DATABASE IF EXISTS "+quote(name)+" WITH (FORCE)")
	})
	if err != nil {
		return fmt.Errorf("removing database %s: %w", name, err)
	}
	return nil
}

// literal quotes a string for a statement; standard_conforming_strings is on.
func literal(value string) string { return "'" + strings.ReplaceAll(value, "'", "''") + "'" }
