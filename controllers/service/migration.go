package service

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	avnservice "github.com/aiven/go-client-codegen/handler/service"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/status"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
)

const (
	pathMigration   = "spec.migrationSecretSource"
	optionMigration = "migration"
	keyHost         = "host"
	keyPort         = "port"
)

// MigrationKeys are keys of the Secret of a migration, which are options of it too, by the type of their values.
type MigrationKeys struct{ Texts, Flags []string }

// migrationKeys are those of every type, besides the port, which is a number.
var migrationKeys = MigrationKeys{
	Texts: []string{keyHost, "password", "dbname", "username", "method", "ignore_dbs", "ignore_roles"},
	Flags: []string{"ssl"},
}

func (k MigrationKeys) and(more MigrationKeys) MigrationKeys {
	return MigrationKeys{Texts: slices.Concat(k.Texts, more.Texts), Flags: slices.Concat(k.Flags, more.Flags)}
}

// all are the keys of every type of value.
func (k MigrationKeys) all() []string { return slices.Concat([]string{keyPort}, k.Flags, k.Texts) }

// migrated reports whether the data of the other database has arrived, once and for all.
func migrated(obj Object) bool {
	return meta.IsStatusConditionTrue(obj.GetCommonStatus().Conditions, condition.MigrationComplete)
}

// migrates reports whether the object names a Secret to migrate from.
func (c *controller[T]) migrates(obj T) bool { return c.Migration != nil && c.Migration(obj) != nil }

// addMigration completes the options with those in the Secret. They are copies: the Secret never gets into the object.
func (c *controller[T]) addMigration(w *desired, obj T) error {
	if !c.migrates(obj) || migrated(obj) {
		return nil
	}
	secret := obj.GetNamespace() + "/" + c.Migration(obj).Name
	source, err := migrationKeys.and(c.MigrationKeys).options(secret, c.env.Refs.SecretData(referenceMigration))
	if err != nil {
		return err
	}
	for _, tree := range []*map[string]any{&w.create, &w.update} {
		if *tree == nil {
			*tree = map[string]any{}
		}
		(*tree)[optionMigration] = source
	}
	return nil
}

// options reads the Secret of that name. Errors name keys, never values.
func (k MigrationKeys) options(secret string, data map[string][]byte) (map[string]any, error) {
	problem := func(key, text string) error {
		return fault.InvalidSpec(pathMigration, fmt.Sprintf("the key %q of Secret %s %s. Change it in the Secret", key, secret, text))
	}
	out := map[string]any{}
	for _, key := range k.all() {
		if value := string(data[key]); strings.TrimSpace(value) != value {
			return nil, problem(key, "has white space around its value")
		}
	}
	for _, key := range k.Texts {
		if value := string(data[key]); value != "" {
			out[key] = userconfig.NewSecret(value)
		}
	}
	if out[keyHost] == nil {
		return nil, problem(keyHost, "is needed")
	}
	port, err := strconv.Atoi(string(data[keyPort]))
	if err != nil {
		return nil, problem(keyPort, "is needed, and has to be a number")
	}
	out[keyPort] = userconfig.NewSecret(port)
	for _, key := range k.Flags {
		text := string(data[key])
		if text == "" {
			continue
		}
		flag, err := strconv.ParseBool(text)
		if err != nil {
			return nil, problem(key, "has to be true or false")
		}
		out[key] = userconfig.NewSecret(flag)
	}
	return out, nil
}

// migration reports the progress of the migration, while the service runs.
func (c *controller[T]) migration(ctx context.Context, obj T, s *aiven.Service) ([]status.KindCondition, error) {
	switch {
	case !c.migrates(obj) || s.State != aiven.StateRunning:
		return nil, nil
	case migrated(obj):
		return c.migrationDone(obj), nil
	case s.UserConfig[optionMigration] == nil && !processed(obj):
		return []status.KindCondition{migrationInProgress("The migration isn't configured at Aiven yet")}, nil
	}
	out, err := aiven.Beside(c.env.Client, s, "ServiceGetMigrationStatus", func() (*avnservice.ServiceGetMigrationStatusOut, error) {
		return c.env.Client.API().ServiceGetMigrationStatus(ctx, s.Project, s.Name)
	})
	if fault.Is(err, fault.NotFound) {
		return c.migrationDone(obj), nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading migration status: %w", err)
	}
	switch out.Migration.Status {
	case avnservice.MigrationStatusTypeDone:
		return c.migrationDone(obj), nil
	case avnservice.MigrationStatusTypeFailed:
		message := fault.Redact(cmp.Or(ptr.Deref(out.Migration.Error, ""), "Aiven reports no reason"))
		return []status.KindCondition{{Type: condition.MigrationComplete, Reason: "MigrationFailed", Message: message}}, nil
	default:
		return []status.KindCondition{migrationInProgress("Migration status at Aiven: " + string(out.Migration.Status))}, nil
	}
}

// processed reports whether Aiven has accepted the present spec. Until then, the absence of a migration means nothing. Users can bring the
// annotation along.
func processed(obj Object) bool {
	return ownership.IsApplied(obj)
}

// migrationDone is the condition of a migration that is done. The Secret is deleted soon after that is in the status, and
// not before: a status that was lost needs it.
func (c *controller[T]) migrationDone(obj T) []status.KindCondition {
	return []status.KindCondition{{
		Type: condition.MigrationComplete, True: true, Reason: "MigrationDone", Message: "The data has been migrated",
		Pending: !migrated(obj) && c.Migration(obj).DeleteAfterMigration,
	}}
}

func migrationInProgress(message string) status.KindCondition {
	return status.KindCondition{
		Type: condition.MigrationComplete, Reason: "MigrationInProgress", Message: message, Pending: true,
	}
}
