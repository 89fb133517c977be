package localaiven

import (
	"fmt"
	"net/http"
	"time"

	"github.com/aero-operator/aero/tests/localaiven/engine"
)

// fork is what a new service begins with: the data of another one, as they were at a time of the machine, now if that is zero.
type fork struct {
	source *service
	at     time.Time
}

// recoveryTimes are the forms of recovery_target_time, which is in UTC unless it names a zone.
var recoveryTimes = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999"}

// forks gives a new service, which no request sees yet, the users and databases of the one that its user_config names.
// They keep their passwords but for the first user, who is the new service's own.
func (s *Server) forks(svc *service) *apiError {
	name, _ := svc.userConfig["service_to_fork_from"].(string)
	if name == "" || !svc.kind.forked {
		return nil
	}
	source, fail := s.forkable(svc, name)
	if fail != nil {
		return fail
	}
	source.mu.RLock()
	defer source.mu.RUnlock()
	now := s.clock.Now()
	if source.state(now) != stateRunning || !source.backing.up() {
		return &apiError{http.StatusConflict, fmt.Sprintf("Service '%s' can't be forked: it isn't running", name)}
	}
	at, fail := recoveryTime(svc.userConfig, source.created, now)
	if fail != nil {
		return fail
	}
	svc.fork = &fork{source: source}
	if !at.IsZero() { // what an engine has written down has the times of the machine
		svc.fork.at = time.Now().Add(at.Sub(now))
	}
	svc.databases = nil
	for _, d := range source.databases {
		if at.IsZero() || !d.since.After(at) {
			svc.databases = append(svc.databases, d)
		}
	}
	for _, u := range source.users {
		if u.name != svc.admin().name && (at.IsZero() || !u.since.After(at)) {
			own := *u
			svc.users = append(svc.users, &own)
		}
	}
	return nil
}

// forkable finds the service to fork, in the same project or in the one that is named.
func (s *Server) forkable(svc *service, name string) (*service, *apiError) {
	p := svc.project
	if other, named := svc.userConfig["project_to_fork_from"].(string); named && other != "" {
		var fail *apiError
		if p, fail = s.project(other); fail != nil {
			return nil, badRequest("Invalid project_to_fork_from '%s': there is no such project", other)
		}
	}
	source, fail := p.service(name)
	switch {
	case fail != nil:
		return nil, badRequest("Invalid service_to_fork_from '%s': there is no such service", name)
	case source.kind != svc.kind:
		return nil, badRequest("Invalid service_to_fork_from '%s': it is of service type '%s'", name, source.kind.name)
	case source.leader.Load() != nil:
		return nil, badRequest("Invalid service_to_fork_from '%s': it is a read replica", name)
	}
	return source, nil
}

// recoveryTime is the time that user_config names; zero if it names none.
func recoveryTime(userConfig map[string]any, created, now time.Time) (time.Time, *apiError) {
	text, _ := userConfig["recovery_target_time"].(string)
	if text == "" {
		return time.Time{}, nil
	}
	for _, form := range recoveryTimes {
		at, err := time.Parse(form, text)
		switch {
		case err != nil:
		case at.Before(created) || at.After(now):
			return at, badRequest("Invalid recovery_target_time '%s': must be between %s and now", text, timestamp(created))
		default:
			return at, nil
		}
	}
	return time.Time{}, badRequest("Invalid recovery_target_time '%s': must be a time such as 2026-01-31 18:30:00", text)
}

// data is the fork as an engine makes it.
func (f *fork) data() (*engine.Fork, error) {
	instance := f.source.backing.get()
	if instance == nil {
		return nil, fmt.Errorf("%s, which it forks, isn't running", f.source.name)
	}
	return &engine.Fork{Of: instance, At: f.at}, nil
}

// settle gives the users of a fork the passwords that the API shows: some may be younger than its data.
func (svc *service) settle(instance engine.Instance) error {
	svc.mu.RLock()
	var users []engine.Credential
	for _, u := range svc.users {
		users = append(users, u.credential())
	}
	svc.mu.RUnlock()
	ctx, cancel := engineContext()
	defer cancel()
	for _, u := range users {
		if err := instance.Users().Set(ctx, u); err != nil {
			return err
		}
	}
	return nil
}
