// Package reference follows the references of an object: to Secrets, and to other objects of this API group.
//
// A kind declares each of its references once. From that Declaration come
//
//   - the index over the objects that hold it (IndexKey, IndexFunc),
//   - the mapping from an event on a target to the objects that name it (Requests), and
//   - what a reconcile finds at the other end (Resolver.Resolve): the gate, the data of a condition named after the
//     declaration, and the values that the kind needs.
//
// Secrets are read one by one and never listed or watched with their data. Their bytes are only handed out by
// Resolved.SecretValue and Resolved.SecretData; no message, and no printed Resolved, holds them.
package reference
