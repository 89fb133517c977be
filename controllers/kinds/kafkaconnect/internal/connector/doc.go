// Package connector computes what is sent to Kafka Connect for a connector, and what Kafka Connect's answers mean. It does no I/O.
//
//	config.go   what is sent: the keys of the spec, whose templates take parts of Secrets
//	diff.go     what of it differs from what Kafka Connect has, without values of Secrets
//	connect.go  whether a service has a Kafka Connect, and which connector of its list is the object's
//	remote.go   the state of a connector, and what is kept in the status
//	tasks.go    its tasks, and their errors
package connector
