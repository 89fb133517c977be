package clickhouse

import (
	"cmp"
	"context"
	"slices"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/kinds/clickhouse/internal/grants"
	"github.com/aero-operator/aero/controllers/kinds/clickhouse/internal/lists"
	"github.com/aero-operator/aero/controllers/resource"
)

// changeGrants makes every statement, and reports the first that fails. After a REVOKE the grants are read again: it may have
// cut more than what it names.
func changeGrants(ctx context.Context, s resource.Scope, obj *v1alpha1.ClickhouseGrant, found *grants.Work) (*grants.Work, error) {
	if _, err := executeAll(ctx, s, found); err != nil {
		return nil, err
	}
	revoked := slices.ContainsFunc(found.Actions, func(action grants.Action) bool { return action.Revoke })
	if revoked || len(found.Waits) > 0 {
		return nil, nil
	}
	obj.SetGranted(found.Record)
	return &grants.Work{Present: true, Record: found.Record}, nil
}

// deleteGranted revokes what no other object wants. A user, role or database that is gone has taken its grants with it; that
// it is so, and not the whole project hidden, is for the engine to confirm.
func deleteGranted(ctx context.Context, s resource.Scope, _ *v1alpha1.ClickhouseGrant, found *grants.Work) error {
	if found == nil {
		return s.LookupErr
	}
	if err := found.CheckTwins(); err != nil {
		return err
	}
	missing, err := executeAll(ctx, s, found)
	return cmp.Or(err, missing)
}

// executeAll makes every statement, and returns the error of the first that fails. missing is that of a REVOKE which has
// nothing to revoke from. ClickHouse refuses the whole of one if a single user or role that it names is gone: it is made for
// each of them then, so that the others keep nothing.
func executeAll(ctx context.Context, s resource.Scope, found *grants.Work) (missing, err error) {
	var calls fault.Sequence
	var failed error
	for waiting := grants.Statements(found.Actions); len(waiting) > 0; {
		statement := waiting[0]
		waiting = waiting[1:]
		start := s.Client.BeginWrite()
		err := lists.Execute(ctx, s, statement.SQL(lists.Quote))
		lists.RecordStatement(s, found.There, statement, start, err)
		gone := statement.Revoke && fault.Is(err, fault.NotFound)
		switch parts := statement.Parts(); {
		case err == nil:
			calls.Then("", func() error { return nil })
		case gone && parts != nil:
			waiting = append(parts, waiting...)
		case gone:
			missing = err
		case fault.Is(err, fault.Rejected):
			failed = cmp.Or(failed, fault.AtField(fault.Field{Path: statement.Field()}, err))
		default:
			failed = cmp.Or(failed, err)
		}
		if fault.NotSent(err) {
			break // nor would the next one be
		}
	}
	calls.Then("changing grants", func() error { return failed })
	return missing, calls.Err()
}
