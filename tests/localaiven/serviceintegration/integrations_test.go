package serviceintegration_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	client "github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/serviceintegration"
)

var noon = time.Date(2030, 1, 2, 12, 0, 0, 0, time.UTC)

// project has services and endpoints, and no lock.
type project struct {
	name      string
	services  map[string]*fakeService
	endpoints serviceintegration.Endpoints
}

func (p *project) Name() string { return p.name }

func (p *project) Service(name string) (serviceintegration.Service, *serviceintegration.Error) {
	if svc := p.services[name]; svc != nil {
		return svc, nil
	}
	return nil, &serviceintegration.Error{Status: http.StatusNotFound, Message: "Service " + name + " does not exist"}
}

func (p *project) Endpoint(id string) (*serviceintegration.Endpoint, *serviceintegration.Error) {
	return p.endpoints.Get(id)
}

// fakeService has the integrations that it was given last.
type fakeService struct {
	name, serviceType, state string
	own                      serviceintegration.List
	given                    []time.Time
}

func (s *fakeService) Name() string           { return s.name }
func (s *fakeService) Type() string           { return s.serviceType }
func (s *fakeService) State(time.Time) string { return s.state }

func (s *fakeService) Integrate(own serviceintegration.List, now func() time.Time) {
	s.own, s.given = own, append(s.given, now())
}

// fixture is a project with a PostgreSQL and a Kafka that run.
type fixture struct {
	*serviceintegration.Integrations
	project   *project
	pg, kafka *fakeService
}

func newFixture() *fixture {
	f := &fixture{pg: &fakeService{name: "db", serviceType: "pg", state: "RUNNING"}, kafka: &fakeService{name: "k", serviceType: "kafka", state: "RUNNING"}}
	f.project = &project{name: "p", services: map[string]*fakeService{"db": f.pg, "k": f.kafka}}
	ids := 0
	f.Integrations = serviceintegration.New(serviceintegration.Options{
		Project: func(name string) (serviceintegration.Project, *serviceintegration.Error) {
			if name == f.project.name {
				return f.project, nil
			}
			return nil, &serviceintegration.Error{Status: http.StatusNotFound, Message: "Project does not exist"}
		},
		NewID: func() string { ids++; return fmt.Sprintf("id-%d", ids) },
		Now:   func() time.Time { return noon }, StartTime: time.Minute,
	})
	return f
}

func ptr[T any](value T) *T { return &value }

// logs sends the logs of the PostgreSQL to the Kafka.
func logs() client.ServiceIntegrationCreateIn {
	return client.ServiceIntegrationCreateIn{
		IntegrationType: "kafka_logs", SourceService: ptr("db"), DestService: ptr("k"), UserConfig: &map[string]any{"kafka_topic": "logs"},
	}
}

func assertError(t *testing.T, status int, message string, got *serviceintegration.Error) {
	t.Helper()
	require.NotNil(t, got)
	assert.Equal(t, serviceintegration.Error{Status: status, Message: message}, *got)
}

func TestServicesHaveTheIntegrationsThatTouchThem(t *testing.T) {
	f := newFixture()
	made, fail := f.Create(f.project, logs())
	require.Nil(t, fail)
	assert.Equal(t, []any{"id-1", "kafka_logs from db to k", noon.Add(time.Minute)}, []any{made.ServiceIntegrationID, made.Description, made.Ready})
	assert.Equal(t, serviceintegration.List{made}, f.pg.own)
	assert.Equal(t, serviceintegration.List{made}, f.kafka.own)
	assert.Equal(t, []string{"p/kafka_logs/db/p/k#id-1"}, f.Paths())

	changed, fail := f.Update(f.project, "id-1", map[string]any{"kafka_topic": "other"})
	require.Nil(t, fail)
	assert.Equal(t, "logs", made.UserConfig["kafka_topic"], "readers keep what they have read")
	assert.Equal(t, serviceintegration.List{changed}, f.kafka.own)
	require.Nil(t, f.Change(f.project, "id-1", serviceintegration.Change{Active: ptr(false)}))
	assert.False(t, f.kafka.own[0].Active)

	require.Nil(t, f.Delete(f.project, "id-1"))
	assert.Empty(t, f.pg.own)
	assert.Empty(t, f.kafka.own)
	assert.Equal(t, []time.Time{noon, noon, noon, noon}, f.pg.given)
	assertError(t, 404, "Service integration does not exist", f.Delete(f.project, "id-1"))
}

func TestIntegrationsAreFoundThroughTheirProjectsOnly(t *testing.T) {
	f := newFixture()
	_, fail := f.Create(f.project, logs())
	require.Nil(t, fail)
	_, fail = f.Get(f.project, "id-1")
	require.Nil(t, fail)
	_, fail = f.Get(&project{name: "p"}, "id-1")
	assertError(t, 404, "Service integration does not exist", fail)
	removed := f.Remove(func(i *serviceintegration.Integration) bool { return i.In(f.project) && i.Touches(f.pg) })
	assert.Len(t, removed, 1)
	assert.Empty(t, f.Paths())
}

func TestRequestsThatAreRefused(t *testing.T) {
	f := newFixture()
	_, fail := f.Create(f.project, logs())
	require.Nil(t, fail)
	replica := client.ServiceIntegrationCreateIn{IntegrationType: "read_replica", SourceService: ptr("db"), DestService: ptr("db")}
	for name, c := range map[string]struct {
		change  func(*client.ServiceIntegrationCreateIn)
		status  int
		message string
	}{
		"an unknown type":      {func(in *client.ServiceIntegrationCreateIn) { in.IntegrationType = "magic" }, 400, "Invalid integration_type 'magic'"},
		"two other projects":   {func(in *client.ServiceIntegrationCreateIn) { in.SourceProject, in.DestProject = ptr("a"), ptr("b") }, 400, "Invalid input: source_project or dest_project must be 'p'"},
		"an unknown project":   {func(in *client.ServiceIntegrationCreateIn) { in.DestProject = ptr("b") }, 404, "Project does not exist"},
		"an unknown service":   {func(in *client.ServiceIntegrationCreateIn) { in.DestService = ptr("x") }, 404, "Service x does not exist"},
		"the wrong type":       {func(in *client.ServiceIntegrationCreateIn) { in.DestService = ptr("db") }, 400, "Invalid input: 'db' is of type pg, which integration_type 'kafka_logs' does not take as its dest"},
		"the same once more":   {func(*client.ServiceIntegrationCreateIn) {}, 409, "Service integration 'kafka_logs from db to k' already exists"},
		"a replica on its own": {func(in *client.ServiceIntegrationCreateIn) { *in = replica }, 400, "Integration type 'read_replica' can only be given in service_integrations when the service is created"},
	} {
		t.Run(name, func(t *testing.T) {
			in := logs()
			c.change(&in)
			_, fail := f.Create(f.project, in)
			assertError(t, c.status, c.message, fail)
		})
	}
	assert.Len(t, f.Paths(), 1)
	_, fail = f.Update(f.project, "id-1", map[string]any{"kafka_topic": "logs"})
	assertError(t, 400, "Service integration user config not changed", fail)
}

func TestIntegrationsOfANewService(t *testing.T) {
	f := newFixture()
	fresh := &fakeService{name: "copy", serviceType: "pg"}
	replica := client.ServiceIntegrationIn{IntegrationType: "read_replica", SourceService: ptr("db")}
	made, fail := f.ForNew(fresh, f.project, []client.ServiceIntegrationIn{replica})
	require.Nil(t, fail)
	require.Len(t, made, 1)
	assert.Equal(t, []any{f.pg, fresh}, []any{made[0].Source.Service, made[0].Dest.Service})
	assert.Empty(t, f.pg.own, "it isn't added before the service is there")

	_, fail = f.ForNew(fresh, f.project, []client.ServiceIntegrationIn{replica, replica})
	assertError(t, 409, "Service integration 'read_replica from db to copy' already exists", fail)
	f.pg.state = "POWEROFF"
	_, fail = f.ForNew(fresh, f.project, []client.ServiceIntegrationIn{replica})
	assertError(t, 409, "Source service 'db' is not running, its state is POWEROFF", fail)
	replica.DestService = ptr("k")
	_, fail = f.ForNew(fresh, f.project, []client.ServiceIntegrationIn{replica})
	assertError(t, 400, "Invalid service_integrations: source_service or dest_service must be 'copy', or left out", fail)
}

func TestWhenAListChangesByItself(t *testing.T) {
	connect := func(ready time.Time) *serviceintegration.Integration {
		return &serviceintegration.Integration{
			Active: true, IntegrationType: serviceintegration.KafkaConnect, DestProject: "p", DestService: ptr("c"), Ready: ready,
		}
	}
	list := serviceintegration.List{connect(noon.Add(2 * time.Minute)), connect(noon.Add(time.Minute))}
	assert.Equal(t, noon.Add(time.Minute), list.NextReady(noon))
	assert.False(t, list.Connects(noon, "p", "c"))
	later := noon.Add(time.Hour)
	assert.True(t, list.NextReady(later).IsZero())
	assert.True(t, list.Connects(later, "p", "c"))
	assert.Equal(t, noon.Add(time.Minute), list.ConnectedSince(later, "p", "c"))
	assert.True(t, list.Has(serviceintegration.KafkaConnect))
	assert.False(t, list.Has("autoscaler"))
}
