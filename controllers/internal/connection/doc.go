// Package connection turns the connection details of a resource into the Secret that applications mount.
//
// Render is pure: owner, target and details in, the whole Secret out. Publisher.Publish compares that with what lives
// in the cluster and writes only when they differ:
//
//   - no details, no Secret: an empty one would let applications start with nothing in their environment;
//   - the first publication is a POST, so that a Secret that somebody else made is noticed rather than merged with;
//   - right after it, and whenever a Secret written by another operator for this very object is taken over, the fields
//     recorded for that write are handed to our server-side apply, or keys that we stop publishing would stay forever;
//   - later publications are server-side apply, bound to the uid and the resourceVersion that were compared. Keys,
//     labels and annotations of others stay, ours that are no longer wanted go.
//
// There is no delete: the Secret has a controller reference to its owner, so the garbage collector removes it together
// with the object, also when the deletion policy lets the remote resource live on.
package connection
