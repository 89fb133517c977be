package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// interfere changes a password as a person at Aiven's console would, and lets the operator notice.
func (d *demo) interfere(ctx context.Context) error {
	before, err := d.secret(ctx, userSecret)
	if err != nil {
		return err
	}
	password := "console-" + rand.Text()
	d.say("The password of %s is reset at Aiven, without a change in Kubernetes.", username)
	err = d.admin.Patch(ctx, project, serviceName, map[string]any{
		"users": []map[string]any{{"username": username, "password": password}},
	})
	if err != nil {
		return err
	}
	if err := d.checkLogin(ctx, "before", before, false); err != nil {
		return err
	}
	d.say("The operator would notice at its next poll, within 11 minutes. An annotation makes it reconcile at once.")
	changed := time.Now()
	err = d.enter(ctx, "kubectl annotate serviceuser/orders-app connectionpool/orders-pool "+
		"controllers.aiven.io/reconcile-requested-at=$(date +%s)")
	if err != nil {
		return err
	}
	after, err := d.untilPublished(ctx, password)
	if err != nil {
		return err
	}
	took := wait(changed)
	if err := d.checkLogin(ctx, "after", after, true); err != nil {
		return err
	}
	d.good("Both Secrets followed within %s.", took)
	return nil
}

// untilPublished waits for the password to appear in both Secrets, and returns that of the user.
func (d *demo) untilPublished(ctx context.Context, password string) (map[string][]byte, error) {
	var user map[string][]byte
	err := d.await(ctx, stepTimeout, func(ctx context.Context) ([]row, error) {
		var rows []row
		for _, s := range []struct{ name, key string }{{userSecret, "ORDERS_PASSWORD"}, {poolSecret, "ORDERS_POOL_PASSWORD"}} {
			data, err := d.secret(ctx, s.name)
			if err != nil {
				return nil, err
			}
			if s.name == userSecret {
				user = data
			}
			r := row{name: "Secret/" + s.name, state: "still has the old password", done: string(data[s.key]) == password}
			if r.done {
				r.state = "has the new password"
			}
			rows = append(rows, r)
		}
		return rows, nil
	})
	return user, err
}

// checkLogin logs in with the password in a Secret, and shows the result. It fails unless the result is the wanted one.
func (d *demo) checkLogin(ctx context.Context, when string, secret map[string][]byte, want bool) error {
	sum := fingerprint(secret["ORDERS_PASSWORD"])
	if d.noDatabase != nil {
		d.say("Password in the Secret %s: %s", when, sum)
		return nil //nolint:nilerr // the demo goes on without a database
	}
	got, err := d.accepted(ctx, secret)
	switch {
	case err != nil:
		return err
	case got != want:
		return fmt.Errorf("PostgreSQL accepts the password that was in the Secret %s: %t", when, got)
	case got:
		d.good("The Secret's password (%s) lets us in.", sum)
	default:
		d.bad("The Secret's password (%s) is refused by PostgreSQL now.", sum)
	}
	return nil
}

// fingerprint distinguishes passwords without showing them.
func fingerprint(secret []byte) string {
	sum := sha256.Sum256(secret)
	return fmt.Sprintf("SHA-256 %x…", sum[:4])
}

// wrongPassword reads PostgreSQL's error code for that.
func wrongPassword(err error) bool {
	const invalidPassword = "28P01"
	var refusal *pgconn.PgError
	return errors.As(err, &refusal) && refusal.Code == invalidPassword
}
