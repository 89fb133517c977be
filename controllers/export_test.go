package controllers

import (
	"net/http"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/aiven"
)

// Prototype is a kind that lives in tests only, in a cluster of its own and with an API of its own. It shows that the
// engine has what each such kind needs.
type Prototype[T Object] struct {
	*world[T]
	transport http.RoundTripper
}

// ReadLag is how long a prototype distrusts what it reads after a write.
const ReadLag = 10 * time.Second

// NewPrototype starts the engine for a kind, with objects of it and others.
func NewPrototype[T Object](
	t *testing.T, kind Kind[T], scheme *runtime.Scheme, transport http.RoundTripper, objects ...client.Object,
) *Prototype[T] {
	t.Helper()
	p := &Prototype[T]{world: newWorldOf(t, kind, scheme, objects...), transport: transport}
	p.Restart()
	return p
}

// Restart starts a new process, which remembers nothing.
func (p *Prototype[T]) Restart() {
	p.start(aiven.Options{BaseURL: "http://aiven.test", Transport: p.transport, WatchInterval: 20 * time.Second, ReadLag: ReadLag})
}

// Cluster is what users and other controllers work with.
func (p *Prototype[T]) Cluster() client.WithWatch { return p.cluster }

// Reconcile takes one step with an object.
func (p *Prototype[T]) Reconcile(name string) error {
	p.key = types.NamespacedName{Namespace: "ns", Name: name}
	_, err := p.reconcile()
	return err
}

// ReconcileLater takes a step after everything that was read is outdated and every write is shown.
func (p *Prototype[T]) ReconcileLater(name string) error {
	p.Advance(time.Minute)
	return p.Reconcile(name)
}

// Advance moves the clock.
func (p *Prototype[T]) Advance(d time.Duration) { p.now = p.now.Add(d) }

// Get reads an object.
func (p *Prototype[T]) Get(name string) T {
	p.key = types.NamespacedName{Namespace: "ns", Name: name}
	return p.get()
}

// Gone reports whether an object is gone.
func (p *Prototype[T]) Gone(name string) bool {
	p.key = types.NamespacedName{Namespace: "ns", Name: name}
	return p.gone()
}

// Delete deletes an object as a user does.
func (p *Prototype[T]) Delete(name string) {
	p.Get(name)
	p.delete()
}

// Condition is the status and the reason of a condition of an object.
func (p *Prototype[T]) Condition(name, kind string) string {
	p.Get(name)
	return p.condition(kind)
}

// Message is the message of a condition of an object.
func (p *Prototype[T]) Message(name, kind string) string {
	for _, c := range p.Get(name).GetCommonStatus().Conditions {
		if c.Type == kind {
			return c.Message
		}
	}
	return ""
}

// BeforeWrite sets what runs before each write to the cluster, and may fail it.
func (p *Prototype[T]) BeforeWrite(do func(call string) error) { p.before = do }

// Now is the time of the clock.
func (p *Prototype[T]) Now() time.Time { return p.now }

// Events are those that were reported, as "type reason action: note".
func (p *Prototype[T]) Events() []string { return p.events }
