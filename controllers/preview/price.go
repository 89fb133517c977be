package preview

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/impact"
)

// hoursInMonth is what Aiven charges a month at most.
const hoursInMonth = 730

// addPrices completes the change of a plan or a cloud with the prices, if the token may read them.
func (p *comparison) addPrices(ctx context.Context, changes []Change) {
	service, is := p.obj.(interface {
		GetBaseServiceFields() *v1alpha1.BaseServiceFields
	})
	at := slices.IndexFunc(changes, func(c impact.Change) bool { return c.Path == "spec.plan" || c.Path == "spec.cloudName" })
	if !is || at < 0 {
		return
	}
	spec := service.GetBaseServiceFields()
	found, err := p.client.Service(ctx, spec.Project, p.obj.GetName())
	if err != nil {
		return
	}
	before, errBefore := p.price(ctx, found, found.Plan, found.Cloud)
	after, errAfter := p.price(ctx, found, spec.Plan, cmp.Or(spec.CloudName, found.Cloud))
	if errBefore != nil || errAfter != nil {
		return
	}
	changes[at].Message += fmt.Sprintf(". The list price, without discounts and taxes, goes from about $%.0f to $%.0f a month", before, after)
}

// price is the list price of a service in US dollars a month, on a plan in a cloud.
func (p *comparison) price(ctx context.Context, s *aiven.Service, plan, cloud string) (float64, error) {
	found, err := p.client.API().ProjectServicePlanPriceGet(ctx, s.Project, s.Type, plan, cloud)
	if err != nil {
		return 0, err
	}
	hourly, err := strconv.ParseFloat(found.BasePriceUsd, 64)
	return hourly * hoursInMonth, err
}
