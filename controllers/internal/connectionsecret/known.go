package connectionsecret

import (
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/aero-operator/aero/controllers/internal/connection"
)

// Key names a source: its kind in the group aiven.io, and the object.
type Key struct {
	Kind string
	types.NamespacedName
}

// String is unique among all sources: "ServiceUser/apps/joe".
func (k Key) String() string { return k.Kind + "/" + k.NamespacedName.String() }

// Known keeps what sources were last observed to connect with, of those that a ConnectionSecret names. It is memory only: after a restart
// it is filled as the sources are reconciled. The zero value isn't ready: see NewKnown.
type Known struct {
	wanted  func(Key) bool
	changed func(Key)

	mu      sync.Mutex
	sources map[Key]entry
}

// entry is what an object connects with. Without a login, it was observed to have none.
type entry struct {
	uid    types.UID
	source Source
	login  bool
}

// NewKnown calls wanted to learn whether a ConnectionSecret names a source, and changed after what is known of one has changed. Both may
// be called by several goroutines at once.
func NewKnown(wanted func(Key) bool, changed func(Key)) *Known {
	return &Known{wanted: wanted, changed: changed, sources: map[Key]entry{}}
}

// Observed records what a source connects with. One that no ConnectionSecret names is forgotten.
func (k *Known) Observed(key Key, uid types.UID, info connection.Info) {
	if info.Empty() {
		k.Withheld(key, uid)
		return
	}
	// How the object itself publishes the login is of no use here, and functions can't be compared. The dates are in its status.
	info.Layout, info.Keep, info.IssuedFor, info.Credentials = connection.Layout{}, nil, "", nil
	k.record(key, entry{uid, Source(info), true})
}

// Withheld records that a source has no login to publish, or none yet.
func (k *Known) Withheld(key Key, uid types.UID) { k.record(key, entry{uid: uid}) }

func (k *Known) record(key Key, now entry) {
	if !k.wanted(key) {
		k.Gone(key)
		return
	}
	if k.store(key, now) {
		k.changed(key)
	}
}

// store reports whether something else was known.
func (k *Known) store(key Key, now entry) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if before, is := k.sources[key]; is && reflect.DeepEqual(before, now) {
		return false
	}
	k.sources[key] = now
	return true
}

// Gone forgets a source: it was deleted, say. What was published of it stays.
func (k *Known) Gone(key Key) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.sources, key)
}

// Of returns what is known of an object. The error is a *WaitError before the object's first reconcile since the start, or since a
// ConnectionSecret names it, for another object of its name, and for one that was observed to have no login. The last two are observed.
func (k *Known) Of(key Key, uid types.UID) (Source, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	found, observed := k.sources[key]
	if found.uid != uid || !found.login {
		return Source{}, &WaitError{For: key.Kind + " " + key.NamespacedName.String() + " to connect. Its own status has the reason", Observed: observed}
	}
	return found.source, nil
}
