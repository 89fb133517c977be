package kafka

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// limitedKafka is an Aiven with one Kafka service that accepts 120 calls in a minute.
type limitedKafka struct {
	mu       sync.Mutex
	topics   map[string]bool
	window   time.Time
	accepted int
	calls    map[string]int // by method and what the path names
}

// RoundTrip implements http.RoundTripper.
func (k *limitedKafka) RoundTrip(r *http.Request) (*http.Response, error) {
	<-time.After(50 * time.Millisecond)
	k.mu.Lock()
	defer k.mu.Unlock()
	rsp := httptest.NewRecorder()
	status, body := k.answer(r)
	rsp.WriteHeader(status)
	_ = json.NewEncoder(rsp).Encode(body)
	return rsp.Result(), nil
}

func (k *limitedKafka) answer(r *http.Request) (int, any) {
	refused := func(status int, message string) (int, any) {
		return status, aiventest.Object{"message": message, "errors": []any{aiventest.Object{"message": message}}}
	}
	if window := time.Now().Truncate(time.Minute); window.After(k.window) {
		k.window, k.accepted = window, 0
	}
	if k.accepted >= 120 {
		return refused(429, fmt.Sprintf("Rate limit 120 exceeded - try again in %ds", 1+int(time.Until(k.window.Add(time.Minute)).Seconds())))
	}
	k.accepted++
	_, path, inService := strings.Cut(r.URL.Path, "/service/my-kafka")
	_, name, named := strings.Cut(path, "/topic/")
	switch {
	case strings.HasSuffix(r.URL.Path, "/service"):
		return 200, aiventest.Object{"services": []any{k.service()}}
	case !inService:
		return refused(403, "no")
	case path == "":
		return 200, aiventest.Object{"service": k.service()}
	case r.Method == http.MethodGet && named:
		k.calls["read"]++
		if !k.topics[name] {
			return refused(404, "Topic does not exist")
		}
		return 200, aiventest.Object{"topic": theTopic(name)}
	case path == "/topic":
		return k.post(r)
	default:
		k.calls["other"]++
		return 200, aiventest.Object{}
	}
}

// post creates a topic, or reads several.
func (k *limitedKafka) post(r *http.Request) (int, any) {
	var in struct {
		TopicName  string   `json:"topic_name"`
		TopicNames []string `json:"topic_names"`
	}
	_ = json.NewDecoder(r.Body).Decode(&in)
	if len(in.TopicNames) > 0 {
		found := []any{}
		for _, name := range in.TopicNames {
			found = append(found, theTopic(name))
		}
		return 200, aiventest.Object{"topics": found}
	}
	k.calls["create"]++
	k.topics[in.TopicName] = true
	return 200, aiventest.Object{}
}

func (k *limitedKafka) service() aiventest.Object {
	topics := []any{}
	for name := range k.topics {
		topics = append(topics, aiventest.Object{"topic_name": name})
	}
	return aiventest.ServiceFields(aiventest.Object{
		"service_name": "my-kafka", "service_type": "kafka", "users": []any{}, "topics": topics,
		"node_states": []any{aiventest.Object{"name": "a", "state": "running"}, aiventest.Object{"name": "b", "state": "running"}},
	})
}

func theTopic(name string) aiventest.Object {
	return aiventest.Object{"topic_name": name, "state": "ACTIVE", "replication": 2, "partitions": []any{1, 2, 3}}
}

// create observes and creates a topic until it is created, as the engine does, and returns at its turn.
func create(ctx context.Context, env controllers.Env, obj *v1alpha1.KafkaTopic) {
	for ctx.Err() == nil {
		c := Topic.New(env)
		o, err := c.Observe(ctx, obj)
		if err == nil && o.Remote.Exists {
			return
		}
		if err == nil {
			_, err = c.Create(ctx, obj)
		}
		if err == nil {
			return
		}
		<-time.After(max(time.Second, fault.Of(err).RetryAfter))
	}
}

// remove is any other call that waits for its turn.
func remove(ctx context.Context, client *aiven.Client, database string) {
	for ctx.Err() == nil {
		err := client.API().ServiceDatabaseDelete(ctx, aiventest.Project, "my-kafka", database)
		if err == nil {
			return
		}
		<-time.After(fault.Of(err).RetryAfter)
	}
}

func TestAtTheRateLimitTheAbsenceOfATopicIsReadOnce(t *testing.T) {
	const topics, others = 200, 400
	synctest.Test(t, func(t *testing.T) {
		kafka := &limitedKafka{topics: map[string]bool{}, calls: map[string]int{}}
		clients := aiven.New(aiven.Options{Transport: kafka, QPS: 100, WatchInterval: time.Minute, ReadLag: 2 * time.Second})
		client, err := clients.ForToken("a-token")
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		var watch, objects sync.WaitGroup
		watch.Go(func() { _ = clients.Start(ctx) })
		for i := range topics + others {
			objects.Go(func() {
				if i%3 == 0 {
					obj := topic()
					obj.Name = fmt.Sprintf("t-%d", i)
					create(ctx, controllers.Env{Client: client}, obj)
					return
				}
				remove(ctx, client, fmt.Sprint(i))
			})
		}
		objects.Wait()
		cancel()
		watch.Wait()
		<-time.After(time.Minute) // a poll that had begun ends behind its watch
		assert.Equal(t, topics, kafka.calls["create"])
		assert.LessOrEqual(t, kafka.calls["read"], topics+5)
	})
}
