package userrotation

import (
	"fmt"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
)

// Turn is whose login a Secret has.
type Turn struct {
	// User is the name of the ServiceUser, and Since when the Secret got its login, to the microsecond.
	User  string
	Since time.Time
	// Handled is the value of the annotation that asked for the latest rotation; empty for none.
	Handled string
}

// Facts are all that a turn depends on.
type Facts struct {
	// Users are those of the spec.
	Users []string
	// Stored is the turn in the Secret, Recorded that in the status; nil if there is none.
	Stored, Recorded *Turn
	// Request is the value of the annotation that asks for a rotation; empty for none.
	Request string
	// Interval is that of the spec.
	Interval time.Duration
	Now      time.Time
}

// Current is the turn that is to be published now: the one that is stored, or else recorded. The first one is that of the first user, and
// so is that of a spec with other users. A request that is there before isn't one for a rotation: the manifest was applied again
// elsewhere, and the login is new there.
func (f Facts) Current() Turn {
	first := Turn{User: f.Users[0], Since: f.Now.UTC().Truncate(time.Microsecond), Handled: f.Request}
	stored := f.Stored
	if stored != nil && f.Recorded != nil && stored.Since.Before(f.Recorded.Since) {
		stored = nil // the status follows the Secret: this is a Secret from a backup, or has forged annotations
	}
	for _, known := range []*Turn{stored, f.Recorded} {
		switch {
		case known == nil:
		case slices.Contains(f.Users, known.User):
			return known.completed(f.Recorded)
		default:
			first.Handled = known.Handled
			return first
		}
	}
	return first
}

// IsPublished reports whether the login of the user is the one that was published last.
func (f Facts) IsPublished(t Turn) bool {
	return f.Stored != nil && f.Stored.User == t.User || f.Recorded != nil && f.Recorded.User == t.User
}

// completed is a turn with the request that a status has for the same one, where its own is missing: another client may overwrite one
// annotation of the Secret, which doesn't count then, and leave the others.
func (t Turn) completed(recorded *Turn) Turn {
	if t.Handled == "" && recorded != nil && recorded.User == t.User && recorded.Since.Equal(t.Since) {
		t.Handled = recorded.Handled
	}
	return t
}

// Wait is how long the turn still lasts; 0 if the next one is due.
func (f Facts) Wait(t Turn) time.Duration {
	if f.Request != "" && f.Request != t.Handled {
		return 0
	}
	return max(t.Since.Add(f.Interval).Sub(f.Now), 0)
}

// Next is the turn of the other user, once its password is rotated.
func (f Facts) Next(t Turn) Turn {
	next := Turn{User: f.Users[0], Since: f.Now.UTC().Truncate(time.Microsecond), Handled: t.Handled}
	if next.User == t.User {
		next.User = f.Users[1]
	}
	if f.Request != "" {
		next.Handled = f.Request
	}
	return next
}

// Request is what a turn asks the other user for, as the value of its annotation rotate-requested-at. No other turn has it.
func (t Turn) Request(of *aero.ServiceUserRotation) string {
	return fmt.Sprintf("%s/%s/%s", of.Name, of.UID, t.Since.Format(time.RFC3339Nano))
}

// annotated are annotations of a Secret, with those of a turn.
func (t Turn) annotated(others map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, others)
	delete(all, annotation.RotationHandled)
	all[annotation.ActiveUser], all[annotation.ActiveSince] = t.User, t.Since.Format(time.RFC3339Nano)
	if t.Handled != "" {
		all[annotation.RotationHandled] = t.Handled
	}
	return all
}

// storedTurn is the turn that annotations have; nil if they have none.
func storedTurn(annotations map[string]string) *Turn {
	since, err := time.Parse(time.RFC3339Nano, annotations[annotation.ActiveSince])
	if user := annotations[annotation.ActiveUser]; err == nil && user != "" {
		return &Turn{User: user, Since: since.UTC(), Handled: annotations[annotation.RotationHandled]}
	}
	return nil
}

// recordedTurn is the turn that a status has; nil if it has none.
func recordedTurn(s *aero.ServiceUserRotationStatus) *Turn {
	if s.ActiveUser == "" || s.ActiveSince == nil {
		return nil
	}
	return &Turn{User: s.ActiveUser, Since: s.ActiveSince.UTC(), Handled: s.LastHandledRotateAt}
}

// record writes a turn into a status.
func (t Turn) record(s *aero.ServiceUserRotationStatus, interval time.Duration) {
	since, next := metav1.NewMicroTime(t.Since), metav1.NewTime(t.Since.Add(interval).Truncate(time.Second))
	s.ActiveUser, s.ActiveSince, s.NextRotation, s.LastHandledRotateAt = t.User, &since, &next, t.Handled
}
