package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/controllers/internal/condition"
)

func TestP05_TheSameInputLeadsToTheSamePlan(t *testing.T) {
	diff := Diff{{Path: "spec.plan"}, {Path: "spec.tags"}}
	secret := []string{"spec.userConfig.password"}
	report := func(reason string) Plan { return Plan{Action: Report, Reason: reason} }
	shows := func(reason string) Plan { return Plan{Action: Report, Left: diff, Reason: reason} }
	unapplied := func(p Plan) Plan { p.Unapplied = true; return p }
	beside := func(p Plan) Plan { p.Left, p.Reason = diff, condition.ReasonNotConverging; return p }
	for name, tc := range map[string]struct {
		in     Input
		want   Plan
		writes bool
	}{
		"what is missing is created":                         {in: Input{}, want: Plan{Action: Create}, writes: true},
		"what is missing and can't be made yet is awaited":   {in: Input{WaitFor: "a backup"}, want: Plan{Action: Wait}},
		"what is missing is not created while observing":     {in: Input{ObserveOnly: true}, want: Plan{Action: None}},
		"what is missing is created, whatever is left alone": {in: Input{Leave: condition.ReasonTakenOver, Exhausted: true}, want: Plan{Action: Create}, writes: true},

		"what is in sync is left alone":                       {in: Input{Exists: true, GenerationApplied: true}, want: Plan{Action: None}},
		"what is in sync waits for nothing":                   {in: Input{Exists: true, GenerationApplied: true, WaitFor: "a backup"}, want: Plan{Action: None}},
		"what may not have been applied waits":                {in: Input{Exists: true, WaitFor: "the result of a write"}, want: Plan{Action: Wait}},
		"what is in sync while observing has nothing to show": {in: Input{Exists: true, ObserveOnly: true}, want: report(condition.ReasonReportOnly)},

		"a difference is corrected":                      {in: Input{Exists: true, Diff: diff}, want: Plan{Action: Update, Diff: diff}, writes: true},
		"a difference that can't be corrected yet waits": {in: Input{Exists: true, Diff: diff, WaitFor: "a backup"}, want: Plan{Action: Wait}},
		"a difference is only shown while observing":     {in: Input{Exists: true, Diff: diff, ObserveOnly: true, Leave: "other", Exhausted: true}, want: unapplied(shows(condition.ReasonReportOnly))},
		"a difference is left as the policy asks":        {in: Input{Exists: true, Diff: diff, Leave: condition.ReasonTakenOver, Exhausted: true, WaitFor: "a backup"}, want: unapplied(shows(condition.ReasonTakenOver))},
		"a difference of an applied generation is drift": {in: Input{Exists: true, Diff: diff, Leave: condition.ReasonTakenOver, GenerationApplied: true}, want: shows(condition.ReasonTakenOver)},
		"what was applied before a request is applied":   {in: Input{Exists: true, Diff: diff, Leave: condition.ReasonReportOnly, ApplyRequested: true}, want: shows(condition.ReasonReportOnly)},
		"what Aiven doesn't return is left by a policy":  {in: Input{Exists: true, WriteOnly: secret, Leave: condition.ReasonReportOnly}, want: unapplied(report(condition.ReasonReportOnly))},
		"what Aiven doesn't return was sent before it":   {in: Input{Exists: true, WriteOnly: secret, ObserveOnly: true, GenerationApplied: true}, want: report(condition.ReasonReportOnly)},
		"a difference that no update changes is left":    {in: Input{Exists: true, Diff: diff, Exhausted: true}, want: shows(condition.ReasonNotConverging)},
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

		"a difference that doesn't converge doesn't hide what wasn't sent":         {in: Input{Exists: true, Diff: diff, Exhausted: true, WriteOnly: secret}, want: beside(Plan{Action: Update, WriteOnly: secret}), writes: true},
		"a difference that doesn't converge doesn't hide a changed Secret":         {in: Input{Exists: true, Diff: diff, Exhausted: true, GenerationApplied: true, WriteOnly: secret, SourcesChanged: true}, want: beside(Plan{Action: Update, WriteOnly: secret}), writes: true},
		"a difference that doesn't converge doesn't hide lost credentials":         {in: Input{Exists: true, Diff: diff, Exhausted: true, GenerationApplied: true, CredentialsLost: true}, want: beside(Plan{Action: Reset}), writes: true},
		"a difference that doesn't converge is sent again on request":              {in: Input{Exists: true, Diff: diff, Exhausted: true, GenerationApplied: true, WriteOnly: secret, ApplyRequested: true}, want: Plan{Action: Update, Diff: diff, WriteOnly: secret}, writes: true},
		"a changed Secret waits beside a difference that doesn't converge":         {in: Input{Exists: true, Diff: diff, Exhausted: true, WriteOnly: secret, SourcesChanged: true, WaitFor: "a backup"}, want: beside(Plan{Action: Wait})},
		"a difference that doesn't converge waits for nothing":                     {in: Input{Exists: true, Diff: diff, Exhausted: true, GenerationApplied: true, WriteOnly: secret, WaitFor: "a backup"}, want: shows(condition.ReasonNotConverging)},
		"nothing is written while observing, whatever is due":                      {in: Input{Exists: true, Diff: diff, Exhausted: true, ObserveOnly: true, WriteOnly: secret, SourcesChanged: true, ApplyRequested: true, CredentialsLost: true}, want: shows(condition.ReasonReportOnly)},
		"nothing is written where differences are left by policy, whatever is due": {in: Input{Exists: true, Diff: diff, Exhausted: true, Leave: condition.ReasonReportOnly, WriteOnly: secret, SourcesChanged: true, ApplyRequested: true, CredentialsLost: true}, want: shows(condition.ReasonReportOnly)},

		"a fresh apply is made on request":         {in: Input{Exists: true, GenerationApplied: true, ApplyRequested: true}, want: Plan{Action: Update}, writes: true},
		"lost credentials are issued again":        {in: Input{Exists: true, GenerationApplied: true, CredentialsLost: true}, want: Plan{Action: Reset}, writes: true},
		"a requested apply is made before a reset": {in: Input{Exists: true, GenerationApplied: true, ApplyRequested: true, CredentialsLost: true}, want: Plan{Action: Update}, writes: true},
		"what wasn't sent is sent before a reset":  {in: Input{Exists: true, WriteOnly: secret, CredentialsLost: true}, want: Plan{Action: Update, WriteOnly: secret}, writes: true},
		"a changed Secret is sent before a reset":  {in: Input{Exists: true, WriteOnly: secret, GenerationApplied: true, SourcesChanged: true, CredentialsLost: true}, want: Plan{Action: Update, WriteOnly: secret}, writes: true},
		"a reset waits like any change":            {in: Input{Exists: true, GenerationApplied: true, CredentialsLost: true, WaitFor: "a backup"}, want: Plan{Action: Wait}},
		"lost credentials of what is left stay":    {in: Input{Exists: true, CredentialsLost: true, Leave: condition.ReasonReportOnly}, want: report(condition.ReasonReportOnly)},
	} {
		t.Run(name, func(t *testing.T) {
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
