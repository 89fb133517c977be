// Package userrotation reconciles ServiceUserRotations: two ServiceUsers in turn, and a Secret with the login of the one whose password
// isn't rotated. It makes no call to Aiven, and changes no password: it asks the ServiceUser for a rotation, as its users do.
//
// Nothing is remembered. All follows from what is stored:
//
//	the Secret            whose login it has, and since when: annotations that are written together with the login
//	the other ServiceUser the request for a rotation, and whether it is handled
//	the status            the same as the Secret, for one that was deleted
//
// The value of the request follows from the turn that it ends, so it is the same after a restart, and one turn asks for one rotation. A
// process that is killed after any write goes on with the next one. The password of the user whose login is in the Secret is never
// rotated, and that of the other user not before the interval is over, since the Secret had it.
//
//	turn.go        whose turn it is, and when the next one is due; without I/O
//	users.go       what is wrong with the users that a spec names
//	advance.go     the steps of a turn
//	controller.go  what a ServiceUserRotation publishes
//	setup.go       the controller and its watches
package userrotation
