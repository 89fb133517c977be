package account

import (
	"context"
	"fmt"
	"maps"

	avnproject "github.com/aiven/go-client-codegen/handler/project"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/resource"
)

// diffProject compares what the spec sets: whatever it leaves out isn't managed.
func diffProject(_ resource.Scope, obj *v1alpha1.Project, found *avnproject.ProjectOut) controllers.Diff {
	var diff controllers.Diff
	spec := &obj.Spec
	for _, field := range []struct{ path, wanted, found string }{
		{"spec.accountId", spec.AccountID, found.AccountId},
		{"spec.billingGroupId", spec.BillingGroupID, found.BillingGroupId},
		{"spec.cloud", spec.Cloud, found.DefaultCloud},
	} {
		if field.wanted != "" && field.wanted != field.found {
			diff.Add(field.path, field.wanted, field.found)
		}
	}
	card := ptr.Deref(found.CardInfo, avnproject.CardInfoOut{})
	if spec.CardID != "" && spec.CardID != card.CardId && spec.CardID != card.Last4 {
		diff.Add("spec.cardId", spec.CardID, card.CardId)
	}
	if spec.Tags != nil && !maps.Equal(spec.Tags, found.Tags) {
		diff.Add("spec.tags", spec.Tags, found.Tags)
	}
	diffAddresses(&diff, "spec.technicalEmails", spec.TechnicalEmails, found.TechEmails)
	diffAddresses(&diff, "spec.billingEmails", spec.BillingEmails, found.BillingEmails)
	return diff
}

// writeOnlyOfProject are the fields that Aiven keeps in the billing group, and may not return with the project.
func writeOnlyOfProject(obj *v1alpha1.Project, _ *avnproject.ProjectOut) []string {
	var paths []string
	for _, field := range []struct{ path, value string }{
		{"spec.billingAddress", obj.Spec.BillingAddress}, {"spec.billingCurrency", obj.Spec.BillingCurrency},
		{"spec.billingExtraText", obj.Spec.BillingExtraText}, {"spec.countryCode", obj.Spec.CountryCode},
	} {
		if field.value != "" {
			paths = append(paths, field.path)
		}
	}
	return paths
}

// projectRequest has what the spec sets, and nothing else: an update keeps the rest, and so does a copy of another project.
func projectRequest(ctx context.Context, s resource.Scope, obj *v1alpha1.Project, writeOnly bool) (*avnproject.ProjectUpdateIn, error) {
	spec := &obj.Spec
	card, err := cardOf(ctx, s, spec.CardID)
	if err != nil {
		return nil, err
	}
	in := &avnproject.ProjectUpdateIn{
		AccountId: aiven.Optional(spec.AccountID), BillingGroupId: aiven.Optional(spec.BillingGroupID),
		CardId: aiven.Optional(card), Cloud: aiven.Optional(spec.Cloud),
	}
	if spec.Tags != nil {
		in.Tags = &spec.Tags
	}
	if spec.TechnicalEmails != nil {
		in.TechEmails = addressesIn[avnproject.TechEmailIn](spec.TechnicalEmails)
	}
	if spec.BillingEmails != nil {
		in.BillingEmails = addressesIn[avnproject.BillingEmailIn](spec.BillingEmails)
	}
	if writeOnly {
		in.BillingAddress, in.BillingExtraText = aiven.Optional(spec.BillingAddress), aiven.Optional(spec.BillingExtraText)
		in.CountryCode, in.BillingCurrency = aiven.Optional(spec.CountryCode), avnproject.BillingCurrencyType(spec.BillingCurrency)
	}
	return in, nil
}

// cardOf returns the id of the credit card that the spec names by its id or by its last four digits; "" if it names none.
func cardOf(ctx context.Context, s resource.Scope, wanted string) (string, error) {
	if wanted == "" {
		return "", nil
	}
	cards, err := s.Client.API().UserCreditCardsList(ctx) //nolint:staticcheck // deprecated: see Project
	if err != nil {
		return "", fmt.Errorf("listing credit cards: %w", err)
	}
	var ids []string
	for i := range cards {
		switch wanted {
		case cards[i].CardId:
			return wanted, nil
		case cards[i].Last4:
			ids = append(ids, cards[i].CardId)
		}
	}
	if len(ids) != 1 {
		return "", fault.InvalidSpec("spec.cardId", fmt.Sprintf("of the credit cards of the token's user, none has the ID %q, and %d "+
			"end in it. Set the ID of one of those that this command lists: avn card list", wanted, len(ids)))
	}
	return ids[0], nil
}
