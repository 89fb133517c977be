package serviceintegration

import (
	"bytes"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/aero-operator/aero/tests/localaiven/userconfig"
)

// Options are what integrations need of the server.
type Options struct {
	// Project finds one by its name.
	Project func(name string) (Project, *Error)
	// NewID is a new service_integration_id. Now is the time.
	NewID func() string
	Now   func() time.Time
	// StartTime is how long an integration takes to be active.
	StartTime time.Duration
}

// Integrations are those of all projects, as one can connect two of them. Each service has those which touch it, too, so
// that it can be shown without asking here.
type Integrations struct {
	// RWMutex is held while integrations, or whether their ends are there, change. It is taken before the lock of a project,
	// and after the work of a service. The server holds it while it makes and removes services and projects.
	sync.RWMutex
	options Options
	all     List
}

// New returns no integrations yet.
func New(options Options) *Integrations { return &Integrations{options: options} }

// Add adds some. The caller holds the lock, and has seen that their ends are there.
func (r *Integrations) Add(made ...*Integration) {
	r.all = append(r.all, made...)
	r.show(made)
}

// Remove removes those for which gone is true, and returns them. The caller holds the lock.
func (r *Integrations) Remove(gone func(*Integration) bool) List {
	var removed List
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
func (r *Integrations) show(changed List) {
	for _, i := range changed {
		for _, svc := range []Service{i.Source.Service, i.Dest.Service} {
			if svc == nil {
				continue
			}
			var own List
			for _, other := range r.all {
				if other.Touches(svc) {
					own = append(own, other)
				}
			}
			svc.Integrate(own, r.options.Now)
		}
	}
}

// using returns an integration with the endpoint; nil when there is none. The caller holds the lock.
func (r *Integrations) using(endpointID string) *Integration {
	for _, i := range r.all {
		if i.Source.endpointID() == endpointID || i.Dest.endpointID() == endpointID {
			return i
		}
	}
	return nil
}

// Get returns one that has an end in the project.
func (r *Integrations) Get(p Project, id string) (*Integration, *Error) {
	r.RLock()
	defer r.RUnlock()
	return r.all.Find(p, id)
}

// Update changes the settings of one. An update that changes nothing is refused, as by Aiven.
func (r *Integrations) Update(p Project, id string, config map[string]any) (*Integration, *Error) {
	return r.edit(p, id, func(was Integration) (Integration, *Error) {
		next, err := userconfig.OfIntegration(was.IntegrationType).Apply(was.UserConfig, config)
		if err != nil {
			return was, badRequest("%v", err)
		}
		if sameJSON(next, was.UserConfig) {
			return was, badRequest("Service integration user config not changed")
		}
		was.UserConfig = next
		return was, nil
	})
}

// Change sets what a user of the console does.
func (r *Integrations) Change(p Project, id string, change Change) *Error {
	_, fail := r.edit(p, id, func(was Integration) (Integration, *Error) { return change.On(was.At(r.options.Now())), nil })
	return fail
}

// edit replaces an integration by what it becomes, as those who read it before keep it.
func (r *Integrations) edit(p Project, id string, become func(Integration) (Integration, *Error)) (*Integration, *Error) {
	r.Lock()
	defer r.Unlock()
	at, fail := r.all.index(p, id)
	if fail != nil {
		return nil, fail
	}
	next, fail := become(*r.all[at])
	if fail != nil {
		return nil, fail
	}
	r.all[at] = &next
	r.show(r.all[at : at+1])
	return &next, nil
}

// sameJSON compares what a client would see.
func sameJSON(a, b any) bool {
	one, errOne := json.Marshal(a)
	other, errOther := json.Marshal(b)
	return errOne == nil && errOther == nil && bytes.Equal(one, other)
}

// Delete removes one that has an end in the project.
func (r *Integrations) Delete(p Project, id string) *Error {
	r.Lock()
	defer r.Unlock()
	if _, fail := r.all.index(p, id); fail != nil {
		return fail
	}
	r.Remove(func(i *Integration) bool { return i.ServiceIntegrationID == id })
	return nil
}

// Paths identify all of them: project/type/source/project/destination#id.
func (r *Integrations) Paths() []string {
	r.RLock()
	defer r.RUnlock()
	var out []string
	for _, i := range r.all {
		out = append(out, i.Source.Project.Name()+"/"+i.IntegrationType+"/"+i.Source.Name()+"/"+
			i.Dest.Project.Name()+"/"+i.Dest.Name()+"#"+i.ServiceIntegrationID)
	}
	return out
}
