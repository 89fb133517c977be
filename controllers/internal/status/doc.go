// Package status is the state engine: facts go in, one conclusion comes out.
//
// Conclude is a pure function. From what the stations of one reconcile have found (Facts) and the status that the object
// had, it decides everything that users see: the conditions, the phase, the annotations that tools of aiven-operator
// read, at most one event, and when to requeue. It is the table in rules.go, where the first row that matches wins, with
// its rows in failures.go, consent.go and progress.go. The components (components.go), the annotations and conditions of
// aiven-operator (legacy.go) and the event (event.go) are derived from the same facts.
//
// Time comes in as Facts.Now, and every timer is a transition time that a condition carries already, so a restart
// loses no timer and a test needs no clock. The one exception is an edit of what is worked on: Reconciling stays True, so its
// time stays, and the progress deadline counts from EditObservedTime.
package status
