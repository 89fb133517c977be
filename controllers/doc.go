// Package controllers is the engine: one generic reconciler for every kind.
//
// The journey of one object, station by station (reconciler.go; deletion.go when it is being deleted):
//
//	fetch        the object from the cache
//	inherit      was it the reference operator that left it so?          (drift.go)
//	policed      is the deletion policy one that we know?                (internal/policy)
//	pause        does an annotation ask to leave the object alone?
//	token        from spec.authSecretRef, else the operator's default    (internal/credentials)
//	claimed      no other object may stand for the same thing at Aiven   (claim.go)
//	resolve      what the object refers to must be there and ready       (internal/reference)
//	observe      the kind looks at Aiven                                 (kinds/..., internal/aiven)
//	secure       the finalizers, before the first write at Aiven         (secure.go)
//	apply        the kind creates or updates, if there is a difference   (apply.go)
//	publish      the connection Secret                                   (internal/connection)
//	conclude     facts become one status, one event, one requeue         (internal/status; write.go writes them)
//
// A station notes facts and says whether the next one may go on; it never writes a condition, an event or a requeue.
// Reading sees what was written before: internal/memory knows when the cache is behind.
// What a kind owes the engine is in controller.go; the controllers are put together in setup.go, and what wakes an object is in
// wakes.go and predicates.go.
package controllers
