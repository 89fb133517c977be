// Package convergence counts updates that Aiven accepts and that change nothing, so that they are not sent forever.
package convergence

import (
	"maps"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/aero-operator/aero/controllers/internal/userconfig"
)

// maxAttempts is how many accepted updates may leave a difference as it is before it is left alone.
const maxAttempts = 2

// Tracker remembers the updates that Aiven has accepted and not shown yet. What Aiven accepts and then writes in its own
// way would differ forever, and be sent forever. The memory is lost with the process, which costs two more updates. The
// zero value is ready, and safe for concurrent use.
type Tracker struct{ byObject sync.Map } // types.UID to attempt

type attempt struct {
	generation int64
	diff       []userconfig.Difference
	secrets    Versions
	accepted   int
}

// Versions are the resource versions of the Secrets that a spec takes values from. A difference in a secret value doesn't
// show the value, so that only the version reveals another one.
type Versions = map[types.NamespacedName]string

// Accepted notes that Aiven has accepted an update that was to correct these differences with the values of these Secrets.
func (a *Tracker) Accepted(obj metav1.Object, diff []userconfig.Difference, secrets Versions) {
	now := attempt{generation: obj.GetGeneration(), diff: diff, secrets: secrets}
	if before, known := a.of(obj.GetUID()); known && before.same(now) {
		now.accepted = before.accepted
	}
	now.accepted++
	a.byObject.Store(obj.GetUID(), now)
}

// Reset notes that an object is in sync, or gone.
func (a *Tracker) Reset(obj metav1.Object) { a.byObject.Delete(obj.GetUID()) }

// Exhausted reports whether an update to correct these differences would have no effect: it was accepted before, more than
// once, and neither the spec, nor a Secret that it names, nor what Aiven returns has changed since.
func (a *Tracker) Exhausted(obj metav1.Object, diff []userconfig.Difference, secrets Versions) bool {
	before, known := a.of(obj.GetUID())
	now := attempt{generation: obj.GetGeneration(), diff: diff, secrets: secrets}
	return known && before.accepted >= maxAttempts && before.same(now)
}

func (a *Tracker) of(uid types.UID) (attempt, bool) {
	found, known := a.byObject.Load(uid)
	if !known {
		return attempt{}, false
	}
	return found.(attempt), true
}

func (a attempt) same(other attempt) bool {
	return a.generation == other.generation && userconfig.Same(a.diff, other.diff) && maps.Equal(a.secrets, other.secrets)
}
