// Package annotation names the annotations of aero's objects, those of aiven-operator among them.
package annotation

import (
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// prefix is aiven-operator's, so that manifests written for it work unchanged.
const prefix = "controllers.aiven.io/"

// The annotations that users set. Their values are in package policy.
const (
	Paused       = prefix + "paused"
	Deletion     = prefix + "deletion-policy"
	Management   = prefix + "management-policy"
	Drift        = prefix + "drift-policy"
	PollInterval = prefix + "poll-interval"
	Requested    = prefix + "reconcile-requested-at"
	// Route is the network route of the addresses in the connection Secret.
	Route = prefix + "connection-route"
)

// The annotations about credentials.
const (
	// RotateRequested asks for another password by any new value, RotationInterval for one at regular times.
	RotateRequested  = prefix + "rotate-requested-at"
	RotationInterval = prefix + "rotation-interval"
	// AcknowledgeRenewal acknowledges a new client certificate at Aiven, that long after the connection Secret has got it.
	AcknowledgeRenewal = prefix + "acknowledge-renewal-after"
	// Rotation is an annotation of the Secret with a pending password: the value "pending" while it has one.
	Rotation = prefix + "rotation"
	// ActiveUser, ActiveSince and RotationHandled are annotations of the Secret of a ServiceUserRotation: whose login it has, since when, and
	// the request for a rotation that led to it. They are written together with the login.
	ActiveUser      = prefix + "active-user"
	ActiveSince     = prefix + "active-since"
	RotationHandled = prefix + "rotation-handled"
)

// AdoptSecret is an annotation of a Secret without an owner: with the value "true", connection details may be published into it.
const AdoptSecret = prefix + "adopt-secret"

// The annotations about what an object may own.
const (
	// Adoption says what becomes of a resource that exists and that the object doesn't own.
	Adoption = prefix + "adoption-policy"
	// Recreate is the policy for a resource that holds data, was ready, and is missing.
	Recreate = prefix + "recreate-policy"
	// TransferTo names the object, as namespace/name, that goes on with the resource of one that is deleted.
	TransferTo = prefix + "transfer-to"
	// ConfirmDataLoss holds the generation whose spec may be applied although that loses data.
	ConfirmDataLoss = prefix + "confirm-data-loss"
	// ChangePolicy says which changes of the resource wait for approval, and ApprovedChanges has the hash of those that are approved.
	ChangePolicy    = prefix + "change-policy"
	ApprovedChanges = prefix + "approved-changes"
)

// The annotations of a Namespace, besides Adoption, Recreate, ChangePolicy and Route, for the objects in it.
const (
	// TokenSecret is the name of a Secret in the operator's namespace, and perhaps the key in it after a slash: the token of objects that
	// name none.
	TokenSecret = prefix + "token-secret"
	// AllowedProjects lists the projects at Aiven that objects may use, with commas in between.
	AllowedProjects = prefix + "allowed-projects"
)

// AllowDeletion is an annotation of a CRD: with the value "true", it may be deleted, and what its objects have at Aiven.
const AllowDeletion = prefix + "allow-deletion"

// The annotations that the operator sets. Users may only remove them.
const (
	// Processed holds the generation that Aiven has accepted, and Running reports whether the resource is usable.
	// aiven-operator writes both: its users take an object for ready if Running is "true" and Processed is the generation.
	Processed = prefix + "generation-was-processed"
	Running   = prefix + "instance-is-running"
	// TakenOver holds the generation that aiven-operator had applied when aero took the object over. It is written before
	// the first observation, which may fail: the status that aero writes then no longer shows who wrote the one before.
	TakenOver = prefix + "taken-over"
	// Attempted is written before the first creation, so that a crash in between loses no resource. It holds the UID of the
	// object, which no copy of it has.
	Attempted = prefix + "create-attempted"
)

// SchemaApplied is an annotation of aiven-operator's KafkaSchemas: a hash of the schema that it has applied last. It is read, and left in place.
const SchemaApplied = prefix + "kafka-schema-applied"

// CredentialsIssuedFor is an annotation of a connection Secret: the id of the resource at Aiven that its credentials are of.
const CredentialsIssuedFor = prefix + "credentials-issued-for"

// FormatGeneration formats a generation as annotations hold it.
func FormatGeneration(generation int64) string { return strconv.FormatInt(generation, 10) }

// IsProcessed reports whether Aiven has accepted the current generation of an object.
func IsProcessed(obj metav1.Object) bool {
	return obj.GetAnnotations()[Processed] == FormatGeneration(obj.GetGeneration())
}
