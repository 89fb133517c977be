package localaiven

import (
	"net/http"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/huandu/go-clone"

	"github.com/aero-operator/aero/tests/localaiven/schemaregistry"
)

// history is what a service was, for readers that lag behind. Without a lag it stays empty.
type history struct {
	lag  time.Duration
	then []moment // oldest first
}

type moment struct {
	since    time.Time
	contents contents
}

// remember notes what the service is from now on, and forgets what no reader sees anymore.
func (h *history) remember(now contents, at time.Time) {
	if h.lag == 0 {
		return
	}
	if seen := h.index(at.Add(-h.lag)); seen > 0 {
		h.then = slices.Delete(h.then, 0, seen)
	}
	shareSome()
	h.then = append(h.then, moment{at, clone.Clone(now).(contents)}) //nolint:forcetypeassert // a clone has the type of its original
}

// shareSome lets copies share integrations, which never change and lead to other services, and the Schema Registry, which
// has a lock and a history of its own.
var shareSome = sync.OnceFunc(func() {
	clone.MarkAsOpaquePointer(reflect.TypeFor[*integration]())
	clone.MarkAsOpaquePointer(reflect.TypeFor[*schemaregistry.Registry]())
})

// index is that of the moment which at belongs to; -1 is before all.
func (h *history) index(at time.Time) int {
	later := slices.IndexFunc(h.then, func(m moment) bool { return m.since.After(at) })
	if later < 0 {
		later = len(h.then)
	}
	return later - 1
}

// at is the service as it was, for reading; nil if it wasn't.
func (svc *service) at(then time.Time) *service {
	svc.mu.RLock()
	defer svc.mu.RUnlock()
	i := svc.past.index(then)
	if i < 0 || svc.past.then[i].contents.deleted {
		return nil
	}
	return &service{
		project: svc.project, name: svc.name, kind: svc.kind, created: svc.created, backing: svc.backing, clickhouse: svc.clickhouse,
		noBackups: svc.noBackups,
		contents:  svc.past.then[i].contents,
	}
}

// lags reports whether the call reads what was true a while ago.
func (s *Server) lags(c *call) bool {
	return s.options.Eventual > 0 && (c.Method == http.MethodGet || c.operation == "ServiceKafkaTopicListV2")
}

// servicesAt are the services of the project as they were, by name.
func (p *project) servicesAt(then time.Time) []*service {
	p.mu.RLock()
	known := slices.Clone(p.left)
	p.mu.RUnlock()
	var all []*service
	for _, svc := range append(known, p.list()...) {
		if was := svc.at(then); was != nil {
			all = append(all, was)
		}
	}
	return byName(all)
}

func (p *project) serviceAt(name string, then time.Time) (*service, *apiError) {
	for _, svc := range p.servicesAt(then) {
		if svc.name == name {
			return svc, nil
		}
	}
	return nil, notFound("Service " + name)
}

// leave keeps a deleted service for readers that lag behind, and forgets those that were deleted long ago.
func (p *project) leave(svc *service, now time.Time) {
	p.left = slices.DeleteFunc(p.left, func(old *service) bool { return old.at(now.Add(-old.past.lag)) == nil })
	if svc.past.lag > 0 {
		p.left = append(p.left, svc)
	}
}
