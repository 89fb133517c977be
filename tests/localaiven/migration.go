package localaiven

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/aero-operator/aero/tests/localaiven/engine"
)

// The statuses of a migration, and of each database of it.
const (
	migrationWaiting = "waiting"
	migrationRunning = "running"
	migrationDone    = "done"
	migrationFailed  = "failed"
)

// migrationStatus is how far a migration is, or that of one database.
type migrationStatus struct {
	Database string  `json:"dbname,omitempty"`
	Error    *string `json:"error,omitempty"`
	Method   string  `json:"method"`
	Status   string  `json:"status"`
}

type migrationBody struct {
	Migration migrationStatus   `json:"migration"`
	Detail    []migrationStatus `json:"migration_detail"`
}

// migrationOption is what user_config says about a migration.
type migrationOption struct {
	Host      string `json:"host"`
	Port      int    `json:"port"`
	Username  string `json:"username"`
	Password  string `json:"password"`
	Database  string `json:"dbname"`
	IgnoreDBs string `json:"ignore_dbs"`
	Method    string `json:"method"`
	SSL       *bool  `json:"ssl"`
}

// migrationOption returns that of user_config, and whether there is one. The caller holds mu.
func (svc *service) migrationOption() (option migrationOption, given bool) {
	config, ok := svc.userConfig["migration"].(map[string]any)
	if !ok {
		return option, false
	}
	text, err := json.Marshal(config)
	if err == nil {
		err = json.Unmarshal(text, &option)
	}
	return option, err == nil // the schema has checked it
}

// source is the server that the option names.
func (o migrationOption) source() engine.Source {
	return engine.Source{
		Host: o.Host, Port: o.Port, Username: o.Username, Password: o.Password, Database: o.Database, TLS: o.SSL == nil || *o.SSL,
	}
}

// migration copies the databases of a server elsewhere into a service.
type migration struct {
	source  engine.Source
	ignored string // names with commas between them
	cancel  context.CancelFunc
	done    chan struct{}

	mu     sync.Mutex
	status migrationBody
}

// migrations are those of one service.
type migrations struct {
	latest atomic.Pointer[migration] // nil until one began
	turn   sync.Mutex                // held while one begins or ends
}

// end gives up the one that goes on, if any.
func (all *migrations) end() {
	all.turn.Lock()
	defer all.turn.Unlock()
	all.latest.Load().end()
}

// is reports whether the option asks for this migration.
func (m *migration) is(o migrationOption) bool {
	return m != nil && m.source == o.source() && m.ignored == o.IgnoreDBs
}

// read returns a copy of the status.
func (m *migration) read() migrationBody {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := m.status
	out.Detail = slices.Clone(out.Detail)
	return out
}

// migrate begins the migration that user_config asks for, unless that migration was begun already, where the engine can copy. The
// migration before it ends first.
func (s *Server) migrate(svc *service) {
	svc.mu.RLock()
	option, given := svc.migrationOption()
	svc.mu.RUnlock()
	b := svc.backing
	b.migrations.turn.Lock()
	defer b.migrations.turn.Unlock()
	instance := b.get()
	copier, copies := instance.(engine.Migrator)
	if !copies || given && b.latest.Load().is(option) {
		return
	}
	b.latest.Load().end()
	b.latest.Store(nil)
	if !given {
		return
	}
	ctx, cancel := context.WithCancel(s.lifetime)
	m := &migration{source: option.source(), ignored: option.IgnoreDBs, cancel: cancel, done: make(chan struct{})}
	m.status = migrationBody{migrationStatus{Method: svc.kind.dump, Status: migrationRunning}, []migrationStatus{}}
	b.latest.Store(m)
	s.running.Go(func() {
		defer close(m.done)
		defer cancel()
		m.concludes(s.copyDatabases(ctx, svc, m, copier, instance.Databases()))
	})
}

func (m *migration) end() {
	if m != nil {
		m.cancel()
		<-m.done
	}
}

// copyDatabases copies one database after the other. After a failure it goes on with the next.
func (s *Server) copyDatabases(ctx context.Context, svc *service, m *migration, from engine.Migrator, into engine.Databases) error {
	names, err := from.SourceDatabases(ctx, m.source)
	if err != nil {
		return err
	}
	ignored := strings.Split(m.ignored, ",")
	names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(ignored, name) })
	m.lists(names, svc.kind.dump)
	var all error
	for i, name := range names {
		m.sets(i, migrationRunning, nil)
		err := s.receive(ctx, svc, into, name)
		if err == nil {
			err = from.CopyDatabase(ctx, m.source, name)
		}
		if err != nil {
			all = errors.Join(all, fmt.Errorf("copying database %s: %w", name, err))
			m.sets(i, migrationFailed, err)
			continue
		}
		m.sets(i, migrationDone, nil)
	}
	return all
}

// receive makes the database that is copied next. It doesn't hold work: a request that does may wait for the end of the migration.
func (s *Server) receive(ctx context.Context, svc *service, into engine.Databases, name string) error {
	if err := into.Set(ctx, name, "", ""); err != nil {
		return err
	}
	svc.mu.Lock()
	defer svc.mu.Unlock()
	if svc.deleted || svc.database(name) {
		return nil
	}
	now := s.clock.Now()
	svc.databases = append(svc.databases, database{name: name, collate: svc.kind.locale, ctype: svc.kind.locale, since: now})
	svc.changed(now)
	svc.mirror(now)
	return nil
}

func (m *migration) lists(names []string, method string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, name := range names {
		m.status.Detail = append(m.status.Detail, migrationStatus{Database: name, Method: method, Status: migrationWaiting})
	}
}

func (m *migration) sets(i int, status string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.status.Detail[i].Status, m.status.Detail[i].Error = status, m.explains(err)
}

func (m *migration) concludes(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.status.Migration.Status, m.status.Migration.Error = migrationDone, m.explains(err)
	if err != nil {
		m.status.Migration.Status = migrationFailed
	}
}

// explains is an error as the API shows it; nil for none. A source may repeat the password.
func (m *migration) explains(err error) *string {
	if err == nil {
		return nil
	}
	text := err.Error()
	if m.source.Password != "" {
		text = strings.ReplaceAll(text, m.source.Password, redacted)
	}
	return &text
}

// migrationGet returns how far the migration in user_config is. Without an engine that copies there is no source to read
// from, and it is done as soon as the service runs.
func (s *Server) migrationGet(c *call) (any, *apiError) {
	svc, fail := s.service(c)
	if fail != nil {
		return nil, fail
	}
	svc.mu.RLock()
	defer svc.mu.RUnlock()
	option, given := svc.migrationOption()
	if !given {
		return nil, notFound("Migration")
	}
	method, status := option.Method, migrationDone
	if method == "" || method == "dump" {
		method = svc.kind.dump
	}
	if _, copies := svc.backing.get().(engine.Migrator); copies {
		if m := svc.backing.latest.Load(); m.is(option) {
			return m.read(), nil
		}
		status = migrationRunning // it begins in a moment
	}
	if svc.state(s.clock.Now()) != stateRunning {
		status = migrationRunning
	}
	return migrationBody{
		migrationStatus{Method: method, Status: status},
		[]migrationStatus{{Database: svc.kind.database, Method: method, Status: status}},
	}, nil
}
