// Package connection turns the connection details of a resource into the Secret that applications mount.
//
// Render is pure: owner, target and details in, the whole Secret out. Publisher.Publish compares that with the live Secret
// and writes only when they differ:
//
//   - no details, no Secret: an empty one would let applications start with nothing in their environment;
//   - the first publication is a POST and nothing else, so that a Secret of another owner is noticed rather than merged
//     with;
//   - before the first change, of a Secret that we created or that aiven-operator created for the same object, the fields
//     recorded for that write are moved to our server-side apply, or keys that we stop publishing would stay forever;
//   - changes are server-side apply, bound to the uid and the resourceVersion that were compared. Keys, labels and
//     annotations of others stay, ours that are no longer wanted go, except the keys in Info.Keep.
//
// Publisher.Published reads back what was published, for values that Aiven doesn't return again.
//
// A Secret that the owner names no longer loses what is ours in it, once the new one is published.
//
// There is no delete: the Secret has a controller reference to its owner, so the garbage collector removes it together
// with the object, also when the deletion policy lets the remote resource live on.
//
// What the operator may do with Secrets is here, for all packages that read or write them: one by one, and their metadata by a
// watch.
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch;create;patch
package connection
