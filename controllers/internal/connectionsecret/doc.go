// Package connectionsecret makes the values of a ConnectionSecret from what its source connects with. It does no I/O.
//
//	endpoint.go  which endpoint of the service the values lead to
//	values.go    the login at that endpoint, which templates read
//	uri.go       addresses with a login in them
//	presets.go   sets of keys that applications and libraries expect
//	kafka.go     the sets for clients of Kafka
//	render.go    spec and values in, data of the Secret out
//	keystore.go  which key stores there are
//	grant.go     whether a source in another namespace may be read
//	problems.go  why nothing can be published
//	conclude.go  values or an error in, status out
//	known.go     what sources were last observed to connect with
package connectionsecret
