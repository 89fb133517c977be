// Package condition names every condition type and reason, and holds the one manager that writes them.
//
// A condition is a fact about an object with one of the statuses True, False and Unknown. The manager stamps the
// generation that was evaluated, and moves the transition time only when the status changes, as the conventions of the
// Kubernetes API ask.
package condition

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The types that every object carries from its first status on.
const (
	Ready                 = "Ready"
	ConfigValid           = "ConfigValid"
	AuthValid             = "AuthValid"
	DependenciesReachable = "DependenciesReachable"
)

// The types of components: True or False, and absent where the object has no such component.
const (
	ServiceReady = "ServiceReady" // the service that the resource lives in; of what connects two, see ServiceTypes
	RemoteReady  = "RemoteReady"  // the resource at Aiven
	SecretReady  = "SecretReady"  // the connection Secret
	TasksReady   = "TasksReady"   // the tasks that the resource consists of
)

// The types of what connects two services: one for each end.
const (
	SourceServiceReady      = "SourceServiceReady"
	DestinationServiceReady = "DestinationServiceReady"
)

// ServiceTypes lists the types that show the state of a service.
var ServiceTypes = []string{ServiceReady, SourceServiceReady, DestinationServiceReady}

// The types that are present only while they are True, as kstatus reads them.
const (
	Reconciling = "Reconciling"
	Stalled     = "Stalled"
	Drifted     = "Drifted"
	Paused      = "Paused"
)

// MigrationComplete is how the migration of data into a service goes.
const MigrationComplete = "MigrationComplete"

// CredentialsExpiring is present only while it is True, and doesn't count for Ready: a certificate that the connection Secret holds, or that
// clients may still use, ends soon.
const CredentialsExpiring = "CredentialsExpiring"

// RotationBlocked is present only while it is True, and doesn't count for Ready: a password isn't rotated, or the renewal of a certificate isn't
// acknowledged, although a user asks for it.
const RotationBlocked = "RotationBlocked"

// ChangesPending is present only while it is True: changes wait for approval.
const ChangesPending = "ChangesPending"

// The types of aiven-operator, kept for tools that read them.
const (
	LegacyInitialized = "Initialized"
	LegacyRunning     = "Running"
	LegacyError       = "Error"
)

// The places of types that have no constant, by name: of references, such as ProjectVPCReady, and of all others.
const (
	references = "{Ref}Ready"
	others     = "*"
)

// order is that of the types in a status: the result first, then what explains it, in the order of a reconcile.
var order = []string{
	Ready, Stalled, Reconciling, Paused, Drifted,
	ConfigValid, AuthValid, DependenciesReachable,
	ServiceReady, SourceServiceReady, DestinationServiceReady, references,
	RemoteReady, TasksReady, SecretReady, MigrationComplete, CredentialsExpiring, RotationBlocked, ChangesPending, others,
	LegacyInitialized, LegacyRunning, LegacyError,
}

// Reasons of Ready, and of the components where they fit.
const (
	ReasonSucceeded             = "ReconciliationSucceeded"
	ReasonPoweredOffAsRequested = "PoweredOffAsRequested"
	ReasonInvalidSpec           = "InvalidSpec"
	ReasonReferenceNotFound     = "ReferenceNotFound"
	ReasonAuthFailed            = "AuthFailed"
	ReasonResourceExhausted     = "ResourceExhausted"
	ReasonInvalidDeletionPolicy = "InvalidDeletionPolicy"
	ReasonProjectNotAllowed     = "ProjectNotAllowed"
	ReasonTerminationProtected  = "TerminationProtected"
	ReasonSecretConflict        = "ConnInfoSecretConflict"
	ReasonRouteNotAvailable     = "RouteNotAvailable"
	ReasonInvalidTemplate       = "InvalidTemplate"
	ReasonReferenceNotPermitted = "ReferenceNotPermitted"
	ReasonConflict              = "Conflict"
	ReasonAlreadyExists         = "AlreadyExists"
	ReasonNothingToAdopt        = "NothingToAdopt"
	ReasonRemoteMissing         = "RemoteMissing"
	ReasonNotAdopted            = "NotAdopted"
	ReasonConfirmationRequired  = "ConfirmationRequired"
	ReasonAwaitingApproval      = "AwaitingApproval"
	ReasonProgressing           = "Progressing"
	ReasonRetrying              = "ProgressingWithRetry"
	ReasonServicePoweredOff     = "ServicePoweredOff"
	ReasonPaused                = "Paused"
	ReasonPausedByAnnotation    = "PausedByAnnotation"
	ReasonReportOnly            = "ReportOnly"
	ReasonTakenOver             = "TakenOver"
	ReasonNotConverging         = "NotConverging"
	ReasonNewerVersion          = "NewerVersion"
	ReasonDeleting              = "Deleting"
	ReasonDeletionBlocked       = "DeletionBlocked"
	ReasonConfigurationValid    = "ConfigurationValid"
	ReasonAuthenticationValid   = "AuthenticationValid"
	ReasonTokenMissing          = "TokenMissing"
	ReasonUnverified            = "Unverified"
	ReasonReachable             = "Reachable"
	ReasonInfrastructureError   = "InfrastructureError"
	ReasonRateLimited           = "RateLimited"
	ReasonTimeout               = "Timeout"
	ReasonServerError           = "ServerError"
	ReasonForbidden             = "Forbidden"
	ReasonUnknownError          = "UnknownError"
	ReasonRunning               = "Running"
	ReasonActive                = "Active"
	ReasonPending               = "Pending"
	ReasonRebuilding            = "Rebuilding"
	ReasonCreating              = "Creating"
	ReasonUpdating              = "Updating"
	ReasonMissing               = "Missing"
	ReasonFailed                = "Failed"
	ReasonNotFound              = "NotFound"
	ReasonUnknown               = "Unknown"
	ReasonReady                 = "Ready"
	ReasonPublished             = "Published"
	ReasonDisabled              = "Disabled"
	ReasonNotYetAvailable       = "NotYetAvailable"
	ReasonOwnedByOther          = "OwnedByOther"
	ReasonWriteFailed           = "WriteFailed"
	ReasonAllReady              = "AllReady"
	ReasonSomeFailed            = "SomeFailed"
	ReasonAllFailed             = "AllFailed"
	ReasonExpired               = "Expired"
	ReasonExpiring              = "Expiring"
	ReasonRenewed               = "Renewed"
	ReasonRotationRefused       = "RotationRefused"
	ReasonPasswordUnknown       = "PasswordUnknown"
	ReasonUserNotReady          = "UserNotReady"
	// ReasonRenewalNotAcknowledged is about a certificate: the password can be rotated.
	ReasonRenewalNotAcknowledged = "RenewalNotAcknowledged"
)

// Reasons of aiven-operator's conditions.
const (
	LegacyReasonCreatedOrUpdated = "CreatedOrUpdated"
	LegacyReasonPreconditions    = "Preconditions"
	LegacyReasonCheckRunning     = "CheckRunning"
	LegacyReasonConnInfoSecret   = "ConnInfoSecret"
	LegacyReasonCreateOrUpdate   = "CreateOrUpdate"
	LegacyReasonDelete           = "Delete"
)

// maxMessage bounds a message in bytes; the schema allows more, but no user reads it.
const maxMessage = 4096

// Manager edits a copy of an object's conditions. The zero value has none.
type Manager struct {
	generation int64
	now        metav1.Time
	items      []metav1.Condition
	filter     func(string) string
}

// NewManager starts from the conditions an object has. What is set is stamped with the generation, and with now where
// the status of a type changes.
func NewManager(previous []metav1.Condition, generation int64, now time.Time) *Manager {
	return &Manager{generation: generation, now: metav1.NewTime(now), items: slices.Clone(previous)}
}

// Filter passes every message that is set from now on through a function.
func (m *Manager) Filter(filter func(string) string) *Manager {
	m.filter = filter
	return m
}

// Set puts a condition in place.
func (m *Manager) Set(kind string, status metav1.ConditionStatus, reason, message string) {
	if m.filter != nil {
		message = m.filter(message)
	}
	next := metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: clip(message),
		ObservedGeneration: m.generation, LastTransitionTime: m.now,
	}
	old := m.Get(kind)
	if old == nil {
		m.items = append(m.items, next)
		return
	}
	// A clock that was ahead, that of a former leader for instance, must not turn time back.
	if old.Status == status || next.LastTransitionTime.Before(&old.LastTransitionTime) {
		next.LastTransitionTime = old.LastTransitionTime
	}
	*old = next
}

// True sets a condition to True.
func (m *Manager) True(kind, reason, message string) {
	m.Set(kind, metav1.ConditionTrue, reason, message)
}

// False sets a condition to False.
func (m *Manager) False(kind, reason, message string) {
	m.Set(kind, metav1.ConditionFalse, reason, message)
}

// Unknown sets a condition to Unknown.
func (m *Manager) Unknown(kind, reason, message string) {
	m.Set(kind, metav1.ConditionUnknown, reason, message)
}

// Get finds a condition, or nil. What it points to is the manager's own until the next Set or Delete.
func (m *Manager) Get(kind string) *metav1.Condition {
	for i := range m.items {
		if m.items[i].Type == kind {
			return &m.items[i]
		}
	}
	return nil
}

// Delete removes conditions.
func (m *Manager) Delete(kinds ...string) {
	m.items = slices.DeleteFunc(m.items, func(c metav1.Condition) bool { return slices.Contains(kinds, c.Type) })
}

// Has reports whether a condition has this status.
func (m *Manager) Has(kind string, status metav1.ConditionStatus) bool {
	c := m.Get(kind)
	return c != nil && c.Status == status
}

// Keep stamps a condition that still holds with the generation, and sets it from the arguments where it is absent.
func (m *Manager) Keep(kind string, status metav1.ConditionStatus, reason, message string) {
	if old := m.Get(kind); old != nil {
		old.ObservedGeneration = m.generation
		return
	}
	m.Set(kind, status, reason, message)
}

// Types lists the types at hand.
func (m *Manager) Types() []string {
	names := make([]string, 0, len(m.items))
	for i := range m.items {
		names = append(names, m.items[i].Type)
	}
	return names
}

// Conditions is the result, in the order of a status.
func (m *Manager) Conditions() []metav1.Condition {
	out := slices.Clone(m.items)
	slices.SortFunc(out, func(a, b metav1.Condition) int {
		return cmp.Or(cmp.Compare(rank(a.Type), rank(b.Type)), strings.Compare(a.Type, b.Type))
	})
	return out
}

// rank is the place of a type in the order.
func rank(kind string) int {
	if place := slices.Index(order, kind); place >= 0 {
		return place
	}
	if strings.HasSuffix(kind, "Ready") {
		return slices.Index(order, references)
	}
	return slices.Index(order, others)
}

func clip(s string) string {
	if len(s) <= maxMessage {
		return s
	}
	return strings.ToValidUTF8(s[:maxMessage-3], "") + "..."
}

// Accepted reports whether Aiven has accepted the spec of a generation.
func Accepted(conditions []metav1.Condition, generation int64) bool {
	c := meta.FindStatusCondition(conditions, LegacyInitialized)
	return c != nil && c.Reason == LegacyReasonCreatedOrUpdated && c.ObservedGeneration == generation
}
