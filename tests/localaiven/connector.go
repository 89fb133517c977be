package localaiven

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	client "github.com/aiven/go-client-codegen/handler/kafkaconnect"
)

// connector is one connector of Kafka Connect. Its tasks run a while after it was created or changed.
type connector struct {
	name   string
	config map[string]string // never changed in place
	ready  time.Time         // UNASSIGNED, without tasks, until then
	// assigned is when a new one has a status.
	assigned time.Time
	// As set at the console, until the next change by the API.
	forced string
	tasks  map[int]connectorTask
	failed string // why its plugin can't be loaded
}

const (
	connectorRunning    = string(client.ServiceKafkaConnectConnectorStateTypeRunning)
	connectorUnassigned = string(client.ServiceKafkaConnectConnectorStateTypeUnassigned)
	connectorPaused     = string(client.ServiceKafkaConnectConnectorStateTypePaused)

	// maxTasks keeps a mistake from filling the memory.
	maxTasks = 1000
)

type connectorTask struct {
	ID    int    `json:"id"`
	State string `json:"state"`
	Trace string `json:"trace"`
}

type connectorStatus struct {
	State string          `json:"state"`
	Tasks []connectorTask `json:"tasks"`
}

type connectorBody struct {
	Config map[string]string  `json:"config"`
	Name   string             `json:"name"`
	Plugin plugin             `json:"plugin"`
	Tasks  []connectorTaskRef `json:"tasks"`
}

type connectorListBody struct {
	Connectors []connectorBody   `json:"connectors"`
	Failed     []failedConnector `json:"failed_connectors,omitempty"`
}

// failedConnector is one that exists, but isn't loaded.
type failedConnector struct {
	Config map[string]string `json:"config"`
	Error  string            `json:"error"`
	Name   string            `json:"name"`
}

type connectorTaskRef struct {
	Connector string `json:"connector"`
	Task      int    `json:"task"`
}

func (s *Server) connectorRoutes() []route {
	return []route{
		{"GET /{service}/connectors", "ServiceKafkaConnectList", s.connectorList},
		{"POST /{service}/connectors", "ServiceKafkaConnectCreateConnector", s.connectorCreate},
		{"PUT /{service}/connectors/{connector}", "ServiceKafkaConnectEditConnector", s.connectorEdit},
		{"DELETE /{service}/connectors/{connector}", "ServiceKafkaConnectDeleteConnector", s.connectorDelete},
		{"GET /{service}/connectors/{connector}/status", "ServiceKafkaConnectGetConnectorStatus", s.connectorGetStatus},
		{"GET /{service}/connector-plugins/{class}/configuration", "ServiceKafkaConnectGetConnectorConfiguration", s.pluginGet},
	}
}

// status is how the connector and its tasks are now.
func (k *connector) status(now time.Time) connectorStatus {
	out := connectorStatus{connectorRunning, []connectorTask{}}
	if now.Before(k.ready) {
		out.State = connectorUnassigned
	}
	if k.forced != "" {
		out.State = k.forced
	}
	if now.Before(k.ready) && len(k.tasks) == 0 {
		return out
	}
	for id := range taskCount(k.config) {
		t := connectorTask{ID: id, State: connectorRunning}
		if out.State == connectorPaused || out.State == connectorUnassigned {
			t.State = out.State
		}
		if set, ok := k.tasks[id]; ok {
			t = set
		}
		out.Tasks = append(out.Tasks, t)
	}
	return out
}

func (k *connector) body(now time.Time) connectorBody {
	b := connectorBody{k.config, k.name, pluginOf(k.config[connectorClass]), []connectorTaskRef{}}
	for _, t := range k.status(now).Tasks {
		b.Tasks = append(b.Tasks, connectorTaskRef{k.name, t.ID})
	}
	return b
}

func (k *kafkaState) connector(name string) *connector {
	if i := slices.IndexFunc(k.connectors, func(c *connector) bool { return c.name == name }); i >= 0 {
		return k.connectors[i]
	}
	return nil
}

// connects reports whether the service has Kafka Connect. The caller holds mu.
func (svc *service) connects(now time.Time) *apiError {
	switch {
	case svc.kind.name == kindKafkaConnect && !svc.connected(now):
		return badRequest("Kafka Connect is not available for service '%s': it has no active kafka_connect integration", svc.name)
	case svc.kind.name == kindKafkaConnect, svc.enables(kindKafkaConnect):
		return nil
	}
	return badRequest("Kafka Connect is not enabled for service '%s': set user_config.kafka_connect", svc.name)
}

// withConnect reads from a service that runs Kafka Connect, which answers such questions itself.
func (s *Server) withConnect(c *call, read func(*service) (any, *apiError)) (any, *apiError) {
	svc, fail := s.service(c)
	if fail != nil {
		return nil, fail
	}
	svc.mu.RLock()
	defer svc.mu.RUnlock()
	if fail := svc.connects(s.clock.Now()); fail != nil {
		return nil, fail
	}
	if fail := svc.writable(s.clock.Now()); fail != nil {
		return nil, fail
	}
	if fail := s.connectStarted(svc); fail != nil {
		return nil, fail
	}
	return read(svc)
}

func (s *Server) connectorList(c *call) (any, *apiError) {
	return s.withConnect(c, func(svc *service) (any, *apiError) {
		out := connectorListBody{Connectors: []connectorBody{}}
		for _, k := range svc.kafka.connectors {
			if k.failed != "" {
				out.Failed = append(out.Failed, failedConnector{k.config, k.failed, k.name})
				continue
			}
			out.Connectors = append(out.Connectors, k.body(s.clock.Now()))
		}
		return out, nil
	})
}

func (s *Server) connectorGetStatus(c *call) (any, *apiError) {
	return s.withConnect(c, func(svc *service) (any, *apiError) {
		k := svc.kafka.connector(c.param("connector"))
		switch {
		case k == nil:
			return nil, connectorNotFound(c.param("connector"))
		case s.clock.Now().Before(k.assigned):
			return nil, &apiError{http.StatusNotFound, "No status found for connector " + k.name}
		}
		return map[string]any{"status": k.status(s.clock.Now())}, nil
	})
}

func connectorNotFound(name string) *apiError { return notFound("Connector '" + name + "'") }

func (s *Server) connectorCreate(c *call) (any, *apiError) {
	config, fail := connectorConfig(c)
	if fail != nil {
		return nil, fail
	}
	now := s.clock.Now()
	k := &connector{
		name: config["name"], config: config, ready: now.Add(s.topicTime()), assigned: now.Add(s.options.ConnectTime),
	}
	body := k.body(now)
	fail = s.edit(c, "creating the connector", s.changesConnector(func(svc *service) *apiError {
		if svc.kafka.connector(k.name) != nil {
			return alreadyExists("Connector", k.name)
		}
		return nil
	}, func(svc *service) { svc.kafka.connectors = append(svc.kafka.connectors, k) }))
	return map[string]any{"connector": body}, fail
}

// connectorEdit replaces the config as a whole, and restarts the tasks.
func (s *Server) connectorEdit(c *call) (any, *apiError) {
	config, fail := connectorConfig(c)
	if fail != nil {
		return nil, fail
	}
	name := c.param("connector")
	if config["name"] != name {
		return nil, badRequest("Invalid name '%s': the connector is '%s', and can't be renamed", config["name"], name)
	}
	now := s.clock.Now()
	changed := &connector{name: name, config: config, ready: now.Add(s.topicTime())}
	body := changed.body(now)
	fail = s.edit(c, "changing the connector", s.changesConnector(connectorExists(name), func(svc *service) {
		*svc.kafka.connector(name) = *changed
	}))
	return map[string]any{"connector": body}, fail
}

func connectorExists(name string) func(*service) *apiError {
	return func(svc *service) *apiError {
		if svc.kafka.connector(name) == nil {
			return connectorNotFound(name)
		}
		return nil
	}
}

func (s *Server) connectorDelete(c *call) (any, *apiError) {
	name := c.param("connector")
	return nil, s.edit(c, "deleting the connector", s.changesConnector(connectorExists(name), func(svc *service) {
		svc.kafka.connectors = slices.DeleteFunc(svc.kafka.connectors, func(k *connector) bool { return k.name == name })
	}))
}

// Keys of the config of every connector.
const (
	connectorClass = "connector.class"
	connectorTasks = "tasks.max"
)

// connectorConfig is the config in a request, all of whose values are strings.
func connectorConfig(c *call) (map[string]string, *apiError) {
	var in map[string]any
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	config := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(in)) {
		value, ok := in[key].(string)
		if !ok {
			return nil, badRequest("Invalid input for %s: must be of type string", key)
		}
		config[key] = value
	}
	for _, key := range []string{"name", connectorClass} {
		if config[key] == "" {
			return nil, badRequest("Invalid input: '%s' is required", key)
		}
	}
	if !javaClass.MatchString(config[connectorClass]) {
		return nil, badRequest("Invalid %s '%s': must be the name of a Java class", connectorClass, config[connectorClass])
	}
	if n := taskCount(config); n < 1 || n > maxTasks {
		return nil, badRequest("Invalid %s '%s': must be a number from 1 to %d", connectorTasks, config[connectorTasks], maxTasks)
	}
	return config, nil
}

// taskCount is how many tasks the connector has; one, if it doesn't say, and 0 if it says nonsense.
func taskCount(config map[string]string) int {
	wanted, set := config[connectorTasks]
	if !set {
		return 1
	}
	n, err := strconv.Atoi(wanted)
	if err != nil {
		return 0
	}
	return n
}
