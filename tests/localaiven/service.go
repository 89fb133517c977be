package localaiven

import (
	"bytes"
	"net/http"
	"regexp"
	"time"

	client "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/lag"
	"github.com/aero-operator/aero/tests/localaiven/serviceintegration"
)

var serviceName = regexp.MustCompile(`^[a-z][-a-z0-9]{0,62}$`)

func (s *Server) serviceList(c *call) (any, *apiError) {
	p, fail := s.project(c.param("project"))
	if fail != nil {
		return nil, fail
	}
	all := p.list()
	if s.lags(c) {
		all = p.servicesAt(s.clock.Now().Add(-s.options.Eventual))
	}
	var out bytes.Buffer
	out.WriteString(`{"services":[`)
	for i, svc := range all {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(s.render(svc, c.secrets()))
	}
	out.WriteString(`]}`)
	return raw(out.Bytes()), nil
}

func (s *Server) serviceGet(c *call) (any, *apiError) {
	svc, fail := s.service(c)
	if fail != nil {
		return nil, fail
	}
	return s.serviceAnswer(c, svc), nil
}

// serviceAnswer is what ServiceGet and every change of a service answer.
func (s *Server) serviceAnswer(c *call, svc *service) raw {
	body := s.render(svc, c.secrets())
	out := make([]byte, 0, len(body)+len(`{"service":}`))
	out = append(out, `{"service":`...)
	out = append(out, body...)
	return append(out, '}')
}

func (s *Server) serviceCreate(c *call) (any, *apiError) {
	p, fail := s.project(c.param("project"))
	if fail != nil {
		return nil, fail
	}
	var in client.ServiceCreateIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	svc, fail := s.newService(p, in)
	if fail != nil {
		return nil, fail
	}
	if fail := s.forks(svc); fail != nil {
		return nil, fail
	}
	if fail := s.registerIntegrated(svc, in.ServiceIntegrations); fail != nil {
		return nil, fail
	}
	return s.serviceAnswer(c, svc), nil
}

// register makes a new service known, and starts what is behind it.
func (s *Server) register(svc *service) *apiError {
	p := svc.project
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone.Load() {
		return notFound("Project")
	}
	if _, exists := p.services[svc.name]; exists {
		return alreadyExists("Service", svc.name)
	}
	if fail := p.usable(svc.vpcID, s.clock.Now()); fail != nil {
		return fail
	}
	s.back(svc)
	svc.mu.Lock() // its engine may be up already
	defer svc.mu.Unlock()
	svc.changed(svc.created)
	p.services[svc.name] = svc
	return nil
}

// newService checks a request to create one, and makes it; nothing is running yet, and no request sees it.
func (s *Server) newService(p *project, in client.ServiceCreateIn) (*service, *apiError) {
	if !serviceName.MatchString(in.ServiceName) {
		return nil, badRequest("Invalid service_name '%s': must start with a lower-case letter, "+
			"consist of lower-case letters, digits and dashes, and be at most 63 characters long", in.ServiceName)
	}
	k, ok := kinds[in.ServiceType]
	if !ok {
		return nil, badRequest("Invalid service_type '%s'", in.ServiceType)
	}
	now := s.clock.Now().UTC()
	svc := &service{project: p, name: in.ServiceName, kind: k, created: now, past: lag.History[contents]{Lag: s.options.Eventual}}
	svc.noBackups = s.options.Variants.noBackups(k)
	svc.settings = settings{cloud: p.defaultCloud(), userConfig: map[string]any{}, maintenance: defaultMaintenance(in.ServiceName)}
	fail := svc.configure(client.ServiceUpdateIn{
		Plan: &in.Plan, Cloud: in.Cloud, DiskSpaceMb: in.DiskSpaceMb, Maintenance: in.Maintenance, TechEmails: in.TechEmails,
		ProjectVpcId: in.ProjectVpcId, TerminationProtection: in.TerminationProtection, UserConfig: in.UserConfig,
	}, k)
	if fail != nil {
		return nil, fail
	}
	svc.tags = map[string]string{}
	if in.Tags != nil {
		if svc.tags, fail = checkTags(*in.Tags); fail != nil {
			return nil, fail
		}
	}
	svc.tasks, svc.nodes, svc.endpoints = map[string]task{}, map[string]string{}, map[string]engine.Endpoint{}
	svc.enter(stateRebuilding, now.Add(s.options.ProvisionTime))
	return svc, s.prepare(svc)
}

// prepare adds what a new service comes with.
func (s *Server) prepare(svc *service) *apiError {
	admin, err := svc.newAdmin()
	if err != nil {
		s.log.Error("making the first user", "service", svc.name, "error", err)
		return &apiError{http.StatusInternalServerError, "An error occurred while creating the service"}
	}
	admin.passwordSet = svc.created
	svc.users = []*user{admin}
	if svc.kind.database != "" {
		svc.databases = []database{{name: svc.kind.database, collate: svc.kind.locale, ctype: svc.kind.locale}}
	}
	if svc.kind.prepare != nil {
		svc.kind.prepare(s, svc)
	}
	return nil
}

func (s *Server) serviceUpdate(c *call) (any, *apiError) {
	svc, fail := s.service(c)
	if fail != nil {
		return nil, fail
	}
	var in client.ServiceUpdateIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	svc.work.Lock()
	defer svc.work.Unlock()
	restart, fail := s.update(svc, in, c.names("project_vpc_id"))
	if fail != nil {
		return nil, fail
	}
	s.follow(svc, restart)
	return s.serviceAnswer(c, svc), nil
}

// update changes settings and state, and reports whether what is behind the service has to start again.
func (s *Server) update(svc *service, in client.ServiceUpdateIn, vpcNamed bool) (restart bool, fail *apiError) {
	svc.project.mu.RLock() // no VPC goes meanwhile
	defer svc.project.mu.RUnlock()
	svc.mu.Lock()
	defer svc.mu.Unlock()
	if svc.deleted {
		return false, notFound("Service " + svc.name)
	}
	now := s.clock.Now().UTC()
	if in.Powered != nil && !*in.Powered && svc.protected && (in.TerminationProtection == nil || *in.TerminationProtection) {
		return false, protectedService()
	}
	if fail := svc.scaledByItself(in.DiskSpaceMb); fail != nil {
		return false, fail
	}
	if !vpcNamed && svc.vpcID != "" {
		in.ProjectVpcId = &svc.vpcID
	}
	if in.ProjectVpcId != nil && *in.ProjectVpcId != svc.vpcID {
		if fail := svc.project.usable(*in.ProjectVpcId, now); fail != nil {
			return false, fail
		}
	}
	before := svc.settings
	if fail := svc.configure(in, svc.kind); fail != nil {
		return false, fail
	}
	svc.enablesConnect(before, now)
	restart = s.transit(svc, in.Powered, svc.moved(before), svc.upgraded(before), now)
	svc.changed(now)
	return restart, nil
}

// scaledByItself refuses to change the disk of a service while an autoscaler does so. The caller holds mu.
func (svc *service) scaledByItself(diskMB *int) *apiError {
	if diskMB == nil || *diskMB == svc.diskMB {
		return nil
	}
	if svc.integrations.Has("autoscaler") {
		return badRequest("Invalid disk_space_mb %d: the disk of service '%s' is managed by an autoscaler integration", *diskMB, svc.name)
	}
	return nil
}

// moved reports whether the service goes to other nodes.
func (svc *service) moved(before settings) bool {
	return before.plan != svc.plan || before.cloud != svc.cloud || before.vpcID != svc.vpcID
}

// upgraded reports whether the service gets a version that it can't get while it serves.
func (svc *service) upgraded(before settings) bool {
	key := svc.kind.versionKey
	return svc.kind.upgradesDown && before.userConfig[key] != svc.userConfig[key]
}

// transit lets a service enter the state that a change leads to, and reports whether its engine is down on the way.
func (s *Server) transit(svc *service, powered *bool, moved, upgraded bool, now time.Time) (restart bool) {
	state := svc.state(now)
	switch {
	case powered != nil && !*powered:
		svc.power = power{off: true, offSince: now}
	case powered != nil && state == statePoweroff:
		svc.enter(stateRebuilding, now.Add(s.options.ProvisionTime))
	case state == stateRebuilding, state == statePoweroff:
		// A service that is being built is built with the new settings; it isn't moved on top.
	case upgraded:
		svc.enter(stateRebuilding, now.Add(s.options.ProvisionTime))
		return true
	case moved:
		svc.enter(stateRebalancing, now.Add(s.options.ProvisionTime))
	}
	return false
}

func protectedService() *apiError {
	return forbidden("Service is protected against termination and shutdown. Remove termination protection first.")
}

func (s *Server) serviceDelete(c *call) (any, *apiError) {
	svc, fail := s.service(c)
	if fail != nil {
		return nil, fail
	}
	svc.work.Lock()
	defer svc.work.Unlock()
	ended, fail := s.forget(svc)
	if fail != nil {
		return nil, fail
	}
	for _, i := range ended {
		if i.Dest.Service == svc {
			continue
		}
		if err := s.part(i); err != nil {
			s.log.Error("promoting a read replica", "service", i.Dest.Name(), "error", err)
		}
	}
	s.unback(svc)
	return nil, nil
}

// forget removes a service, and returns its integrations, which are gone, too.
func (s *Server) forget(svc *service) (serviceintegration.List, *apiError) {
	s.integrations.Lock() // nothing is integrated with it until it is gone
	defer s.integrations.Unlock()
	now := s.clock.Now()
	var fail *apiError
	svc.mu.Lock()
	switch {
	case svc.deleted:
		fail = notFound("Service " + svc.name)
	case svc.protected:
		fail = protectedService()
	default:
		svc.deleted = true
		svc.changed(now)
	}
	svc.mu.Unlock()
	if fail != nil {
		return nil, fail
	}
	ended := s.integrations.Remove(func(i *serviceintegration.Integration) bool { return i.Touches(svc) })
	svc.project.mu.Lock()
	defer svc.project.mu.Unlock()
	delete(svc.project.services, svc.name)
	svc.project.leave(svc, now)
	return ended, nil
}
