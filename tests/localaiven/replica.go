package localaiven

import (
	"errors"
	"slices"
	"time"

	client "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/serviceintegration"
)

// ofTheLeader are the operations that a read replica refuses, since they would change what it has from its source.
var ofTheLeader = []string{
	"ServiceUserCreate", "ServiceUserCredentialsModify", "ServiceUserDelete", "ServiceDatabaseCreate", "ServiceDatabaseDelete",
}

// replicated says why the operation isn't one for this service.
func (svc *service) replicated(operation string) *apiError {
	leader := svc.leader.Load()
	if leader == nil || !slices.Contains(ofTheLeader, operation) {
		return nil
	}
	return &apiError{409, "Service is a read replica: its users and databases are those of " + leader.name}
}

// registerIntegrated makes a new service known together with the integrations that it is created with, or neither.
func (s *Server) registerIntegrated(svc *service, wanted *[]client.ServiceIntegrationIn) *apiError {
	if wanted == nil || len(*wanted) == 0 {
		return s.register(svc)
	}
	s.integrations.Lock()
	defer s.integrations.Unlock()
	made, refused := s.integrations.ForNew(svc, svc.project, *wanted)
	if refused != nil {
		return integrationRefusal(refused)
	}
	for _, i := range made {
		svc.follows(i)
	}
	if fail := s.register(svc); fail != nil {
		return fail
	}
	s.integrations.Add(made...)
	for _, i := range made {
		if leader := svc.leader.Load(); leader != nil && leader == serviceAt(i.Source) {
			leader.mu.RLock() // whose users may have changed since
			leader.mirror(s.clock.Now())
			leader.mu.RUnlock()
		}
	}
	return nil
}

// follows makes a new service, which no request sees yet, a read replica, if that is what the integration says.
func (svc *service) follows(i *serviceintegration.Integration) {
	leader := serviceAt(i.Source)
	if i.IntegrationType != serviceintegration.ReadReplica || !svc.kind.replicated {
		return
	}
	svc.leader.Store(leader)
	leader.mu.RLock()
	defer leader.mu.RUnlock()
	svc.take(leader)
}

// take takes the users and databases of another service. The caller holds mu of both.
func (svc *service) take(leader *service) {
	svc.users = nil
	for _, u := range leader.users {
		own := *u
		svc.users = append(svc.users, &own)
	}
	svc.databases = slices.Clone(leader.databases)
}

// mirror gives the users and databases of a service to its read replicas, and to theirs. The caller holds mu; that of a
// replica comes after that of its source.
func (svc *service) mirror(now time.Time) {
	for _, i := range svc.integrations {
		replica := serviceAt(i.Dest)
		if serviceAt(i.Source) != svc || replica == nil || replica.leader.Load() != svc {
			continue
		}
		replica.mu.Lock()
		replica.take(svc)
		replica.changed(now)
		replica.mirror(now)
		replica.mu.Unlock()
	}
}

// part lets a read replica go on by itself, as its integration ends. Others aren't touched. The caller holds no work but
// that of the source.
func (s *Server) part(i *serviceintegration.Integration) error {
	replica := serviceAt(i.Dest)
	if i.IntegrationType != serviceintegration.ReadReplica || replica == nil || replica.leader.Load() != serviceAt(i.Source) {
		return nil
	}
	replica.work.Lock()
	defer replica.work.Unlock()
	if err := replica.backing.promote(); err != nil {
		return err
	}
	replica.leader.Store(nil)
	return nil
}

// promote waits for a start that is on its way. One that failed, or that is closed, has nothing to promote.
func (b *backing) promote() error {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	<-b.done
	if b.closed || b.made == nil {
		return nil
	}
	replica, ok := b.made.(engine.Replica)
	if !ok {
		return errors.New("the engine can't promote")
	}
	return withTimeout(replica.Promote)
}
