package plan

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

func TestP05_TheSameInputLeadsToTheSamePlan(t *testing.T) {
	diff := Diff{{Path: "spec.plan"}, {Path: "spec.tags"}}
	secret := []string{"spec.userConfig.password"}
	report := func(reason string) Plan { return Plan{Action: Report, Reason: reason} }
	shows := func(reason string) Plan { return Plan{Action: Report, Left: diff, Reason: reason} }
	unapplied := func(p Plan) Plan { p.Unapplied = true; return p }
	beside := func(p Plan) Plan { p.Left, p.Reason = diff, condition.ReasonNotConverging; return p }
	held := Held{Diff: diff, Loss: "all is lost"}
	always := func(Diff) bool { return true }
	unconfirmed := func(p Plan) Plan {
		p.Left, p.Reason, p.Unconfirmed = diff, condition.ReasonConfirmationRequired, held.Loss
		if p.Action == Update {
			p.Held = diff
		}
		return p
	}
	for name, tc := range map[string]struct {
		in     Input
		want   Plan
		writes bool
	}{
		"what is missing is created":                         {in: Input{}, want: Plan{Action: Create}, writes: true},
		"what is missing and can't be made yet is awaited":   {in: Input{WaitFor: "a backup"}, want: Plan{Action: Wait}},
		"what is missing is not created while observing":     {in: Input{ObserveOnly: true}, want: Plan{Action: None}},
		"what is missing is created, whatever is left alone": {in: Input{Leave: condition.ReasonTakenOver, Exhausted: always}, want: Plan{Action: Create}, writes: true},

		"what is in sync is left alone":                       {in: Input{Exists: true, GenerationApplied: true}, want: Plan{Action: None}},
		"what is in sync waits for nothing":                   {in: Input{Exists: true, GenerationApplied: true, WaitFor: "a backup"}, want: Plan{Action: None}},
		"what may not have been applied waits":                {in: Input{Exists: true, WaitFor: "the result of a write"}, want: Plan{Action: Wait}},
		"what is in sync while observing has nothing to show": {in: Input{Exists: true, ObserveOnly: true}, want: report(condition.ReasonReportOnly)},

		"what Aiven is ahead of is shown":                {in: Input{Exists: true, GenerationApplied: true, Newer: diff}, want: shows(condition.ReasonNewerVersion)},
		"what Aiven is ahead of is shown beside others":  {in: Input{Exists: true, Newer: diff, Diff: diff}, want: Plan{Action: Update, Diff: diff, Left: diff, Reason: condition.ReasonNewerVersion}, writes: true},
		"the policy is the reason for both":              {in: Input{Exists: true, Newer: diff, Leave: condition.ReasonReportOnly, GenerationApplied: true}, want: shows(condition.ReasonReportOnly)},
		"what loses data isn't made":                     {in: Input{Exists: true, Owned: true, Held: held}, want: unapplied(unconfirmed(Plan{Action: Report}))},
		"what loses data leaves the rest":                {in: Input{Exists: true, Owned: true, Held: held, Diff: diff}, want: unapplied(unconfirmed(Plan{Action: Update, Diff: diff})), writes: true},
		"what loses data repeats no request":             {in: Input{Exists: true, Owned: true, Held: held, ApplyRequested: true}, want: unconfirmed(Plan{Action: Update}), writes: true},
		"what Aiven doesn't return is sent beside it":    {in: Input{Exists: true, Owned: true, Held: held, WriteOnly: secret}, want: unapplied(unconfirmed(Plan{Action: Update, WriteOnly: secret})), writes: true},
		"what Aiven doesn't return was sent beside it":   {in: Input{Exists: true, Owned: true, Held: held, WriteOnly: secret, RestApplied: true}, want: unapplied(unconfirmed(Plan{Action: Report}))},
		"a changed Secret is sent beside it":             {in: Input{Exists: true, Owned: true, Held: held, WriteOnly: secret, RestApplied: true, SourcesChanged: true}, want: unapplied(unconfirmed(Plan{Action: Update, WriteOnly: secret})), writes: true},
		"what loses data was applied before":             {in: Input{Exists: true, Owned: true, Held: held, GenerationApplied: true, Proven: true}, want: unconfirmed(Plan{Action: Report})},
		"what loses data is shown while observing":       {in: Input{Exists: true, Held: held, ObserveOnly: true}, want: unapplied(shows(condition.ReasonReportOnly))},
		"what loses data is left as the policy asks":     {in: Input{Exists: true, Owned: true, Held: held, Leave: condition.ReasonTakenOver}, want: unapplied(shows(condition.ReasonTakenOver))},
		"what loses data comes before what is newer":     {in: Input{Exists: true, Owned: true, Held: held, Newer: diff}, want: unapplied(Plan{Action: Report, Left: slices.Concat(diff, diff), Reason: condition.ReasonConfirmationRequired, Unconfirmed: held.Loss})},
		"what loses data waits like any change":          {in: Input{Exists: true, Owned: true, Held: held, Diff: diff, WaitFor: "a backup"}, want: Plan{Action: Wait}},
		"what waits shows nothing yet":                   {in: Input{Exists: true, Newer: diff, WaitFor: "a backup"}, want: Plan{Action: Wait}},
		"a difference is corrected":                      {in: Input{Exists: true, Diff: diff}, want: Plan{Action: Update, Diff: diff}, writes: true},
		"a difference that can't be corrected yet waits": {in: Input{Exists: true, Diff: diff, WaitFor: "a backup"}, want: Plan{Action: Wait}},
		"a difference is only shown while observing":     {in: Input{Exists: true, Diff: diff, ObserveOnly: true, Leave: "other", Exhausted: always}, want: unapplied(shows(condition.ReasonReportOnly))},
		"a difference is left as the policy asks":        {in: Input{Exists: true, Diff: diff, Leave: condition.ReasonTakenOver, Exhausted: always, WaitFor: "a backup"}, want: unapplied(shows(condition.ReasonTakenOver))},
		"a difference of an applied generation is drift": {in: Input{Exists: true, Diff: diff, Leave: condition.ReasonTakenOver, GenerationApplied: true, Proven: true}, want: shows(condition.ReasonTakenOver)},
		"an annotation alone proves nothing":             {in: Input{Exists: true, Diff: diff, Leave: condition.ReasonTakenOver, GenerationApplied: true}, want: unapplied(shows(condition.ReasonTakenOver))},
		"what was applied before a request is applied":   {in: Input{Exists: true, Diff: diff, Leave: condition.ReasonReportOnly, ApplyRequested: true}, want: shows(condition.ReasonReportOnly)},
		"what Aiven doesn't return is left by a policy":  {in: Input{Exists: true, WriteOnly: secret, Leave: condition.ReasonReportOnly}, want: unapplied(report(condition.ReasonReportOnly))},
		"what Aiven doesn't return was sent before it":   {in: Input{Exists: true, WriteOnly: secret, ObserveOnly: true, GenerationApplied: true, Proven: true}, want: report(condition.ReasonReportOnly)},
		"a difference that no update changes is left":    {in: Input{Exists: true, Diff: diff, Exhausted: always}, want: shows(condition.ReasonNotConverging)},
		"a difference is corrected before a reset":       {in: Input{Exists: true, Diff: diff, CredentialsLost: true}, want: Plan{Action: Update, Diff: diff}, writes: true},

		"what Aiven doesn't return is sent once a generation": {in: Input{Exists: true, WriteOnly: secret}, want: Plan{Action: Update, WriteOnly: secret}, writes: true},
		"what Aiven doesn't return was sent":                  {in: Input{Exists: true, WriteOnly: secret, GenerationApplied: true}, want: Plan{Action: None}},
		"a changed Secret is sent":                            {in: Input{Exists: true, WriteOnly: secret, GenerationApplied: true, SourcesChanged: true}, want: Plan{Action: Update, WriteOnly: secret}, writes: true},
		"a changed Secret that nothing write-only comes from": {in: Input{Exists: true, GenerationApplied: true, SourcesChanged: true}, want: Plan{Action: None}},
		"a changed Secret waits like any change":              {in: Input{Exists: true, WriteOnly: secret, SourcesChanged: true, WaitFor: "a backup"}, want: Plan{Action: Wait}},

		"a difference doesn't hide what wasn't sent":     {in: Input{Exists: true, Diff: diff, WriteOnly: secret}, want: Plan{Action: Update, Diff: diff, WriteOnly: secret}, writes: true},
		"a difference doesn't hide a changed Secret":     {in: Input{Exists: true, Diff: diff, WriteOnly: secret, GenerationApplied: true, SourcesChanged: true}, want: Plan{Action: Update, Diff: diff, WriteOnly: secret}, writes: true},
		"a difference doesn't hide a requested apply":    {in: Input{Exists: true, Diff: diff, WriteOnly: secret, GenerationApplied: true, ApplyRequested: true}, want: Plan{Action: Update, Diff: diff, WriteOnly: secret}, writes: true},
		"a difference alone sends nothing that was sent": {in: Input{Exists: true, Diff: diff, WriteOnly: secret, GenerationApplied: true}, want: Plan{Action: Update, Diff: diff}, writes: true},

		"a difference that doesn't converge doesn't hide what wasn't sent":         {in: Input{Exists: true, Diff: diff, Exhausted: always, WriteOnly: secret}, want: beside(Plan{Action: Update, WriteOnly: secret}), writes: true},
		"a difference that doesn't converge doesn't hide a changed Secret":         {in: Input{Exists: true, Diff: diff, Exhausted: always, GenerationApplied: true, WriteOnly: secret, SourcesChanged: true}, want: beside(Plan{Action: Update, WriteOnly: secret}), writes: true},
		"a difference that doesn't converge doesn't hide lost credentials":         {in: Input{Exists: true, Diff: diff, Exhausted: always, GenerationApplied: true, CredentialsLost: true}, want: beside(Plan{Action: Reset}), writes: true},
		"a difference that doesn't converge is sent again on request":              {in: Input{Exists: true, Diff: diff, Exhausted: always, GenerationApplied: true, WriteOnly: secret, ApplyRequested: true}, want: Plan{Action: Update, Diff: diff, WriteOnly: secret}, writes: true},
		"a changed Secret waits beside a difference that doesn't converge":         {in: Input{Exists: true, Diff: diff, Exhausted: always, WriteOnly: secret, SourcesChanged: true, WaitFor: "a backup"}, want: beside(Plan{Action: Wait})},
		"a difference that doesn't converge waits for nothing":                     {in: Input{Exists: true, Diff: diff, Exhausted: always, GenerationApplied: true, WriteOnly: secret, WaitFor: "a backup"}, want: shows(condition.ReasonNotConverging)},
		"nothing is written while observing, whatever is due":                      {in: Input{Exists: true, Diff: diff, Exhausted: always, ObserveOnly: true, WriteOnly: secret, SourcesChanged: true, ApplyRequested: true, CredentialsLost: true}, want: shows(condition.ReasonReportOnly)},
		"nothing is written where differences are left by policy, whatever is due": {in: Input{Exists: true, Diff: diff, Exhausted: always, Leave: condition.ReasonReportOnly, WriteOnly: secret, SourcesChanged: true, ApplyRequested: true, CredentialsLost: true}, want: shows(condition.ReasonReportOnly)},

		"a fresh apply is made on request":         {in: Input{Exists: true, GenerationApplied: true, ApplyRequested: true}, want: Plan{Action: Update}, writes: true},
		"lost credentials are issued again":        {in: Input{Exists: true, GenerationApplied: true, CredentialsLost: true}, want: Plan{Action: Reset}, writes: true},
		"a requested apply is made before a reset": {in: Input{Exists: true, GenerationApplied: true, ApplyRequested: true, CredentialsLost: true}, want: Plan{Action: Update}, writes: true},
		"what wasn't sent is sent before a reset":  {in: Input{Exists: true, WriteOnly: secret, CredentialsLost: true}, want: Plan{Action: Update, WriteOnly: secret}, writes: true},
		"a changed Secret is sent before a reset":  {in: Input{Exists: true, WriteOnly: secret, GenerationApplied: true, SourcesChanged: true, CredentialsLost: true}, want: Plan{Action: Update, WriteOnly: secret}, writes: true},
		"a reset waits like any change":            {in: Input{Exists: true, GenerationApplied: true, CredentialsLost: true, WaitFor: "a backup"}, want: Plan{Action: Wait}},
		"lost credentials of what is left stay":    {in: Input{Exists: true, CredentialsLost: true, Leave: condition.ReasonReportOnly}, want: report(condition.ReasonReportOnly)},
	} {
		t.Run(name, func(t *testing.T) {
			tc.in.Owned = true
			got := Decide(tc.in)
			assert.Equal(t, tc.want, got)
			assert.Equal(t, tc.writes, got.Writes())
		})
	}
}

func TestAnUpdateIsAboutItsDifferencesOrElseWhatAivenDoesNotReturn(t *testing.T) {
	diff, secret := Diff{{Path: "spec.plan"}, {Path: "spec.tags"}}, []string{"spec.userConfig.password"}
	assert.Equal(t, []string{"spec.plan", "spec.tags"}, Plan{Action: Update, Diff: diff, WriteOnly: secret}.Changes())
	assert.Equal(t, secret, Plan{Action: Update, WriteOnly: secret, Left: diff}.Changes())
	assert.Empty(t, Plan{Action: Update}.Changes(), "the whole spec")
}

func TestNothingIsWrittenWithoutConsent(t *testing.T) {
	diff := Diff{{Path: "spec.plan"}}
	never, adopt, both := policy.Adoption{Creates: true}, policy.Adoption{Adopts: true}, policy.Adoption{Adopts: true, Creates: true}
	unknown := policy.Adoption{Problem: "unknown"}
	refuse := func(refusal, note string, left Diff) Plan {
		return Plan{Action: Refuse, Refusal: refusal, Note: note, Left: left, Reason: condition.ReasonAlreadyExists, Unapplied: true}
	}
	for name, tc := range map[string]struct {
		in   Input
		want Plan
	}{
		"what exists is left alone, and the difference is shown": {Input{Exists: true, Diff: diff, Adoption: never}, refuse(condition.ReasonAlreadyExists, "", diff)},
		"also what would lose data":                              {Input{Exists: true, Held: Held{Diff: diff, Loss: "all"}, Adoption: never}, refuse(condition.ReasonAlreadyExists, "", diff)},
		"also where drift is only shown":                         {Input{Exists: true, Diff: diff, Adoption: never, Leave: condition.ReasonReportOnly}, refuse(condition.ReasonAlreadyExists, "", diff)},
		"also by a policy that isn't known":                      {Input{Exists: true, Adoption: unknown}, refuse(condition.ReasonAlreadyExists, "unknown", nil)},
		"what exists is adopted by consent":                      {Input{Exists: true, Diff: diff, Adoption: adopt}, Plan{Action: Update, Diff: diff}},
		"what exists is adopted if it needs none":                {Input{Exists: true, Diff: diff, Adoption: never, Free: true}, Plan{Action: Update, Diff: diff}},
		"what may be on its way waits":                           {Input{Exists: true, Adoption: never, WaitFor: "a write"}, Plan{Action: Wait}},
		"also where everything seems to be applied":              {Input{Exists: true, Adoption: never, WaitFor: "a write", GenerationApplied: true}, Plan{Action: Wait}},
		"also where drift is only shown and something waits":     {Input{Exists: true, Adoption: never, WaitFor: "a write", Leave: condition.ReasonReportOnly}, Plan{Action: Wait}},
		"what only observes is shown":                            {Input{Exists: true, Diff: diff, Adoption: never, ObserveOnly: true}, Plan{Action: Report, Left: diff, Reason: condition.ReasonReportOnly, Unapplied: true}},

		"what doesn't exist is created":                      {Input{Adoption: never}, Plan{Action: Create}},
		"what doesn't exist is created by either policy":     {Input{Adoption: both}, Plan{Action: Create}},
		"what doesn't exist isn't created to be adopted":     {Input{Adoption: adopt}, refuse(condition.ReasonNothingToAdopt, "", nil)},
		"nor by a policy that isn't known":                   {Input{Adoption: unknown}, refuse(condition.ReasonNothingToAdopt, "unknown", nil)},
		"what was made and isn't there is created, whatever": {Input{Owned: true, Adoption: adopt}, Plan{Action: Create}},

		"what is lost is left missing":                   {Input{Owned: true, Lost: true}, refuse(condition.ReasonRemoteMissing, "", nil)},
		"what is lost is left missing by a drift policy": {Input{Owned: true, Lost: true, Leave: condition.ReasonReportOnly}, refuse(condition.ReasonRemoteMissing, condition.ReasonReportOnly, nil)},
		"what was lost and is back is corrected":         {Input{Exists: true, Owned: true, Diff: diff}, Plan{Action: Update, Diff: diff}},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tc.want, Decide(tc.in)) })
	}
}

// What waits for its turn is made once a policy that leaves it ends, so that it is shown before.
func TestWhatWaitsForItsTurnIsShownWhereDifferencesAreLeft(t *testing.T) {
	later, diff := Diff{{Path: "spec.powered", Wanted: "false", Found: "true"}}, Diff{{Path: "spec.plan"}}
	exhausted := func(Diff) bool { return true }
	for name, tc := range map[string]struct {
		in   Input
		left []string
	}{
		"drift is only shown":      {Input{Exists: true, Owned: true, Leave: condition.ReasonReportOnly}, []string{"spec.powered", "spec.plan"}},
		"it is only observed":      {Input{Exists: true, ObserveOnly: true}, []string{"spec.powered", "spec.plan"}},
		"it isn't the object's":    {Input{Exists: true}, []string{"spec.powered", "spec.plan"}},
		"the rest converges never": {Input{Exists: true, Owned: true, Exhausted: exhausted}, []string{"spec.powered", "spec.plan"}},
		"the rest is corrected":    {Input{Exists: true, Owned: true}, nil},
		"it is missing":            {Input{Owned: true, Lost: true}, []string{"spec.plan"}},
	} {
		t.Run(name, func(t *testing.T) {
			tc.in.Diff, tc.in.Held.Later = diff, later
			p := Decide(tc.in)
			assert.ElementsMatch(t, tc.left, p.Left.Paths())
			assert.True(t, p.Unapplied)
		})
	}
	unreturned := Input{Exists: true, Owned: true, Exhausted: exhausted, Diff: diff, WriteOnly: []string{"spec.userConfig.password"}}
	assert.Equal(t, Update, Decide(unreturned).Action)
	unreturned.Held.Later = later
	assert.Equal(t, Report, Decide(unreturned).Action, "it was sent with the differences, and the generation isn't accepted for hours")
	unreturned.SourcesChanged = true
	assert.Equal(t, Update, Decide(unreturned).Action)
	held := reviewed(policy.HoldDisruptive, diff, "spec.userConfig.password")
	held.Exhausted, held.Held.Later = exhausted, later
	held.Review.Approved = hash(t, held)
	assert.Equal(t, Update, Decide(held).Action, "it may have waited for approval when the differences were sent")
}
