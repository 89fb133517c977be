package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/impact"
	"github.com/aero-operator/aero/controllers/internal/policy"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
)

// Review is all that the policy for changes depends on. The zero value lets each change through.
type Review struct {
	Kind     string // of the object
	Policy   string // a value of policy.ChangeOf
	Approved string // hash of the changes that are approved
	// Accepted is set if Aiven has accepted this generation before, nothing of it waits, and what it refers to is the same: what differs was
	// changed at Aiven since. It is known from a status, which users can't write, and not from an annotation.
	Accepted bool
	// Scope distinguishes values that no text shows, such as those of two generations.
	Scope string
	// Conceal returns each difference as it may be shown.
	Conceal func([]Difference) []Shown
	// Separable reports whether these differences can be left while others are corrected.
	Separable func(held Diff) bool
}

// Rules are what a Review is made of, besides the annotations of the object.
type Rules struct {
	Kind       string
	Defaults   policy.Defaults // of the objects in the Namespace
	Accepted   bool            // see Review
	Secrets    map[types.NamespacedName]string
	Conceal    func([]Difference) []Shown
	Controller any // a Separator, or one that corrects all differences at once
}

// ReviewOf returns how the changes of an object are reviewed. What no text shows of them is bound to the generation and to the versions
// of the Secrets that the spec names.
func ReviewOf(obj client.Object, rules Rules) Review {
	r := Review{
		Kind: rules.Kind, Policy: policy.ChangeOf(obj, rules.Defaults), Approved: policy.ApprovedChanges(obj), Accepted: rules.Accepted,
		Scope:   fmt.Sprint(obj.GetUID(), obj.GetGeneration(), rules.Secrets), // maps are printed in the order of their keys
		Conceal: rules.Conceal,
	}
	if separator, is := rules.Controller.(Separator); is {
		r.Separable = func(held Diff) bool { return separator.Separates(obj, held) }
	}
	return r
}

// Separator is a controller that may be able to correct some differences, and to leave others. held has those that are left.
type Separator interface {
	Separates(obj client.Object, held Diff) bool
}

// ErrInseparable is the error of an update that can't leave out what is held. It never follows an observation that a Separator was asked
// about.
var ErrInseparable = errors.New("the changes that wait for approval can't be left out of the update")

// MaxPending bounds what waits for one approval. What is beyond waits for the next one, unless it can't be left out: no approval covers
// what wasn't shown.
const MaxPending = 100

// change is a difference that is due. unseen is set for one whose values aren't shown, or not whole.
type change struct {
	at        int // among those that are due
	raw       Difference
	shown     v1alpha1.DriftEntry
	impact    impact.Change
	unseen    bool
	writeOnly bool
}

// holds reports whether something may have to wait for approval. What isn't written anyway doesn't.
func (in *Input) holds() bool {
	return in.Review.holds() && in.Exists && !in.ObserveOnly && in.Leave == "" && in.WaitFor == "" && in.refuses() == ""
}

func (r *Review) holds() bool { return r.Policy == policy.HoldDisruptive || r.Policy == policy.HoldAll }

// review takes what waits for approval out of what is due, and returns it.
func (in *Input) review() []change {
	if !in.holds() {
		return nil
	}
	due := in.changes()
	var held []change
	for _, c := range due {
		if in.Review.Policy == policy.HoldAll || c.impact.Disruptive() {
			held = append(held, c)
		}
	}
	if slices.ContainsFunc(held, func(c change) bool { return c.unseen }) { // what is sent of a Secret is recorded as a whole
		held = slices.DeleteFunc(slices.Clone(due), func(c change) bool {
			return !c.unseen && !slices.ContainsFunc(held, func(h change) bool { return h.at == c.at })
		})
	}
	if held = in.unapproved(held); len(held) == 0 {
		return nil
	}
	if separable := in.Review.Separable; separable == nil || !separable(diffOf(held)) {
		return in.leaveAll(in.unapprovedWhole(due))
	}
	in.leaveOut(held)
	return held
}

// changes are what is due and wasn't accepted before. A Secret that has changed since was not.
func (in *Input) changes() []change {
	var due []change
	shown := in.Review.Conceal(in.Diff)
	for i, raw := range in.Diff {
		one := shown[i].DriftEntry
		inPart := one != raw.Entry() || max(len(raw.Wanted), len(raw.Found)) > userconfig.MaxText // a part of a text is a secret, or too long
		unseen := shown[i].Hidden || inPart
		if !in.Review.Accepted || shown[i].Hidden && in.SourcesChanged {
			due = append(due, change{at: len(due), raw: raw, shown: one, impact: Impact(in.Review.Kind, raw), unseen: unseen})
		}
	}
	if in.Review.Accepted && !in.SourcesChanged {
		return due
	}
	for _, path := range in.WriteOnly {
		due = append(due, change{
			at: len(due), raw: Difference{Path: path}, shown: in.Wanted.Shown(path, in.Review.Conceal), unseen: true, writeOnly: true,
			impact: Impact(in.Review.Kind, in.Wanted.Difference(path)),
		})
	}
	return due
}

// unapproved returns the changes without those that are approved: all of them, or the first ones that could be shown.
func (in *Input) unapproved(changes []change) []change {
	first := changes[:min(len(changes), MaxPending)]
	if in.Review.hash(first) == in.Review.Approved {
		return changes[len(first):]
	}
	return changes
}

// unapprovedWhole is unapproved where none of the changes can be left out. Those that aren't shown are bound to the generation.
func (in *Input) unapprovedWhole(changes []change) []change {
	for i := MaxPending; i < len(changes); i++ {
		changes[i].unseen = true
	}
	in.whole = true
	if in.Review.hash(changes) == in.Review.Approved {
		return nil
	}
	return changes
}

// leaveAll keeps everything from being sent, if something is held.
func (in *Input) leaveAll(held []change) []change {
	if len(held) > 0 {
		in.leaveOut(held)
		in.Diff, in.ApplyRequested = nil, false
	}
	return held
}

// leaveOut keeps what is held from being sent.
func (in *Input) leaveOut(held []change) {
	kept := func(path string, writeOnly bool) bool {
		return slices.ContainsFunc(held, func(c change) bool { return c.raw.Path == path && c.writeOnly == writeOnly })
	}
	in.Diff = slices.DeleteFunc(slices.Clone(in.Diff), func(d Difference) bool { return kept(d.Path, false) })
	in.WriteOnly = slices.DeleteFunc(slices.Clone(in.WriteOnly), func(path string) bool { return kept(path, true) })
}

// diffOf are the differences of changes; of what Aiven never returns, without values.
func diffOf(changes []change) Diff {
	var diff Diff
	for _, c := range changes {
		diff = append(diff, c.raw)
	}
	return diff
}

// await puts what waits for approval into a plan. The generation isn't applied before; a request for a fresh apply, which the rest meets,
// makes nothing of it unapplied.
func (in *Input) await(p Plan, held []change) Plan {
	if len(held) == 0 {
		return p
	}
	shown := held[:min(len(held), MaxPending)]
	p.Pending = &v1alpha1.PendingChanges{Hash: in.Review.hash(shown)}
	if in.whole {
		p.Pending.Hash = in.Review.hash(held)
	}
	for _, c := range shown {
		one := v1alpha1.PendingChange{Path: c.shown.Path, From: c.shown.Found, To: c.shown.Wanted, Message: c.impact.Message}
		for _, name := range c.impact.Impacts {
			one.Impact = append(one.Impact, string(name))
		}
		p.Pending.Changes = append(p.Pending.Changes, one)
	}
	if more := len(held) - len(shown); in.whole && more > 0 {
		last := &p.Pending.Changes[len(shown)-1].Message
		*last = strings.TrimPrefix(fmt.Sprintf("%s; and %d more changes, which the spec has and which can't wait on their own", *last, more), "; ")
	}
	if p.Action == Update {
		p.Held = append(p.Held, diffOf(held)...)
	}
	p.HoldsSecrets = slices.ContainsFunc(held, func(c change) bool { return c.unseen })
	p.Unapplied = p.Unapplied || !in.Review.Accepted && !in.ApplyRequested
	return p
}

// hash covers the path and the two values of each change, as they may be shown: from a hash of a secret value, that could be guessed.
// What isn't shown is covered by the scope instead.
func (r *Review) hash(changes []change) string {
	entries := make([][4]string, 0, len(changes))
	for _, c := range changes {
		entry := [4]string{c.shown.Path, c.shown.Found, c.shown.Wanted}
		if c.unseen {
			entry[3] = r.Scope
		}
		entries = append(entries, entry)
	}
	slices.SortFunc(entries, func(a, b [4]string) int {
		return strings.Compare(strings.Join(a[:], "\x00"), strings.Join(b[:], "\x00"))
	})
	encoded, err := json.Marshal(entries)
	if err != nil {
		panic(err) // strings can be encoded
	}
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:hashBytes])
}

// hashBytes are too many to find a second set of changes with the same hash.
const hashBytes = 20
