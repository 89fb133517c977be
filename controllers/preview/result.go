package preview

import (
	"context"
	"slices"
	"strings"

	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/impact"
	"github.com/aero-operator/aero/controllers/internal/listprice"
	"github.com/aero-operator/aero/controllers/internal/oneshot"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/plan"
	"github.com/aero-operator/aero/controllers/internal/policy"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// Action is what the operator would do at Aiven.
type Action string

// The actions.
const (
	Nothing Action = "Nothing" // Aiven is as the object asks
	Create  Action = "Create"
	Update  Action = "Update"
	Leave   Action = "Leave"   // there are differences, and a policy leaves them as they are
	Refuse  Action = "Refuse"  // nothing would be written before the object is changed
	Unknown Action = "Unknown" // it couldn't be compared
)

// Change is a difference, with what its correction costs or interrupts.
type Change = impact.Change

// Impact is what a change costs or interrupts.
type Impact = impact.Impact

// Result is what was found for one object.
type Result struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Action    Action `json:"action"`
	// Message is why, and what to do; empty where the action says all.
	Message string `json:"message,omitempty"`
	// Changes are what Update corrects.
	Changes []Change `json:"changes,omitempty"`
	// Left are differences that stay.
	Left []Change `json:"left,omitempty"`
}

// Writes reports whether something at Aiven would be created or changed.
func (r Result) Writes() bool { return r.Action == Create || r.Action == Update }

// Disruptive reports whether one of the changes is.
func (r Result) Disruptive() bool { return slices.ContainsFunc(r.Changes, Change.Disruptive) }

func (r *Result) unknown(message string) bool { return r.end(Unknown, message) }
func (r *Result) refuse(message string) bool  { return r.end(Refuse, message) }

// end returns false: nothing else is to be found out.
func (r *Result) end(action Action, message string) bool {
	r.Action, r.Message = action, message
	return false
}

// failed is for an observation that ended with an error.
func (r *Result) failed(f fault.Fault) bool {
	if f.Class == fault.Invalid {
		return r.refuse(f.Message)
	}
	return r.unknown(oneshot.WithRemedy(f, ""))
}

// conclude turns the plan into the result.
func (p *comparison) conclude(ctx context.Context, r *Result) {
	found := p.plan(plan.Review{}) // with what waits for approval, too
	r.Left = p.changes(r.Kind, found.Left, nil)
	if found.Reason == condition.ReasonNewerVersion { // no approval and no annotation makes such a change
		for i, change := range r.Left {
			r.Left[i] = Change{Path: change.Path, From: change.From, To: change.To}
		}
	}
	var texts []string
	switch found.Action {
	case plan.Wait:
		r.Action, texts = Unknown, append(texts, p.seen.WaitFor)
	case plan.Create:
		r.Action = Create
	case plan.Update:
		r.Action, r.Changes = Update, p.changes(r.Kind, found.Diff, found.WriteOnly)
		p.addPrice(ctx, r.Changes)
	case plan.Refuse:
		r.Action, texts = Refuse, append(texts, status.Consent(found.Refusal, found.Note))
	default:
		r.Action = Nothing
		if len(r.Left) > 0 {
			r.Action = Leave
		}
	}
	if found.Unconfirmed != "" {
		texts = append(texts, "Not applied without the annotation "+annotation.ConfirmDataLoss+": "+found.Unconfirmed)
	} else if len(found.Left) > 0 && found.Action != plan.Refuse {
		texts = append(texts, status.WhyLeft(found.Reason, p.facts.ObserveOnly))
	}
	if text := p.waits(r); text != "" {
		texts = append(texts, text)
	}
	if policy.IsPaused(p.obj) && r.Writes() {
		r.Action, r.Left, r.Changes = Leave, append(r.Left, r.Changes...), nil
		texts = append(texts, "The object is paused: nothing is written until it is resumed")
	}
	r.Message = strings.Join(texts, ". ")
}

// addPrice completes the change of a plan or a cloud with the list price, if the token may read it.
func (p *comparison) addPrice(ctx context.Context, changes []Change) {
	wanted := map[string]string{}
	for _, change := range changes {
		wanted[change.Path] = change.To
	}
	path, price := listprice.Of(ctx, p.client, p.obj, wanted)
	for i := range changes {
		if changes[i].Path == path {
			changes[i].MonthlyPrice = price
		}
	}
}

// waits is why changes aren't made at once; empty if they are. Which of them could be made without the rest is up to the controller: here it
// is enough that some wait.
func (p *comparison) waits(r *Result) string {
	review := plan.ReviewOf(p.obj, plan.Rules{
		Kind: r.Kind, Defaults: p.defaults, Secrets: p.env.Refs.SecretVersions(), Conceal: p.facts.Concealed,
		Accepted: ownership.AcceptsAll(p.obj, reference.Replaced(p.env.Refs.Refs(), p.obj.GetCommonStatus().ResolvedRefs)),
	})
	switch {
	case r.Action != Update || p.plan(review).Pending == nil:
		return ""
	case review.Policy == policy.HoldAll:
		return "The changes wait for approval: the policy " + annotation.ChangePolicy + " is " + review.Policy
	default:
		return "What is disruptive waits for approval: the policy " + annotation.ChangePolicy + " is " + review.Policy
	}
}

// changes have no secret values. A secret that Aiven never returns has none at all.
func (p *comparison) changes(kind string, diff plan.Diff, writeOnly []string) []Change {
	var all []Change
	shown := p.facts.Redacted(diff)
	diff = slices.Clone(diff[:len(shown)])
	for _, path := range writeOnly {
		diff = append(diff, p.seen.Wanted.Difference(path))
		shown = append(shown, plan.Shown{DriftEntry: p.seen.Wanted.Shown(path, p.facts.Redacted)})
	}
	for i := range shown {
		change := plan.Impact(kind, diff[i])
		change.From, change.To = shown[i].Found, shown[i].Wanted
		all = append(all, change)
	}
	return all
}
