package reason

// Statuses of Ready.
const (
	isTrue  = "True"
	isFalse = "False"
	unknown = "Unknown"
)

// all is in the order of All.
var all = []Reason{
	{
		Name: "ReconciliationSucceeded", Ready: isTrue,
		Means: "the Aiven resource matches the spec, and the connection Secret is published",
	},
	{
		Name: "PoweredOffAsRequested", Ready: isTrue,
		Means:  "the service is powered off, as `spec.powered: false` asks",
		Remedy: "set `spec.powered` to true to use it again",
	},
	{
		Name: "InvalidSpec", Ready: isFalse, Warnings: []string{"UnableToCreateOrUpdateAtAiven", "CannotPublishConnectionDetails"},
		Means:  "the spec is invalid, or Aiven has rejected it; the last accepted spec stays in place",
		Remedy: "change the field that the message names",
	},
	{
		Name: "ReferenceNotFound", Ready: isFalse, Warnings: []string{"UnableToWaitForPreconditions"},
		Means:  "an object or Secret that the spec names doesn't exist",
		Remedy: "create it, or correct the name",
	},
	{
		Name: "AuthFailed", Ready: isFalse, Warnings: []string{"AuthFailed", "UnableToGetAuthSecret"},
		Means:  "there is no token, or Aiven rejects it",
		Remedy: "put a valid token into the Secret that the message names; if it names none, name one in `spec.authSecretRef`",
	},
	{
		Name: "ResourceExhausted", Ready: isFalse, Warnings: []string{"UnableToCreateOrUpdateAtAiven"},
		Means:  "Aiven refuses because of a quota, of billing or of a limit of the plan",
		Remedy: "raise the limit, or pay the invoice; the operator tries again every 5 minutes",
	},
	{
		Name: "AlreadyExists", Ready: isFalse, Warnings: []string{"AlreadyExistsAtAiven"},
		Means:  "a resource of this name exists at Aiven, and this object doesn't own it",
		Remedy: "set an adoption policy, or choose another name",
	},
	{
		Name: "NothingToAdopt", Ready: isFalse, Warnings: []string{"NothingToAdoptAtAiven"},
		Means:  "the resource doesn't exist at Aiven, and the adoption policy allows no creation",
		Remedy: "restore the resource, correct the name, or set the adoption policy to `AdoptOrCreate`",
	},
	{
		Name: "RemoteMissing", Ready: isFalse, Warnings: []string{"RemoteResourceMissing"},
		Means:  "the resource is gone at Aiven; it was ready and held data, or drift isn't corrected, so it isn't created again",
		Remedy: "restore it at Aiven, or allow a new, empty one",
	},
	{
		Name: "ConnInfoSecretConflict", Ready: isFalse, Warnings: []string{"CannotPublishConnectionDetails"},
		Means:  "the connection Secret isn't written, since a Secret of that name isn't this object's",
		Remedy: "delete that Secret, let the object adopt it, or choose another name",
	},
	{
		Name: "RouteNotAvailable", Ready: isFalse, Warnings: []string{"CannotPublishConnectionDetails"},
		Means:  "Aiven has no address on the route that the annotation `controllers.aiven.io/connection-route` or a `ConnectionSecret` names; the last Secret stays",
		Remedy: "enable the route in the `userConfig` of the service, or choose one that the message lists",
	},
	{
		Name: "InvalidTemplate", Ready: isFalse, Warnings: []string{"CannotPublishConnectionDetails"},
		Means:  "a template of a `ConnectionSecret` or `ServiceUserRotation` can't be used; the last Secret stays",
		Remedy: "change the key of `spec.data` that the message names",
	},
	{
		Name: "ReferenceNotPermitted", Ready: isFalse, Warnings: []string{"CannotPublishConnectionDetails"},
		Means:  "a `ConnectionSecret` names an object in another namespace, and no `ReferenceGrant` there allows that; the last Secret stays",
		Remedy: "have the grant that the message names created there",
	},
	{
		Name: "Conflict", Ready: isFalse, Warnings: []string{"OwnedByAnotherObject", "CannotPublishConnectionDetails"},
		Means:  "another object already manages the same Aiven resource",
		Remedy: "delete this object, or have it only observe (`management-policy: Observe`); if the other object is of another kind, choose another name",
	},
	{
		Name: "ConfirmationRequired", Ready: isFalse, Warnings: []string{"UnableToCreateOrUpdateAtAiven"},
		Means:  "a change of the spec would lose data, and isn't made; the rest of the spec is applied",
		Remedy: "confirm the change by the annotation that the message names, or undo it",
	},
	{
		Name: "ProjectNotAllowed", Ready: isFalse, Warnings: []string{"ProjectNotAllowed"},
		Means:  "the Namespace doesn't allow a project that the spec names",
		Remedy: "choose another project, or have this one added to the Namespace",
	},
	{
		Name: "Progressing", Ready: unknown, Warnings: []string{"UnableToWaitForPreconditions"},
		Means:  "the object waits; the message names what for, such as a service that Aiven builds",
		Remedy: "wait, unless the message asks for a change",
	},
	{
		Name: "AwaitingApproval", Ready: unknown,
		Means:  "changes of the Aiven resource wait for approval, by the annotation `controllers.aiven.io/change-policy`; everything else is applied",
		Remedy: "approve the changes that `status.pendingChanges` has, or undo them in the spec",
	},
	{
		Name: "ProgressingWithRetry", Ready: unknown,
		Warnings: []string{
			"UnableToWaitForPreconditions", "UnableToCreateOrUpdateAtAiven", "CannotPublishConnectionDetails", "UnableToDelete", "UnableToGetAuthSecret",
			"AuthFailed",
		},
		Means:  "Aiven or the API server returns errors, and the operator retries",
		Remedy: "wait; if it lasts, read the message and the condition `DependenciesReachable`",
	},
	{
		Name: "ServicePoweredOff", Ready: unknown, Warnings: []string{"UnableToWaitForPreconditions"},
		Means:  "a service that the object needs is powered off, or its own where drift is only reported",
		Remedy: "power the service on",
	},
	{
		Name: "Paused", Ready: unknown,
		Means:  "the object was paused before its first reconcile",
		Remedy: "remove the annotation `controllers.aiven.io/paused`",
	},
	{
		Name: "Deleting", Ready: unknown,
		Means: "the object is being deleted, and Aiven has not finished yet",
	},
	{
		Name: "DeletionBlocked", Ready: unknown, Warnings: []string{"DeletionBlocked"},
		Means:  "the object is being deleted, and something holds that back; the message names it",
		Remedy: "remove what the message names",
	},
	{
		Name: "TerminationProtected", Ready: isFalse, Warnings: []string{"DeletionBlocked", "UnableToCreateOrUpdateAtAiven"},
		Means:  "termination protection is on, and a deletion or a change needs it off",
		Remedy: "turn the protection off, or keep the resource with the deletion policy `Orphan`",
	},
	{
		Name: "InvalidDeletionPolicy", Ready: isFalse, Warnings: []string{"UnableToDelete"},
		Means:  "the annotation `controllers.aiven.io/deletion-policy` has an unknown value",
		Remedy: "set it to `Delete` or `Orphan`, or remove it",
	},
	{
		Name: "DriftDetected", Warnings: []string{"DriftDetected"},
		Means:  "the Aiven resource differs from the spec, and isn't corrected; the condition `Drifted` has the reason",
		Remedy: "change the spec, or let the operator correct the resource",
	},
	{
		Name: "DriftNotConverging", Warnings: []string{"DriftNotConverging"},
		Means:  "Aiven accepts an update, and doesn't change the resource",
		Remedy: "give the field the value that Aiven has",
	},
	{
		Name: "RemoteResourceMissing", Warnings: []string{"RemoteResourceMissing"},
		Means:  "the resource was deleted at Aiven, and the operator has created it again, unless it holds data",
		Remedy: "find the client that deletes it",
	},
	{
		Name: "ConnectionDetailsOverwritten", Warnings: []string{"ConnectionDetailsOverwritten"},
		Means:  "another client has written over a password in the connection Secret that Aiven returns once, so it was reset",
		Remedy: "keep the client that the note names from writing to the Secret",
	},
	{
		Name: "UnableToGetAuthSecret", Warnings: []string{"UnableToGetAuthSecret"},
		Means:  "the token is missing; an object that was taken over from aiven-operator uses the default token instead",
		Remedy: "create the Secret that `spec.authSecretRef` names, or remove the reference",
	},
	{
		Name: "UnableToDeleteMigrationSecret", Warnings: []string{"UnableToDeleteMigrationSecret"},
		Means:  "the Secret of a finished migration is kept, although the spec asks for its deletion",
		Remedy: "do what the note says, such as granting the permission, or delete the Secret yourself",
	},
	{
		Name: "RotationBlocked", Warnings: []string{"RotationBlocked"},
		Means:  "an annotation asks for a new password, and there is none, or for the acknowledgement of a certificate; the condition of this name has the reason",
		Remedy: "do what the note says, or remove the annotation",
	},
}
