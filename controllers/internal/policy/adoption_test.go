package policy_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

func TestAnAdoptionIsAgreedToOrNot(t *testing.T) {
	const adoption, deletion = annotation.Adoption, annotation.Deletion
	for name, tc := range map[string]struct {
		annotations []string
		flag        string
		adopts      bool
		creates     bool
		problem     string
	}{
		"by the flag: never":          {nil, policy.Never, false, true, ""},
		"by the flag: adopt":          {nil, policy.Adopt, true, false, ""},
		"by the flag: both":           {nil, policy.AdoptOrCreate, true, true, ""},
		"never, whatever the flag is": {[]string{adoption, "Never"}, policy.AdoptOrCreate, false, true, ""},
		"adopt, and delete later":     {[]string{adoption, "Adopt", deletion, "Delete"}, policy.Never, true, false, ""},
		"adopt, and keep later":       {[]string{adoption, "Adopt", deletion, "Orphan"}, policy.Never, true, false, ""},
		"both, and keep later":        {[]string{adoption, "AdoptOrCreate", deletion, "Orphan"}, policy.Never, true, true, ""},
		"without a deletion policy": {
			[]string{adoption, "AdoptOrCreate"}, policy.Never, false, true,
			"The annotation controllers.aiven.io/adoption-policy=AdoptOrCreate also needs controllers.aiven.io/deletion-policy on the object: set it to Delete or Orphan",
		},
		"a value that isn't known": {
			[]string{adoption, "adopt", deletion, "Delete"}, policy.AdoptOrCreate, false, false,
			`Annotation controllers.aiven.io/adoption-policy has the unknown value "adopt". Set it to Never, Adopt or AdoptOrCreate, or remove it`,
		},
		"an empty value": {
			[]string{adoption, "", deletion, "Delete"}, policy.AdoptOrCreate, false, false,
			`Annotation controllers.aiven.io/adoption-policy has the unknown value "". Set it to Never, Adopt or AdoptOrCreate, or remove it`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			want := policy.Adoption{Adopts: tc.adopts, Creates: tc.creates, Problem: tc.problem}
			assert.Equal(t, want, policy.AdoptionOf(annotated(tc.annotations...), policy.Defaults{Adoption: tc.flag}))
		})
	}
}

func TestWhatIsMissingIsCreatedAgainByConsent(t *testing.T) {
	always, never := policy.Defaults{Recreate: policy.Always}, policy.Defaults{Recreate: policy.Never}
	assert.True(t, policy.Recreates(annotated(), always))
	assert.False(t, policy.Recreates(annotated(), never))
	assert.True(t, policy.Recreates(annotated(annotation.Recreate, policy.Always), never))
	assert.False(t, policy.Recreates(annotated(annotation.Recreate, policy.Never), always))
	assert.False(t, policy.Recreates(annotated(annotation.Recreate, "always"), always), "a typo must not create a database")
}

func TestALossOfDataIsConfirmedForOneGeneration(t *testing.T) {
	for value, confirmed := range map[string]bool{"": false, "2": false, "3": true, "4": false, "true": false, "03": false, "+3": false} {
		obj := annotated(annotation.ConfirmDataLoss, value)
		obj.SetGeneration(3)
		assert.Equal(t, confirmed, policy.MayLoseData(obj, policy.Defaults{}), value)
		assert.True(t, policy.MayLoseData(obj, policy.Defaults{LosesData: true}), value)
	}
	assert.False(t, policy.MayLoseData(annotated(), policy.Defaults{}), "an object without a generation")
	for running, confirmed := range map[string]bool{"true": true, "": true, "false": false} {
		obj := annotated(annotation.ConfirmDataLoss, "3", annotation.Processed, "3", annotation.Running, running)
		obj.SetGeneration(3)
		assert.Equal(t, confirmed, policy.MayLoseData(obj, policy.Defaults{}), "what is there once it was off isn't what was confirmed")
		obj.GetAnnotations()[annotation.Processed] = "2"
		assert.True(t, policy.MayLoseData(obj, policy.Defaults{}), "it was off by an earlier spec")
		delete(obj.GetAnnotations(), annotation.Processed)
		assert.Equal(t, confirmed, policy.MayLoseData(obj, policy.Defaults{}), "a request for a fresh apply")
	}
}

func TestANamespaceComesBetweenTheObjectAndTheFlag(t *testing.T) {
	const adoption, deletion, recreate = annotation.Adoption, annotation.Deletion, annotation.Recreate
	d := policy.Defaults{Adoption: policy.Never, Recreate: policy.Never}.In(map[string]string{adoption: policy.Adopt, recreate: policy.Always})
	assert.Equal(t, policy.Adoption{Adopts: true}, policy.AdoptionOf(annotated(deletion, policy.Orphan), d))
	assert.False(t, policy.AdoptionOf(annotated(), d).Adopts, "what becomes of the resource later isn't clear")
	assert.Equal(t, policy.Adoption{Creates: true}, policy.AdoptionOf(annotated(adoption, policy.Never), d))
	assert.True(t, policy.Recreates(annotated(), d))
	assert.False(t, policy.Recreates(annotated(recreate, policy.Never), d))
}

func TestARouteIsThatOfTheObjectElseOfItsNamespace(t *testing.T) {
	none, links := policy.Defaults{}, policy.Defaults{}.In(map[string]string{annotation.Route: "privatelink"})
	assert.Empty(t, policy.RouteOf(annotated(), none))
	assert.Equal(t, "public", policy.RouteOf(annotated(annotation.Route, "public"), none))
	assert.Equal(t, "privatelink", policy.RouteOf(annotated(), links))
	assert.Equal(t, "dynamic", policy.RouteOf(annotated(annotation.Route, "dynamic"), links))
	assert.Equal(t, "privatelink", policy.RouteOf(annotated(annotation.Route, ""), links), "an empty value isn't a way around the Namespace")
}
