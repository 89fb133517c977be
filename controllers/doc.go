// Package controllers is the engine: one generic reconciler for every kind.
//
// The journey of one object, station by station (reconciler.go; deletion.go when it is being deleted):
//
//	fetch        the object from the cache
//	inherit      was it the reference operator that left it so?          (drift.go)
//	policy       is the deletion policy one that we know?
//	pause        does an annotation ask to leave the object alone?
//	token        from spec.authSecretRef, else the operator's default    (internal/credentials)
//	references   what the object refers to must be there and ready       (internal/reference)
//	finalizer    persisted before the first write at Aiven
//	observe      the kind looks at Aiven                                 (kinds/..., internal/aiven)
//	apply        the kind creates or updates, if there is a difference   (apply.go)
//	publish      the connection Secret                                   (internal/connection)
//	conclude     facts become one status, one event, one requeue         (internal/status; write.go writes them)
//
// A station notes facts and says whether the next one may go on; it never writes a condition, an event or a requeue.
// Reading sees what was written before: internal/memory knows when the cache is behind.
// What a kind owes the engine is in controller.go; the watches, indexes and workers are in setup.go.
package controllers
