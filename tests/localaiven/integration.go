package localaiven

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"sync"

	client "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/tests/localaiven/serviceintegration"
	"github.com/aero-operator/aero/tests/localaiven/userconfig"
)

// integration is one with its ends. It is never changed in place.
type integration struct {
	serviceintegration.Integration

	source, dest side
}

// touches reports whether the service is at an end.
func (i *integration) touches(svc *service) bool {
	return i.source.service == svc || i.dest.service == svc
}

// same reports whether both connect the same in the same way.
func (i *integration) same(other *integration) bool {
	return i.IntegrationType == other.IntegrationType && i.source.same(other.source) && i.dest.same(other.dest)
}

// integrations are those of all projects, as one can connect two of them. Each service has those which touch it, too, so
// that it can be shown without asking here.
type integrations struct {
	// mu is held while integrations, or whether their ends are there, change. It is taken before the mu of a project, and
	// after the work of a service.
	mu    sync.RWMutex
	all   []*integration
	clock Clock
}

// add adds some. The caller holds mu, and has seen that their ends are there.
func (r *integrations) add(made ...*integration) {
	r.all = append(r.all, made...)
	r.show(made)
}

// remove removes those for which gone is true, and returns them. The caller holds mu.
func (r *integrations) remove(gone func(*integration) bool) []*integration {
	var removed []*integration
	for _, i := range r.all {
		if gone(i) {
			removed = append(removed, i)
		}
	}
	r.all = slices.DeleteFunc(r.all, gone)
	r.show(removed)
	return removed
}

// show lets the services at the ends of what changed show what is there now.
func (r *integrations) show(changed []*integration) {
	for _, i := range changed {
		for _, svc := range []*service{i.source.service, i.dest.service} {
			if svc == nil {
				continue
			}
			var own []*integration
			for _, other := range r.all {
				if other.touches(svc) {
					own = append(own, other)
				}
			}
			svc.mu.Lock()
			svc.integrations = own
			svc.touched(r.clock.Now())
			svc.mu.Unlock()
		}
	}
}

// using returns an integration with the endpoint; nil when there is none. The caller holds mu.
func (r *integrations) using(endpointID string) *integration {
	for _, i := range r.all {
		if i.source.endpointID() == endpointID || i.dest.endpointID() == endpointID {
			return i
		}
	}
	return nil
}

// find returns the position of an integration that has an end in the project. The caller holds mu.
func (r *integrations) find(p *project, id string) (int, *apiError) {
	at := slices.IndexFunc(r.all, func(i *integration) bool {
		return i.ServiceIntegrationID == id && (i.source.project == p || i.dest.project == p)
	})
	if at < 0 {
		return at, notFound("Service integration")
	}
	return at, nil
}

func (r *integrations) resources() []Resource {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var out []Resource
	for _, i := range r.all {
		id := i.source.project.name + "/" + i.IntegrationType + "/" + i.source.name() + "/" +
			i.dest.project.name + "/" + i.dest.name() + "#" + i.ServiceIntegrationID
		out = append(out, Resource{Type: "service_integration", ID: id})
	}
	return out
}

func (s *Server) integrationAnswer(i *integration) map[string]serviceintegration.Integration {
	return map[string]serviceintegration.Integration{"service_integration": i.At(s.clock.Now())}
}

func (s *Server) integrationGet(c *call) (any, *apiError) {
	p, fail := s.project(c.param("project"))
	if fail != nil {
		return nil, fail
	}
	if s.lags(c) {
		i, fail := s.integrationThen(p, c.param("integration"))
		if fail != nil {
			return nil, fail
		}
		return s.integrationAnswer(i), nil
	}
	s.integrations.mu.RLock()
	defer s.integrations.mu.RUnlock()
	at, fail := s.integrations.find(p, c.param("integration"))
	if fail != nil {
		return nil, fail
	}
	return s.integrationAnswer(s.integrations.all[at]), nil
}

// integrationUpdate refuses an update that changes nothing, as Aiven does.
func (s *Server) integrationUpdate(c *call) (any, *apiError) {
	p, fail := s.project(c.param("project"))
	if fail != nil {
		return nil, fail
	}
	var in client.ServiceIntegrationUpdateIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	if !c.names("user_config") {
		return nil, badRequest("Invalid input: user_config is required")
	}
	r := &s.integrations
	r.mu.Lock()
	defer r.mu.Unlock()
	at, fail := r.find(p, c.param("integration"))
	if fail != nil {
		return nil, fail
	}
	next := *r.all[at]
	var err error
	if next.UserConfig, err = userconfig.OfIntegration(next.IntegrationType).Apply(next.UserConfig, in.UserConfig); err != nil {
		return nil, badRequest("%v", err)
	}
	if sameJSON(next.UserConfig, r.all[at].UserConfig) {
		return nil, badRequest("Service integration user config not changed")
	}
	r.all[at] = &next
	r.show(r.all[at : at+1])
	return s.integrationAnswer(&next), nil
}

// sameJSON compares what a client would see.
func sameJSON(a, b any) bool {
	one, errOne := json.Marshal(a)
	other, errOther := json.Marshal(b)
	return errOne == nil && errOther == nil && bytes.Equal(one, other)
}

// integrationDelete lets a read replica go on by itself before its integration is gone.
func (s *Server) integrationDelete(c *call) (any, *apiError) {
	p, fail := s.project(c.param("project"))
	if fail != nil {
		return nil, fail
	}
	r := &s.integrations
	r.mu.RLock()
	var gone *integration
	at, fail := r.find(p, c.param("integration"))
	if fail == nil {
		gone = r.all[at]
	}
	r.mu.RUnlock()
	if fail != nil {
		return nil, fail
	}
	if err := s.part(gone); err != nil {
		return nil, s.internal(c, "promoting the read replica", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, fail := r.find(p, gone.ServiceIntegrationID); fail != nil {
		return nil, fail
	}
	r.remove(func(i *integration) bool { return i.ServiceIntegrationID == gone.ServiceIntegrationID })
	return nil, nil
}

func notRunning(svc *service, state string) *apiError {
	return &apiError{http.StatusConflict, "Source service '" + svc.name + "' is not running, its state is " + state}
}
