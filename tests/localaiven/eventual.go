package localaiven

import (
	"net/http"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/huandu/go-clone"

	"github.com/aero-operator/aero/tests/localaiven/schemaregistry"
	"github.com/aero-operator/aero/tests/localaiven/serviceintegration"
)

// copied is a copy for readers that lag behind.
func (c *contents) copied() contents {
	shareSome()
	return clone.Clone(*c).(contents) // a clone has the type of its original
}

// shareSome lets copies share integrations, which never change and lead to other services, and the Schema Registry, which
// has a lock and a history of its own.
var shareSome = sync.OnceFunc(func() {
	clone.MarkAsOpaquePointer(reflect.TypeFor[*serviceintegration.Integration]())
	clone.MarkAsOpaquePointer(reflect.TypeFor[*schemaregistry.Registry]())
})

// at is the service as it was, for reading; nil if it wasn't.
func (svc *service) at(then time.Time) *service {
	svc.mu.RLock()
	defer svc.mu.RUnlock()
	was, known := svc.past.At(then)
	if !known || was.deleted {
		return nil
	}
	return &service{
		project: svc.project, name: svc.name, kind: svc.kind, created: svc.created, backing: svc.backing, clickhouse: svc.clickhouse,
		noBackups: svc.noBackups,
		contents:  was,
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
	p.left = slices.DeleteFunc(p.left, func(old *service) bool { return old.at(now.Add(-old.past.Lag)) == nil })
	if svc.past.Lag > 0 {
		p.left = append(p.left, svc)
	}
}
