// Package listprice reads what another plan or cloud of a service costs, by Aiven's price list. Nothing depends on it: a price that can't be
// read is left out.
package listprice

import (
	"cmp"
	"context"
	"math"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
)

const (
	planPath  = "spec.plan"
	cloudPath = "spec.cloudName"
	// hoursInMonth is what Aiven charges a month at most.
	hoursInMonth = 730
	// readTimeout bounds the wait for prices. One that comes later is there for the next reconcile.
	readTimeout = 5 * time.Second
)

// Of returns the list price of a service before and after changes, and the path of the change that it belongs to. wanted has the values
// of the spec by the paths of the changes. Without a change of the plan or the cloud, and if a price can't be read, it is nil.
func Of(ctx context.Context, c *aiven.Client, obj client.Object, wanted map[string]string) (path string, price *v1alpha1.MonthlyPrice) {
	service, is := obj.(interface {
		GetBaseServiceFields() *v1alpha1.BaseServiceFields
	})
	if path = pathOf(wanted); !is || path == "" {
		return path, nil
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	found, err := c.Service(ctx, service.GetBaseServiceFields().Project, obj.GetName())
	if err != nil {
		return path, nil
	}
	before := aiven.PriceKey{Project: found.Project, Type: found.Type, Plan: found.Plan, Cloud: found.Cloud}
	after := before
	after.Plan, after.Cloud = cmp.Or(wanted[planPath], found.Plan), cmp.Or(wanted[cloudPath], found.Cloud)
	from, err := c.HourlyPrice(ctx, before)
	if err != nil {
		return path, nil
	}
	to, err := c.HourlyPrice(ctx, after)
	if err != nil {
		return path, nil
	}
	return path, &v1alpha1.MonthlyPrice{FromUSD: monthly(from), ToUSD: monthly(to)}
}

// pathOf is that of the change that has the price; empty for none.
func pathOf(wanted map[string]string) string {
	for _, path := range []string{planPath, cloudPath} {
		if _, changes := wanted[path]; changes {
			return path
		}
	}
	return ""
}

func monthly(hourly float64) int64 { return int64(math.Round(hourly * hoursInMonth)) }

// Object is an object whose changes may wait.
type Object interface {
	client.Object
	GetCommonStatus() *v1alpha1.CommonStatus
}

// Add completes changes that wait for approval with the price. The one that the status has for the same changes stays, so that it is read
// at most once, and doesn't change while they wait.
func Add(ctx context.Context, c *aiven.Client, obj Object, pending *v1alpha1.PendingChanges) *v1alpha1.PendingChanges {
	if pending == nil {
		return nil
	}
	wanted := map[string]string{}
	for _, change := range pending.Changes {
		wanted[change.Path] = change.To
	}
	path, price := pathOf(wanted), known(obj.GetCommonStatus().PendingChanges, pending.Hash)
	if price == nil {
		path, price = Of(ctx, c, obj, wanted)
	}
	for i := range pending.Changes {
		if pending.Changes[i].Path == path {
			pending.Changes[i].MonthlyPrice = price
		}
	}
	return pending
}

// known is the price that a status has for changes with a hash; nil if it has none.
func known(before *v1alpha1.PendingChanges, hash string) *v1alpha1.MonthlyPrice {
	if before == nil || before.Hash != hash {
		return nil
	}
	for _, change := range before.Changes {
		if change.MonthlyPrice != nil {
			return change.MonthlyPrice
		}
	}
	return nil
}
