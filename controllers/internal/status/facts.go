package status

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
)

// Timings are the durations that a conclusion depends on. All of them are positive.
type Timings struct {
	Poll              time.Duration // between two observations of something in sync
	RequeueAsync      time.Duration // while Aiven works on the resource
	RequeueDependency time.Duration // while something else isn't there or isn't ready
	QuietWait         time.Duration // a wait that is shorter has no event, and no write for its heartbeat
	FirstStatus       time.Duration // age up to which an object that only waits has no status yet
	BackoffMax        time.Duration // upper bound of every growing delay
	Degradation       time.Duration // how long an infrastructure error is tolerated
	AuthGrace         time.Duration // how long a 403 may be a lag in Aiven's access control
	ProgressDeadline  time.Duration // after which slow is Degraded, and a transient refusal is a rejection
	ExpiryWarning     time.Duration // before the end of a certificate
	RecheckExhausted  time.Duration // after a refusal for quota or billing, and after an authentication failure
}

// Mutation is what one reconcile did to the resource at Aiven.
type Mutation string

// The mutations.
const (
	Unchanged Mutation = ""
	Created   Mutation = "created"
	Updated   Mutation = "updated"
	Reset     Mutation = "reset" // of credentials that were lost
	Rotated   Mutation = "rotated"
)

// Verb is what is being done: create, update.
func (m Mutation) Verb() string { return strings.TrimSuffix(string(m), "d") }

// Facts are what one reconcile found, station by station. The zero value of a field means that the station was not
// reached, or had nothing to report.
type Facts struct {
	Now        time.Time
	CreatedAt  time.Time // the object, in whole seconds as the cluster stores times
	UID        types.UID // of the object
	Generation int64
	Timings    Timings
	Jitter     float64 // -1 to 1: moves the poll by a tenth, so that objects don't poll in one burst

	IsService         bool // a service: its best phase is Running
	WasReady          bool // the object has been usable before
	WasOff            bool // the service was off when it was observed before
	GenerationApplied bool // this generation was applied, by the legacy annotation
	// TakenOver is the mark of a takeover from aiven-operator, to be written before a status makes it an object like any other.
	TakenOver string
	// Unconfirmed is what would be lost by a change that waits for consent, as a clause; empty if there is none.
	Unconfirmed string
	LosesData   bool                     // there is such a change, though it may be left for another reason, too
	Uncompared  bool                     // what was written before isn't shown yet: how the resource differs isn't known
	Pending     *v1alpha1.PendingChanges // what waits for approval, as it may be shown but for the length of its texts; nil for nothing
	Approved    string                   // hash of the changes that a user has approved
	Unapplied   bool                     // something that this generation asks for was left out, by the policy of a user
	Deleting    bool                     // the object is being deleted

	Secrets *fault.Secrets // values that must not appear in any text of the conclusion

	PolicyErr     error // the deletion policy has an unknown value
	Paused        bool
	NotAllowed    string               // why the Namespace doesn't allow the project
	TokenErr      error                // the token could not be had
	TokenPlace    string               // where the token is: "key \"token\" of Secret apps/aiven"
	TokenMissing  bool                 // because there is none, as opposed to a failed read
	TokenFallback error                // why the default token is used instead of the one that the object names, if it is
	ObserveOnly   bool                 // the management policy is to write nothing at Aiven
	Provenance    *v1alpha1.Provenance // how the object came to own its resource; nil if it owns none
	Adopts        bool                 // a policy allows to manage what exists
	Refused       string               // reason for which nothing may be written at Aiven without consent
	RefusedNote   string               // what keeps the consent that was given from counting, and what to do
	Owner         string               // the object that manages the same resource: "ServiceUser apps/joe"
	OwnerPending  bool                 // its status doesn't prove yet that it owns the resource: it may give way
	// OwnerOfOtherKind is set if Owner has the name only, as objects of its kind can't manage the same resource.
	OwnerOfOtherKind bool
	References       []Component             // one for each reference, in the order of declaration
	Problem          error                   // a station failed, for reasons in Kubernetes
	Services         []Service               // those that the resource lives in or connects; none for services and what has none
	Remote           *Remote                 // the resource at Aiven; nil where it could not be observed
	ObserveErr       error                   // the observation failed
	Mutation         Mutation                // what Aiven accepted
	MutateErr        error                   // what Aiven refused, or could not do
	WaitFor          string                  // why a change that is due may not be sent yet
	Changes          []string                // field paths that the mutation was about
	Replaced         []userconfig.Difference // what Updated has replaced
	Overwriters      []string                // field managers that wrote over the credentials that were reset
	Recreated        bool                    // the resource existed before, and was missing in the observation
	Secret           Secret                  // the connection Secret
	Deletion         Deletion                // how far it came, if the object is being deleted
	HandledAt        string                  // value of the annotation that asked for this reconcile
	Resolved         []Resolution            // references that were found ready
	Drift            Drift                   // differences that aren't corrected
	Conditions       []KindCondition         // conditions that only this kind has
	Discarded        Discarded               // the Secret of a migration
	Rotation         *Rotation               // of the password; nil if the station wasn't reached
}

// KindCondition is a condition that only some kind has. One that isn't reported again stays as it is.
type KindCondition struct {
	Type, Reason, Message string
	True                  bool
	Pending               bool // it will change by itself: requeue soon, even if everything else is in sync
}

// Resolution is a reference that led to a ready object.
type Resolution = v1alpha1.ResolvedReference

// Component is the health of one thing that an object needs.
type Component struct {
	Type    string // of the condition
	Ready   bool
	Absent  bool // it doesn't exist, as opposed to not being ready
	Reason  string
	Message string
	Err     error // it could not be read, or the object must not refer to it
}

// invalid reports whether the object must not refer to the component, which was read.
func (c Component) invalid() bool { return fault.Is(c.Err, fault.Invalid) }

// Service is how a service was found that a resource lives in or connects.
type Service struct {
	Condition string // one of condition.ServiceTypes; empty is ServiceReady
	Name      string // project/service
	Exists    bool
	Usable    bool   // resources in it can be worked with
	Off       bool   // powered off
	State     string // Aiven's word: RUNNING, REBUILDING, ...
}

// DecisiveService is the one of several services that a resource depends on at the moment: the first that isn't usable,
// else the first; nil if there is none.
func DecisiveService(services []Service) *Service {
	for i := range services {
		if !services[i].Usable {
			return &services[i]
		}
	}
	if len(services) == 0 {
		return nil
	}
	return &services[0]
}

// Remote is how the resource itself was found at Aiven. The zero value is a resource that does not exist.
type Remote struct {
	Exists     bool
	Unread     bool   // it can't be asked for now, so that it may exist
	Active     bool   // it does what it is for; false while Aiven works on it
	PoweredOff bool   // off, as the spec asks
	Off        bool   // off, although the spec asks for power
	State      string // Aiven's word, if it has one
	Reason     string // of RemoteReady; derived from the other fields if empty
	Message    string
	// Lacks names what it leads to and Aiven doesn't have, and what to do. It isn't Active then.
	Lacks string
	// Failure is what Aiven reports of something that doesn't work, and that may recover. It isn't Active then.
	Failure string
	Members *Members // what it consists of; nil for what is one thing
}

// Members are things that a resource consists of and that can fail one by one: the tasks of a KafkaConnector, which is
// the kind that reports them.
type Members struct {
	Total, Failed int
	Reason        string // of the condition TasksReady, if more is known than that some failed
	Message       string // the error of the first one that failed
}

func (m *Members) failures() string {
	return fmt.Sprintf("%d of %d tasks failed: %s", m.Failed, m.Total, m.Message)
}

// Secret is what became of the connection Secret.
type Secret struct {
	Applies    bool   // the kind publishes one
	Disabled   bool   // the user wants none
	Published  bool   // it is as it has to be
	Name, Lost string // Lost is why it isn't, and doesn't come by itself
	Conflict   bool   // it belongs to something else
	NoRoute    bool   // Aiven has no address on the route that the user wants
	Withheld   bool   // the object only observes, and doesn't own the resource
	Err        error
	// Credentials are the dates of what it holds once it is Published; nil if none is known.
	Credentials *v1alpha1.Credentials
}

// Deletion is how far a deletion came.
type Deletion struct {
	Since      time.Time
	Protected  bool   // termination protection is on
	Blocked    string // what has to go first
	Requested  bool   // Aiven accepted the deletion, and works on it
	Gone       bool   // nothing is left at Aiven
	SharedWith string // the object that manages the same resource, and keeps it
	NotOwned   bool   // the resource was kept, as the object doesn't own it
	Orphaned   bool   // the resource was kept, as the policy asks
	Err        error
}

// kept reports whether the resource stays at Aiven.
func (d *Deletion) kept() bool { return d.Orphaned || d.NotOwned || d.SharedWith != "" }

// refusal is the class of what became of the mutation.
func (f *Facts) refusal() fault.Class { return fault.Of(f.MutateErr).Class }

// observed reports whether the resource was observed.
func (f *Facts) observed() bool {
	return f.ObserveErr == nil && (f.Remote != nil || len(f.Services) > 0)
}

// service is the one of the services that decides: the first that isn't usable, else the first. It is nil without services.
func (f *Facts) service() *Service { return DecisiveService(f.Services) }

// observedServices are the services as they were found: after a failed observation, only what was found counts.
func (f *Facts) observedServices() []Service {
	if f.ObserveErr == nil {
		return f.Services
	}
	return slices.DeleteFunc(slices.Clone(f.Services), func(s Service) bool { return !s.Exists })
}

// observedService is the one of the observed services that decides, or nil.
func (f *Facts) observedService() *Service { return DecisiveService(f.observedServices()) }

// conditionType is the type of the condition that shows the state of the service.
func (s *Service) conditionType() string { return cmp.Or(s.Condition, condition.ServiceReady) }

// gone reports whether it is known that nothing is left of the resource, other than by an observation of itself.
func (f *Facts) gone() bool {
	if f.Deleting {
		return f.Deletion.Gone && !f.Deletion.kept()
	}
	return f.observed() && slices.ContainsFunc(f.Services, func(s Service) bool { return !s.Exists })
}

// Sent reports whether a creation or an update, or credentials that were lost, were sent: what a rotation sends isn't of the spec.
func (f *Facts) Sent() bool { return f.Mutation != Unchanged && f.Mutation != Rotated }

// Failed reports whether something has failed on the way, but for the connection Secret.
func (f *Facts) Failed() bool { return f.firstError() != nil }

// firstError is the first failure on the way, or nil. That of the connection Secret is none: everything was done by then.
func (f *Facts) firstError() error {
	if f.Deleting {
		return f.Deletion.Err
	}
	if f.TokenErr != nil {
		return f.TokenErr
	}
	for _, ref := range f.References {
		if ref.Err != nil {
			return ref.Err
		}
	}
	return firstOf(f.Problem, f.ObserveErr, f.MutateErr)
}

// unreachable reports whether Aiven or the cluster could not be reached, or could not answer. The refusal of a read counts
// as such, while the refusal of a change is an answer.
func (f *Facts) unreachable() bool {
	switch fault.Of(f.firstError()).Class {
	case fault.None, fault.Unauthorized, fault.Invalid:
		return false
	case fault.NotReady:
		return f.MutateErr == nil
	case fault.Conflict, fault.NotFound, fault.Exists, fault.Rejected, fault.Exhausted, fault.Protected:
		return f.MutateErr == nil && (!f.Deleting || f.TokenErr != nil)
	default:
		return true
	}
}

// answered reports whether Aiven has responded at all, unless it is unreachable.
func (f *Facts) answered() bool {
	class := fault.Of(f.firstError()).Class
	if d := f.Deletion; f.Deleting {
		return d.Requested || d.Blocked != "" || d.Gone && !d.kept() ||
			d.Err != nil && f.TokenErr == nil && class != fault.Invalid
	}
	return f.observed() || f.observedService() != nil || f.TokenErr == nil && (class == fault.Unauthorized || class == fault.Forbidden)
}
