package localaiven

import (
	"cmp"
	"net/http"
	"time"
)

// connectStarted refuses calls until Options.ConnectTime after Kafka Connect has all it needs: a service that runs, and the key of
// user_config or an active integration. Aiven knows no such service meanwhile. The caller holds mu.
func (s *Server) connectStarted(svc *service) *apiError {
	now := s.clock.Now()
	since := svc.kafka.connectOn
	if svc.transient == stateRebuilding {
		since = latest(since, svc.until)
	}
	integrated := svc.integrations.ConnectedSince(now, svc.project.name, svc.name)
	if now.Before(latest(since, integrated).Add(s.options.ConnectTime)) {
		return notFound("Service " + svc.name)
	}
	return nil
}

// connected reports whether a service of Kafka Connect has a Kafka to work with. The caller holds mu.
func (svc *service) connected(now time.Time) bool {
	return svc.integrations.Connects(now, svc.project.name, svc.name)
}

// enablesConnect notes when an update of user_config enables Kafka Connect. The caller holds mu.
func (svc *service) enablesConnect(before settings, now time.Time) {
	if svc.enables(kindKafkaConnect) && before.userConfig[kindKafkaConnect] != true {
		svc.kafka.connectOn = now
	}
}

// connectRests refuses changes while the workers still rebalance after the one before. The caller holds mu.
func (s *Server) connectRests(svc *service) *apiError {
	if s.clock.Now().Before(svc.kafka.rebalanced) {
		return &apiError{http.StatusConflict, "Cannot complete request because of a conflicting operation (e.g. worker rebalance)"}
	}
	return nil
}

// changesConnector is an edit of a connector, after which the workers rebalance.
func (s *Server) changesConnector(check func(*service) *apiError, apply func(*service)) edit {
	return edit{
		check: func(svc *service) *apiError {
			if fail := svc.connects(s.clock.Now()); fail != nil {
				return fail
			}
			return cmp.Or(s.connectStarted(svc), s.connectRests(svc), check(svc))
		},
		apply: func(svc *service) {
			apply(svc)
			svc.kafka.rebalanced = s.clock.Now().Add(s.options.ConnectTime)
		},
	}
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
