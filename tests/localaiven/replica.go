package localaiven

import (
	"errors"
	"slices"
	"time"

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

// follows makes a new service, which no request sees yet, a read replica, if that is what the integration says.
func (svc *service) follows(i *integration) {
	leader := i.source.service
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
		replica := i.dest.service
		if i.source.service != svc || replica == nil || replica.leader.Load() != svc {
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
func (s *Server) part(i *integration) error {
	replica := i.dest.service
	if i.IntegrationType != serviceintegration.ReadReplica || replica == nil || replica.leader.Load() != i.source.service {
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
