package localaiven

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aero-operator/aero/tests/localaiven/clickhousesql"
	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/lag"
	"github.com/aero-operator/aero/tests/localaiven/serviceintegration"
)

// The states of a service.
const (
	stateRunning     = "RUNNING"
	stateRebuilding  = "REBUILDING"
	stateRebalancing = "REBALANCING"
	statePoweroff    = "POWEROFF"
)

const (
	adminName     = "avnadmin"
	defaultLocale = "en_US.UTF-8"
)

// service is one remote service with all that belongs to it.
type service struct {
	project *project
	name    string
	kind    *kind
	created time.Time
	backing *backing // nil without an engine
	// noBackups is set for a service that has none.
	noBackups bool
	// clickhouse is what a service of that type knows, with a lock of its own; nil for others.
	clickhouse *clickhousesql.Catalog
	// leader is the service that a read replica follows; nil for others, and once it goes by itself.
	leader atomic.Pointer[service]
	// fork is what the service began with; nil for one that began empty.
	fork *fork

	// work is held for the whole of a change, the engine's part included, so that changes come one after another.
	work sync.Mutex

	// mu guards everything below; it is never held while an engine works.
	mu sync.RWMutex
	contents
	past lag.History[contents]

	open, closed atomic.Pointer[rendering] // answers with and without secrets
}

// contents are what calls change. A copy of them is all that a service was at a time.
type contents struct {
	deleted bool
	version int // grows with each change; what was rendered for an older one is stale
	updated time.Time
	power
	settings
	notices
	endpoints map[string]engine.Endpoint // by component; see connect.go
	users     []*user
	databases []database
	pools     []*pool
	topics    []*topic
	acls      []acl // never changed in place
	searchACL searchACL
	// searchSecurity is that of a service of OpenSearch.
	searchSecurity searchSecurity
	kafka          kafkaState
	tasks          map[string]task
	nodes          map[string]string // states of nodes as set at the console, by name
	// upgradeFinding is what a check before an upgrade finds, as set at the console.
	upgradeFinding string

	integrations serviceintegration.List // those with an end here; see Server.integrations
}

// power is the state machine: where the service is going to, and until when it is on its way.
type power struct {
	off       bool
	offSince  time.Time // when it was powered off, if it is
	transient string    // the state while on the way
	until     time.Time // when the way ends
	forced    string    // as set at the console, until the next change by the API
}

// settings are what a client can set.
type settings struct {
	plan         plan
	diskMB       int
	cloud        string
	vpcID        string
	userConfig   map[string]any
	tags         map[string]string
	techEmails   []techEmail
	maintenance  maintenance
	protected    bool
	openRegistry bool // the Schema Registry doesn't ask its ACLs
}

type user struct {
	name        string
	kind        string  // primary or normal
	password    *string // nil once it was changed inside the database
	access      map[string]any
	login       string       // how the user proves who it is; empty where a request can't choose
	certificate *certificate // nil where users don't show any
	since       time.Time    // when a request created it; zero for what a service comes with
	passwordSet time.Time    // when the password was set last
}

type database struct {
	name, collate, ctype string
	since                time.Time // as of users
}

type pool struct {
	engine.Pool
	endpoint engine.Endpoint
}

// state is where the service is now. The caller holds mu.
func (svc *service) state(now time.Time) string {
	switch {
	case svc.forced != "":
		return svc.forced
	case svc.off:
		return statePoweroff
	case svc.transient != "" && (now.Before(svc.until) || !svc.backing.up()):
		return svc.transient
	}
	return stateRunning
}

// enter starts the way to RUNNING.
func (p *power) enter(transient string, until time.Time) {
	*p = power{transient: transient, until: until}
}

// changed notes a change. The caller holds mu.
func (svc *service) changed(now time.Time) {
	svc.updated = now
	svc.touched(now)
}

// touched notes that the service shows something else, although no request changed it. The caller holds mu.
func (svc *service) touched(now time.Time) {
	svc.version++
	svc.past.Remember(now, svc.contents.copied)
}

func (svc *service) user(name string) *user {
	if i := slices.IndexFunc(svc.users, func(u *user) bool { return u.name == name }); i >= 0 {
		return svc.users[i]
	}
	return nil
}

func (svc *service) database(name string) bool {
	return slices.ContainsFunc(svc.databases, func(d database) bool { return d.name == name })
}

func (svc *service) pool(name string) *pool {
	if i := slices.IndexFunc(svc.pools, func(p *pool) bool { return p.Name == name }); i >= 0 {
		return svc.pools[i]
	}
	return nil
}

// admin is the primary user; it can't be deleted.
func (svc *service) admin() *user { return svc.users[0] }

// edit runs one change of what's inside a service, which must run for it. check and apply hold mu, do doesn't: there the
// engine works. do and apply are skipped after an error.
type edit struct {
	check func(*service) *apiError
	do    func(*service, engine.Instance) error // only with an engine
	apply func(*service)
}

func (s *Server) edit(c *call, doing string, e edit) *apiError {
	svc, fail := s.service(c)
	if fail != nil {
		return fail
	}
	svc.work.Lock()
	defer svc.work.Unlock()
	svc.mu.RLock()
	fail = svc.writable(s.clock.Now())
	if fail == nil {
		fail = svc.replicated(c.operation)
	}
	if fail == nil {
		fail = e.check(svc)
	}
	svc.mu.RUnlock()
	if fail != nil {
		return fail
	}
	if instance := svc.backing.get(); instance != nil && e.do != nil {
		if err := e.do(svc, instance); err != nil {
			return s.internal(c, doing, err)
		}
	}
	svc.mu.Lock()
	defer svc.mu.Unlock()
	e.apply(svc)
	now := s.clock.Now()
	svc.changed(now)
	svc.mirror(now)
	return nil
}

// writable reports whether what is inside can change now. A service that is on its way can't reach its database,
// except while REBALANCING, when the old nodes serve until the new ones do.
func (svc *service) writable(now time.Time) *apiError {
	if svc.deleted {
		return notFound("Service " + svc.name)
	}
	switch state := svc.state(now); {
	case state == statePoweroff:
		return &apiError{409, "Service is powered off"}
	case state == stateRebuilding, !svc.backing.up(): // whatever the console says
		return &apiError{503, "Service is not running, try again later"}
	}
	return nil
}

// service finds the one in the path of a call.
func (s *Server) service(c *call) (*service, *apiError) {
	p, fail := s.project(c.param("project"))
	if fail != nil {
		return nil, fail
	}
	if s.lags(c) {
		return p.serviceAt(c.param("service"), s.clock.Now().Add(-s.options.Eventual))
	}
	return p.service(c.param("service"))
}
