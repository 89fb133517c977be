package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/policy"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
)

// conceals what is at a path that ends in a secret.
func conceals(diff []Difference) []Shown {
	shown := make([]Shown, 0, len(diff))
	for _, d := range diff {
		if d.Path == secretPath {
			shown = append(shown, d.Show(userconfig.Concealed, userconfig.Concealed, true))
		} else {
			shown = append(shown, d.Show(d.Wanted, d.Found, false))
		}
	}
	return shown
}

const secretPath = "spec.userConfig.secret"

// hiddenValues are at a path that doesn't say that they are secrets.
var hiddenValues = userconfig.NewDifference("spec.userConfig.pg.x", Hidden{}, Hidden{})

func reviewed(policyName string, diff Diff, writeOnly ...string) Input {
	return Input{
		Exists: true, Owned: true, Diff: diff, WriteOnly: writeOnly,
		Review: Review{Kind: "PostgreSQL", Policy: policyName, Scope: "1", Conceal: conceals, Separable: func(Diff) bool { return true }},
	}
}

// hash is that of what a plan has pending.
func hash(t *testing.T, in Input) string {
	t.Helper()
	p := Decide(in)
	require.NotNil(t, p.Pending)
	return p.Pending.Hash
}

func TestAHashCoversPathFromAndTo(t *testing.T) {
	entry := Difference{Path: "spec.plan", Wanted: "business-8", Found: "startup-4"}
	first := hash(t, reviewed(policy.HoldAll, Diff{entry}))
	other := entry
	other.Wanted = "business-16"
	assert.NotEqual(t, first, hash(t, reviewed(policy.HoldAll, Diff{other})))
	other = entry
	other.Found = "startup-8"
	assert.NotEqual(t, first, hash(t, reviewed(policy.HoldAll, Diff{other})))
	other = entry
	other.Path = "spec.cloudName"
	assert.NotEqual(t, first, hash(t, reviewed(policy.HoldAll, Diff{other})))
	assert.NotEqual(t, first, hash(t, reviewed(policy.HoldAll, Diff{entry, other})))
	assert.Equal(t, hash(t, reviewed(policy.HoldAll, Diff{other, entry})), hash(t, reviewed(policy.HoldAll, Diff{entry, other})), "in any order")
	edited := reviewed(policy.HoldAll, Diff{entry})
	edited.Review.Scope = "2"
	assert.Equal(t, first, hash(t, edited), "an edit of another field leaves an approval valid")
}

// What is hashed of a secret could be guessed from the hash.
func TestAHashOfASecretDependsOnItsGenerationAndNotOnItsValue(t *testing.T) {
	secret := func(value, scope string) string {
		in := reviewed(policy.HoldAll, Diff{{Path: secretPath, Wanted: value, Found: "old"}})
		in.Review.Scope = scope
		return hash(t, in)
	}
	assert.Equal(t, secret("a", "1"), secret("b", "1"))
	assert.NotEqual(t, secret("a", "1"), secret("a", "2"), "an approval covers no later value")
	hidden := func(scope string) string {
		in := reviewed(policy.HoldAll, Diff{hiddenValues})
		in.Review.Scope = scope
		return hash(t, in)
	}
	assert.NotEqual(t, hidden("1"), hidden("2"), "nor one of a path that doesn't name it, whose texts are the same before and after")
	never := reviewed(policy.HoldAll, nil, "spec.userConfig.password")
	before := hash(t, never)
	never.Review.Scope = "2"
	assert.NotEqual(t, before, hash(t, never))
}

func TestTheScopeHasTheGenerationAndTheVersionsOfSecrets(t *testing.T) {
	scope := func(generation int64, version string) string {
		obj := &v1alpha1.ServiceUser{}
		obj.Generation, obj.Annotations = generation, map[string]string{annotation.ApprovedChanges: "h", annotation.ChangePolicy: policy.HoldAll}
		r := ReviewOf(obj, Rules{Secrets: map[types.NamespacedName]string{{Name: "a"}: version, {Name: "b"}: "1"}, Conceal: conceals})
		assert.Equal(t, "h", r.Approved)
		assert.Equal(t, policy.HoldAll, r.Policy)
		assert.Nil(t, r.Separable)
		return r.Scope
	}
	assert.Equal(t, scope(1, "1"), scope(1, "1"))
	assert.NotEqual(t, scope(1, "1"), scope(2, "1"))
	assert.NotEqual(t, scope(1, "1"), scope(1, "2"))
}

func TestWhatWaitsForApproval(t *testing.T) {
	plan := Difference{Path: "spec.plan", Wanted: "business-8", Found: "startup-4"}
	emails := Difference{Path: "spec.technicalEmails", Wanted: "a", Found: "b"}
	secret := Difference{Path: secretPath, Wanted: "a", Found: "b"}
	tag := Difference{Path: "spec.tags", Wanted: userconfig.Concealed, Found: "a"}
	accepted := func(in Input) Input { in.Review.Accepted, in.GenerationApplied = true, true; return in }
	changed := func(in Input) Input { in.SourcesChanged = true; return in }
	together := func(in Input) Input { in.Review.Separable = nil; return in }
	for name, tc := range map[string]struct {
		in      Input
		sent    Diff
		written []string
		held    []string
	}{
		"nothing, by default":                      {in: reviewed(policy.Auto, Diff{plan, emails}), sent: Diff{plan, emails}},
		"what is disruptive":                       {in: reviewed(policy.HoldDisruptive, Diff{plan, emails}), sent: Diff{emails}, held: []string{"spec.plan"}},
		"all":                                      {in: reviewed(policy.HoldAll, Diff{plan, emails}), held: []string{"spec.plan", "spec.technicalEmails"}},
		"all that is sent together":                {in: together(reviewed(policy.HoldDisruptive, Diff{plan, emails})), held: []string{"spec.plan", "spec.technicalEmails"}},
		"nothing that was accepted before":         {in: accepted(reviewed(policy.HoldAll, Diff{plan, emails}, "spec.x")), sent: Diff{plan, emails}},
		"a Secret that has changed since":          {in: changed(accepted(reviewed(policy.HoldAll, Diff{plan, secret}))), sent: Diff{plan}, held: []string{secretPath}},
		"a hidden value that has changed since":    {in: changed(accepted(reviewed(policy.HoldAll, Diff{plan, hiddenValues}))), sent: Diff{plan}, held: []string{hiddenValues.Path}},
		"no tag with the text of a secret":         {in: changed(accepted(reviewed(policy.HoldAll, Diff{tag, secret}))), sent: Diff{tag}, held: []string{secretPath}},
		"all of a Secret, if hidden":               {in: reviewed(policy.HoldDisruptive, Diff{secret, hiddenValues, tag}), sent: Diff{tag}, held: []string{secretPath, hiddenValues.Path}},
		"what Aiven never returns":                 {in: reviewed(policy.HoldAll, nil, "spec.userConfig.pg.x"), held: []string{"spec.userConfig.pg.x"}},
		"not what is harmless of that":             {in: reviewed(policy.HoldDisruptive, nil, "spec.userConfig.pg.x"), written: []string{"spec.userConfig.pg.x"}},
		"all of a Secret, if a part of it is":      {in: reviewed(policy.HoldDisruptive, Diff{secret, emails}, "spec.userConfig.pg.x"), sent: Diff{emails}, held: []string{secretPath, "spec.userConfig.pg.x"}},
		"what Aiven never returns and was changed": {in: changed(accepted(reviewed(policy.HoldAll, nil, "spec.x"))), held: []string{"spec.x"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := Decide(tc.in)
			assert.Equal(t, tc.sent, p.Diff)
			assert.Equal(t, tc.written, p.WriteOnly)
			if tc.held == nil {
				assert.Nil(t, p.Pending)
				return
			}
			require.NotNil(t, p.Pending)
			var held []string
			for _, c := range p.Pending.Changes {
				held = append(held, c.Path)
				assert.NotContains(t, c.Message, "more changes", "all are shown")
			}
			assert.Equal(t, tc.held, held)
			assert.Equal(t, !tc.in.Review.Accepted, p.Unapplied)
			if p.Action == Update {
				assert.Equal(t, tc.held, p.Held.Paths())
			}
			tc.in.Review.Approved = p.Pending.Hash
			assert.Nil(t, Decide(tc.in).Pending, "it is approved")
			assert.Equal(t, tc.in.Diff, Decide(tc.in).Diff)
		})
	}
}

func TestAnOptionThatAivenDoesNotReturnIsShownWithWhatTheSpecHas(t *testing.T) {
	const route = "spec.userConfig.public_access.pg"
	first := func(policyName, path string, value any) Input {
		in := reviewed(policyName, nil, path)
		in.Wanted = Wanted{path: value}
		return in
	}
	opened := Decide(first(policy.HoldDisruptive, route, true))
	assert.Nil(t, opened.Pending, "no client loses access")
	assert.Equal(t, []string{route}, opened.WriteOnly)
	for name, tc := range map[string]struct {
		in   Input
		want v1alpha1.PendingChange
	}{
		"a route is opened, and all waits": {first(policy.HoldAll, route, true), v1alpha1.PendingChange{Path: route, From: userconfig.NotReturned, To: "true"}},
		"a route that may be open is closed": {first(policy.HoldDisruptive, route, false), v1alpha1.PendingChange{
			Path: route, From: userconfig.NotReturned, To: "false", Impact: []string{"AccessLost"}, Message: "clients that connect this way no longer can",
		}},
		"a value that isn't known": {reviewed(policy.HoldAll, nil, "spec.userConfig.pg.x"), v1alpha1.PendingChange{Path: "spec.userConfig.pg.x"}},
		"a text like that of a secret": {first(policy.HoldAll, "spec.userConfig.pg.x", userconfig.Concealed), v1alpha1.PendingChange{
			Path: "spec.userConfig.pg.x", From: userconfig.NotReturned, To: userconfig.Concealed,
		}},
		"a value that is not shown": {first(policy.HoldAll, secretPath, "hunter2"), v1alpha1.PendingChange{Path: secretPath, Impact: []string{"Unknown"}, Message: "what it does at Aiven isn't known"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := Decide(tc.in)
			require.NotNil(t, p.Pending)
			assert.Equal(t, []v1alpha1.PendingChange{tc.want}, p.Pending.Changes)
			tc.in.Review.Approved = p.Pending.Hash
			assert.Nil(t, Decide(tc.in).Pending)
			assert.Equal(t, tc.in.WriteOnly, Decide(tc.in).WriteOnly)
		})
	}
}

func TestWhatIsBeyondTheFirstChangesWaitsForTheNextApproval(t *testing.T) {
	var diff Diff
	for i := range MaxPending + 5 {
		diff.Add(fmt.Sprintf("spec.userConfig.pg.x%03d", i), "a", "b")
	}
	in := reviewed(policy.HoldAll, diff)
	p := Decide(in)
	assert.Len(t, p.Pending.Changes, MaxPending)
	in.Review.Approved = p.Pending.Hash
	p = Decide(in)
	assert.Len(t, p.Diff, MaxPending)
	assert.Len(t, p.Pending.Changes, 5)
}

// A change that waits for its turn is in no list: a generation without it must not count as accepted.
func TestWhatWaitsForItsTurnIsNotApplied(t *testing.T) {
	in := reviewed(policy.HoldDisruptive, Diff{{Path: "spec.technicalEmails", Wanted: "a"}})
	in.Held.Later = Diff{{Path: "spec.powered", Wanted: "false", Found: "true"}}
	assert.True(t, Decide(in).Unapplied)
	in.Review.Policy = policy.Auto
	assert.True(t, Decide(in).Unapplied)
	in.GenerationApplied, in.Proven = true, true
	assert.False(t, Decide(in).Unapplied, "what was changed at Aiven since")
}

// A service is created running, and powered off at once by a spec that asks for it.
func TestWhatACreationLeadsToWaitsForNoApproval(t *testing.T) {
	for held, p := range map[bool]string{false: policy.Auto, true: policy.HoldDisruptive} {
		in := reviewed(p, nil)
		in.Owned, in.Adoption.Creates, in.Held.Later = true, true, Diff{{Path: "spec.powered"}}
		in.Exists, in.First = false, true
		decided := Decide(in)
		assert.Equal(t, Create, decided.Action)
		assert.Equal(t, held, !decided.Unapplied)
		in.First = false
		assert.True(t, Decide(in).Unapplied, "an edit that waits for approval is none of a service that is created again")
		in.First, in.Leave = true, condition.ReasonReportOnly
		assert.True(t, Decide(in).Unapplied, "it is left on, and must not be powered off unseen once that ends")
	}
}

// Part of a text may be a secret, and the other part harmless: what is hidden in between must not be exchanged under an approval.
func TestAHashOfWhatIsShownInPartDependsOnTheGeneration(t *testing.T) {
	of := func(wanted, scope string) string {
		in := reviewed(policy.HoldAll, Diff{{Path: "spec.userConfig.ip_filter", Wanted: wanted, Found: "x"}})
		in.Review.Scope = scope
		in.Review.Conceal = func(diff []Difference) []Shown {
			return []Shown{diff[0].Show(strings.Split(diff[0].Wanted, "token=")[0]+"token=***", diff[0].Found, false)}
		}
		return hash(t, in)
	}
	assert.NotEqual(t, of("token=10.0.0.0/8", "1"), of("token=0.0.0.0/0", "2"))
	long := strings.Repeat("x", userconfig.MaxText)
	in := reviewed(policy.HoldAll, Diff{{Path: "spec.userConfig.ip_filter", Wanted: long + "y", Found: "x"}})
	before := hash(t, in)
	in.Review.Scope = "2"
	assert.NotEqual(t, before, hash(t, in), "nor what is too long to be shown")
	in.Diff[0].Wanted = long
	before = hash(t, in)
	in.Review.Scope = "3"
	assert.Equal(t, before, hash(t, in))
}

func TestManyChangesThatCannotBeLeftOutAreApprovedAtOnce(t *testing.T) {
	var diff Diff
	for i := range MaxPending + 5 {
		diff.Add(fmt.Sprintf("spec.acls[%03d]", i), "a", "b")
	}
	in := reviewed(policy.HoldDisruptive, append(diff, Difference{Path: "spec.plan", Wanted: "a", Found: "b"}))
	in.Review.Separable = nil
	p := Decide(in)
	require.NotNil(t, p.Pending)
	assert.Len(t, p.Pending.Changes, MaxPending)
	assert.Contains(t, p.Pending.Changes[MaxPending-1].Message, "and 6 more changes, which the spec has")
	edited := in
	edited.Review.Scope, edited.Review.Approved = "2", p.Pending.Hash
	assert.NotNil(t, Decide(edited).Pending, "another generation has others behind the first")
	in.Review.Approved = p.Pending.Hash
	p = Decide(in)
	assert.Nil(t, p.Pending)
	assert.Len(t, p.Diff, MaxPending+6)
}
