package localaiven_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/aiven/go-client-codegen/handler/kafkatopic"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/localaiven/engine"
)

// broker is an engine of Kafka, and its only instance. Its topics are a map.
type broker struct {
	mu     sync.Mutex
	spec   engine.Spec
	users  map[string]string
	topics map[string]engine.Topic
	acls   []engine.ACL
	native []engine.NativeACL
	logins engine.Logins
	broken error // what every change answers
	closed bool
}

func (b *broker) Type() string     { return "kafka" }
func (b *broker) Available() error { return nil }

func (b *broker) Start(_ context.Context, spec engine.Spec) (engine.Instance, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spec = spec
	b.users, b.topics = map[string]string{spec.Admin.Username: spec.Admin.Password}, map[string]engine.Topic{}
	return b, nil
}

func (b *broker) change(f func()) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.broken == nil {
		f()
	}
	return b.broken
}

func (b *broker) Endpoint() engine.Endpoint { return engine.Endpoint{Host: "127.0.0.1", Port: 9001} }
func (b *broker) SASL() engine.Endpoint     { return engine.Endpoint{Host: "127.0.0.1", Port: 9002} }

func (b *broker) Users() engine.Users         { return logins{b} }
func (b *broker) Databases() engine.Databases { return nil }
func (b *broker) Pools() engine.Pools         { return nil }
func (b *broker) Topics() engine.Topics       { return logs{b} }

func (b *broker) SetACLs(_ context.Context, acls []engine.ACL) error {
	return b.change(func() { b.acls = acls })
}

func (b *broker) SetNativeACLs(_ context.Context, acls []engine.NativeACL) error {
	return b.change(func() { b.native = acls })
}

func (b *broker) SetLogins(_ context.Context, logins engine.Logins) error {
	return b.change(func() { b.logins = logins })
}

func (b *broker) Stop(context.Context) error   { return nil }
func (b *broker) Resume(context.Context) error { return nil }

func (b *broker) Close(context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	return os.RemoveAll(b.spec.DataDir)
}

type logins struct{ *broker }

func (l logins) Set(_ context.Context, c engine.Credential) error {
	return l.change(func() { l.users[c.Username] = c.Password })
}

func (l logins) Remove(_ context.Context, name string) error {
	return l.change(func() { delete(l.users, name) })
}

type logs struct{ *broker }

func (l logs) Set(_ context.Context, topic engine.Topic) error {
	return l.change(func() { l.topics[topic.Name] = topic })
}

func (l logs) Remove(_ context.Context, name string) error {
	return l.change(func() { delete(l.topics, name) })
}

// brokered starts a server with a Kafka service that b runs.
func brokered(t *testing.T, b *broker, config map[string]any) *harness {
	t.Helper()
	h := start(t, localaiven.Options{Engines: []engine.Engine{b}})
	_, err := h.client.ServiceCreate(t.Context(), proj, &service.ServiceCreateIn{
		ServiceName: kafkaName, ServiceType: "kafka", Plan: "business-4", UserConfig: &config,
	})
	require.NoError(t, err)
	eventually(t, func() bool { return h.getKafka(t).State == "RUNNING" })
	return h
}

func TestWhatIsInsideKafkaIsReal(t *testing.T) {
	b := &broker{}
	h := brokered(t, b, map[string]any{"kafka_version": "3.9"})
	ctx := t.Context()
	read := func(f func() any) any {
		b.mu.Lock()
		defer b.mu.Unlock()
		return f()
	}
	assert.Equal(t, "3.9", b.spec.Version)
	assert.NotNil(t, b.spec.CA)
	acls := func() any { return read(func() any { return slices.Clone(b.acls) }) }
	byDefault := engine.ACL{Username: "avnadmin", Topic: "*", Permission: "admin"}
	assert.Equal(t, []engine.ACL{byDefault}, acls())

	require.NoError(t, h.client.ServiceKafkaTopicCreate(ctx, proj, kafkaName, &kafkatopic.ServiceKafkaTopicCreateIn{
		TopicName: "orders", Partitions: ptr(2), Config: &kafkatopic.ConfigIn{RetentionMs: ptr(60_000), CleanupPolicy: "compact"},
	}))
	topics := func() any { return read(func() any { return maps.Clone(b.topics) }) }
	made := engine.Topic{Name: "orders", Partitions: 2, Replication: 3, Config: map[string]string{"retention.ms": "60000", "cleanup.policy": "compact"}}
	assert.Equal(t, map[string]engine.Topic{"orders": made}, topics())
	h.updateTopic(t, kafkatopic.ServiceKafkaTopicUpdateIn{Partitions: ptr(4)})
	made.Partitions = 4
	assert.Equal(t, map[string]engine.Topic{"orders": made}, topics())

	id, err := h.addACL(ctx, "bob", "orders", "read")
	require.NoError(t, err)
	assert.Equal(t, []engine.ACL{byDefault, {Username: "bob", Topic: "orders", Permission: "read"}}, acls())
	_, err = h.client.ServiceKafkaAclDelete(ctx, proj, kafkaName, id)
	require.NoError(t, err)
	assert.Equal(t, []engine.ACL{byDefault}, acls())

	bob, err := h.client.ServiceUserCreate(ctx, proj, kafkaName, &service.ServiceUserCreateIn{Username: "bob"})
	require.NoError(t, err)
	assert.Equal(t, bob.Password, read(func() any { return b.users["bob"] }))
	require.NoError(t, h.client.ServiceKafkaTopicDelete(ctx, proj, kafkaName, "orders"))
	assert.Empty(t, topics())
	require.NoError(t, h.client.ServiceDelete(ctx, proj, kafkaName))
	eventually(t, func() bool { return read(func() any { return b.closed }) == true })
}

func TestEachWayToLogInToKafkaHasAComponentAndAPort(t *testing.T) {
	b := &broker{}
	h := brokered(t, b, map[string]any{"schema_registry": true})
	taken := func() engine.Logins {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.logins
	}
	assert.Equal(t, engine.Logins{Certificates: true}, taken(), "by default")
	require.NoError(t, h.Patch(proj, kafkaName, map[string]any{
		"user_config": map[string]any{"kafka_authentication_methods": map[string]any{"certificate": false}},
	}))
	assert.Equal(t, engine.Logins{}, taken(), "at the console, too")
	certificate, sasl := component{"kafka", "certificate", 9001}, component{"kafka", "sasl", 9002}
	for name, c := range map[string]struct {
		methods map[string]any
		want    []component
		uri     string
		logins  engine.Logins
	}{
		"certificates only": {
			map[string]any{"certificate": true, "sasl": false}, []component{certificate}, "127.0.0.1:9001", engine.Logins{Certificates: true},
		},
		"passwords only": {
			map[string]any{"certificate": false, "sasl": true}, []component{sasl}, "127.0.0.1:9002", engine.Logins{Passwords: true},
		},
		"both": {
			map[string]any{"certificate": true, "sasl": true}, []component{certificate, sasl}, "127.0.0.1:9001",
			engine.Logins{Certificates: true, Passwords: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := h.client.ServiceUpdate(t.Context(), proj, kafkaName, &service.ServiceUpdateIn{
				UserConfig: &map[string]any{"kafka_authentication_methods": c.methods},
			})
			require.NoError(t, err)
			got := h.getKafka(t)
			var shown []component
			for _, part := range got.Components {
				if part.Component == "kafka" {
					shown = append(shown, component{part.Component, string(part.KafkaAuthenticationMethod), part.Port})
				}
			}
			assert.Equal(t, c.want, shown)
			assert.Equal(t, c.uri, got.ServiceUri)
			assert.Equal(t, c.logins, taken())
			last := got.Components[len(got.Components)-1]
			assert.Equal(t, "schema_registry", last.Component)
			assert.NotZero(t, last.Port)
		})
	}
}

type component struct {
	name, method string
	port         int
}

func TestAKafkaEngineThatFailsChangesNothing(t *testing.T) {
	b := &broker{}
	h := brokered(t, b, map[string]any{})
	b.mu.Lock()
	b.broken = errors.New("disk on fire")
	b.mu.Unlock()
	for path, body := range map[string]string{
		"/topic": `{"topic_name":"orders"}`, "/acl": `{"username":"bob","topic":"*","permission":"read"}`, "/user": `{"username":"bob"}`,
	} {
		status, _ := h.send(t, post, kafkaPath+path, "x", body)
		assert.Equal(t, 500, status, path)
	}
	got := h.getKafka(t)
	assert.Equal(t, []int{0, 1, 1}, []int{len(got.Topics), len(got.Acl), len(got.Users)})
}
