// Package reference follows the references of an object: to Secrets, and to other objects of this API group.
//
// A kind declares each of its references once. From that Declaration come
//
//   - the index over the objects that hold it (IndexKey, IndexFunc),
//   - the mapping from an event on a target to the objects that name it (Requests),
//   - the outcome of each target in a reconcile (Resolver.Resolve): whether the object may go on, a condition named after
//     the declaration (Resolved.Summaries), and typed values for the kind (Value, Values),
//   - the names of the objects that hold back the deletion of a target (Referrers), and what ends that wait (Released).
//
// Secrets are read one by one and never listed or watched with their data. Their bytes are returned by Value, Values,
// Resolved.SecretValue and Resolved.SecretData only; no message, and no printed Resolved, holds them.
package reference
