// Package controllers is the engine: one generic reconciler for every kind.
//
// The journey of one object, station by station (reconciler.go has the list):
//
//	fetch                the object from the cache, or live while the cache is behind our own write  (internal/store)
//	checkDeletionPolicy  is the value of the annotation known?                                       (internal/policy)
//	checkPause           does an annotation ask to leave the object alone?
//	readNamespace        its policies and token, and whether it allows the project                   (internal/namespace)
//	resolveToken         of spec.authSecretRef, of the Namespace, or the operator's default          (internal/credentials)
//	checkOwnership       no other object may own the same Aiven resource                             (internal/ownership)
//	resolveReferences    what the object refers to must exist and be ready                           (internal/reference)
//	readPublished        the connection Secret, for credentials that Aiven returns once              (internal/connection)
//	observe              the kind reads from Aiven, and a plan is made                               (internal/plan)
//	addFinalizer         before the first write at Aiven                                             (ownership.go)
//	persistIntent        the kind's own status fields, where its writes depend on them
//	apply                carries out the plan: create, update, reset, wait, report or nothing        (apply.go)
//	rotate               another password, if a user asks for one or its time has come               (internal/rotation)
//	publish              the connection Secret                                                       (internal/connection)
//	discard              a Secret whose values were needed once, if the spec asks for it             (internal/reference)
//	conclude             facts become one status, one event, one requeue                             (internal/status)
//
// A station records facts and reports whether the next one may go on; it never writes a condition, an event or a requeue. Deletions have
// stations of their own (deletion.go). What a kind owes the engine is in controller.go. setup.go makes the controllers, and what
// enqueues an object is in internal/watches.
package controllers
