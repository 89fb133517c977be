// Package plan decides what a reconcile does at Aiven. The decision is made once, after the observation, and every step
// that acts on it reads it.
package plan

import (
	"cmp"
	"slices"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// Action is what a reconcile does at Aiven.
type Action string

// The actions.
const (
	None   Action = "none"
	Wait   Action = "wait"   // a change is due and can't be made yet
	Report Action = "report" // differences are shown and left as they are
	Refuse Action = "refuse" // nothing may be written without consent
	Create Action = "create"
	Update Action = "update"
	Reset  Action = "reset" // credentials that Aiven returns once were lost, and are issued again
)

// Plan is a decision. The zero value is none: nothing was observed.
type Plan struct {
	Action    Action
	Diff      Diff     // differences that Update corrects
	WriteOnly []string // paths that Update sends although Aiven never returns them
	Left      Diff     // differences that are shown and left as they are
	Reason    string   // why they are left, for the condition Drifted
	Refusal   string   // reason for which Refuse allows nothing
	Note      string   // what else is known about that
	// Unconfirmed is what would be lost by a change that waits for consent, as a clause.
	Unconfirmed string
	Unapplied   bool // something that this generation asks for was never sent, and isn't now
	// Pending is what waits for approval, as it may be shown but for the length of its texts; nil for nothing.
	Pending      *v1alpha1.PendingChanges
	Held         Diff // differences that Update leaves as they are, for consent or approval
	HoldsSecrets bool // values of Secrets are among them
}

// Changes are the paths in the spec that Update is about; none if the whole spec is applied again.
func (p Plan) Changes() []string {
	if len(p.Diff) > 0 {
		return p.Diff.Paths()
	}
	return p.WriteOnly
}

// Settles reports whether the resource is as the spec asks once the plan is carried out, but for what Aiven is ahead of.
func (p Plan) Settles(newer Diff) bool {
	return !slices.Contains([]Action{"", Wait, Refuse}, p.Action) && p.Pending == nil && len(p.Left) == len(newer)
}

// Writes reports whether the plan creates or changes the resource.
func (p Plan) Writes() bool { return p.Action == Create || p.Action == Update || p.Action == Reset }

// Input is all that a plan depends on.
type Input struct {
	Exists      bool
	Owned       bool // the object owns what exists, or may own it: it made or adopted it
	Free        bool // what exists may be managed without consent
	Adoption    policy.Adoption
	Lost        bool            // what was ready is missing, and isn't to be made again
	ObserveOnly bool            // the management policy allows no write
	Leave       string          // reason for which differences are left as they are; empty if they are corrected
	Exhausted   func(Diff) bool // updates of these differences were accepted before and changed nothing; nil if there were none
	Diff        Diff
	Newer       Diff     // where Aiven is ahead of the spec by itself
	Held        Held     // what isn't changed without consent
	WriteOnly   []string // paths that the spec sets and Aiven never returns
	Wanted      Wanted   // what the spec has at them
	WaitFor     string   // why nothing may be written yet; empty if nothing is in the way

	GenerationApplied bool // Aiven has accepted this generation
	RestApplied       bool // it has accepted all of this generation but what is held
	SourcesChanged    bool // a Secret that the spec names has changed since it was applied
	ApplyRequested    bool // a user asks for a fresh apply
	CredentialsLost   bool // Aiven returned them once, they aren't in the Secret, and the Secret can be published

	Review Review // which changes wait for approval

	// Proven is set if a status says that this generation was accepted, by aero or by aiven-operator.
	Proven bool
	First  bool // the present generation is the first one

	whole bool // what waits can't be approved in parts
}

// unsent reports whether something may differ that Aiven doesn't return.
func (in *Input) unsent() bool {
	return len(in.WriteOnly) > 0 && (!in.GenerationApplied && !in.RestApplied || in.SourcesChanged)
}

// toSend are the paths that Aiven never returns, if they have to be sent.
func (in *Input) toSend() []string {
	if in.unsent() || in.ApplyRequested {
		return in.WriteOnly
	}
	return nil
}

// due reports whether the resource isn't as the spec asks, as far as that is known.
func (in *Input) due() bool {
	return !in.Exists || len(in.Diff) > 0 || in.unsent() || in.ApplyRequested || in.CredentialsLost
}

// Held are differences that are due and that the kind leaves out of the others: their correction loses data, which needs consent.
type Held struct {
	Diff Diff
	Loss string // what would be lost, as a clause
	// Later are differences that wait for their turn, and are among no others before. They are shown where differences are left.
	Later Diff
}

// postponed reports whether a difference is left for its turn, so that the generation isn't applied before. What the creation from the first
// spec leads to is a part of it and needs no approval: it is accepted with the creation, unless a policy leaves it, after whose end it would
// go unseen.
func (in *Input) postponed() bool {
	isPartOfCreation := !in.Exists && in.First && in.Leave == "" && in.Review.holds()
	return len(in.Held.Later) > 0 && !in.applied() && !isPartOfCreation
}

// differing is all in which what exists differs, but for what is held.
func (in *Input) differing() Diff {
	if !in.Exists {
		return in.Diff
	}
	return slices.Concat(in.Held.Later, in.Diff)
}

// Decide is pure: the same input leads to the same plan. What Aiven is ahead of and what is held are shown, beside what is left for another
// reason.
func Decide(in Input) Plan {
	waiting, later := in.review(), in.postponed()
	p := in.decide()
	if p.Action == Wait {
		return p
	}
	p = in.await(p, waiting)
	p.Unapplied = p.Unapplied || later // else it would count as accepted before it is sent, or waits for approval
	if len(in.Held.Diff) > 0 {
		p = in.hold(p)
	}
	return p.leave(in.Newer, condition.ReasonNewerVersion)
}

// hold asks for consent, unless the resource is left as it is anyway.
func (in *Input) hold(p Plan) Plan {
	if p.Action != Refuse && !in.ObserveOnly && in.Leave == "" {
		p.Unconfirmed, p.Reason = in.Held.Loss, condition.ReasonConfirmationRequired
	}
	p.Unapplied = p.Unapplied || !in.applied() && !in.ApplyRequested
	if p.Action == Update {
		p.Held = append(p.Held, in.Held.Diff...)
	}
	return p.leave(in.Held.Diff, p.Reason)
}

// leave shows differences that are left, for a reason that counts if nothing else is left.
func (p Plan) leave(left Diff, reason string) Plan {
	if len(left) == 0 {
		return p
	}
	if p.Action == None {
		p.Action = Report
	}
	p.Left, p.Reason = append(slices.Clone(left), p.Left...), cmp.Or(p.Reason, reason)
	return p
}

func (in *Input) decide() Plan {
	switch {
	case in.Exists && in.ObserveOnly:
		return in.report(condition.ReasonReportOnly)
	case in.ObserveOnly:
		return Plan{Action: None}
	case in.WaitFor != "" && !in.Owned: // what seems to exist may not
		return Plan{Action: Wait}
	case in.refuses() != "":
		return Plan{Action: Refuse, Refusal: in.refuses(), Note: in.note(), Left: in.differing(), Reason: condition.ReasonAlreadyExists, Unapplied: true}
	case in.Exists && in.Leave != "":
		return in.report(in.Leave)
	case in.Exists && !in.ApplyRequested && in.Exhausted != nil && in.Exhausted(in.Diff):
		return in.withoutDiff()
	default:
		return in.write()
	}
}

// refuses returns the reason for which nothing may be written without consent, or "". What waits may not be what it seems.
func (in *Input) refuses() string {
	switch {
	case in.WaitFor != "":
		return ""
	case in.Exists && !in.Owned && !in.Free && !in.Adoption.Adopts:
		return condition.ReasonAlreadyExists
	case !in.Exists && !in.Owned && !in.Adoption.Creates:
		return condition.ReasonNothingToAdopt
	case !in.Exists && in.Lost:
		return condition.ReasonRemoteMissing
	default:
		return ""
	}
}

// note is why the consent that was given doesn't count, or why more than consent is needed.
func (in *Input) note() string {
	if in.Owned {
		return in.Leave
	}
	return in.Adoption.Problem
}

// applied reports whether Aiven has accepted this generation, for what is left as it is: nothing is sent that would prove it, and the
// annotation may be of a user.
func (in *Input) applied() bool { return in.GenerationApplied && in.Proven }

// report leaves everything as it is. A request for a fresh apply of what was applied before makes nothing of it unapplied.
func (in *Input) report(reason string) Plan {
	unapplied := !in.applied() && !in.ApplyRequested && (len(in.Diff) > 0 || len(in.WriteOnly) > 0)
	return Plan{Action: Report, Left: in.differing(), Reason: reason, Unapplied: unapplied}
}

// withoutDiff leaves differences that don't converge, and writes whatever else is due: a rotated Secret isn't less urgent
// because a tag doesn't converge. What Aiven never returns was sent with them, unless it waited for approval, though the generation isn't applied
// before what waits for its turn.
func (in *Input) withoutDiff() Plan {
	rest := *in
	rest.Diff, rest.RestApplied = nil, in.RestApplied || len(in.Held.Later) > 0 && !in.Review.holds()
	p := rest.write()
	if p.Action == None {
		p.Action = Report
	}
	p.Left, p.Reason = in.differing(), condition.ReasonNotConverging
	return p
}

// write makes the resource as the spec asks.
func (in *Input) write() Plan {
	switch {
	case in.WaitFor != "" && (in.due() || !in.GenerationApplied): // what isn't shown yet may not have been applied
		return Plan{Action: Wait}
	case !in.Exists:
		return Plan{Action: Create}
	case len(in.Diff) > 0, in.unsent(), in.ApplyRequested: // before a reset, after which the generation counts as applied
		return Plan{Action: Update, Diff: in.Diff, WriteOnly: in.toSend()}
	case in.CredentialsLost:
		return Plan{Action: Reset}
	default:
		return Plan{Action: None}
	}
}
