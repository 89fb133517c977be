// Package rotation replaces the password that an object publishes by another one, when a user asks for it or its time has come.
//
// Nothing is remembered. What to do next follows from three facts, which anyone can read again after a crash:
//
//	pending    the password that is to be set, in a Secret of the object
//	Aiven      the password that the user has at Aiven
//	published  the password in the connection Secret
//
//	nothing is pending, and a rotation is due     store a pending password
//	Aiven has the password that is to be replaced  set the pending one
//	Aiven has another one, which isn't published   publish it: the pending one, or one that a user has set meanwhile
//	Aiven's is published, the request not handled  write that it is handled, into the status
//	Aiven's is published, the request handled      forget the pending one
//
// The pending password is stored before it is set, so that no password is lost, together with the request that it serves. It is forgotten
// after the status says that the request is handled, so that no request leads to two rotations. next.go has these rules and no I/O;
// rotation.go collects the facts.
package rotation
