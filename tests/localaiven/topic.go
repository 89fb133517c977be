package localaiven

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"time"

	client "github.com/aiven/go-client-codegen/handler/kafkatopic"

	"github.com/aero-operator/aero/tests/localaiven/engine"
)

const (
	topicConfiguring = "CONFIGURING"
	topicActive      = "ACTIVE"

	maxPartitions     = 1_000_000
	commonReplication = 3
)

var topicName = regexp.MustCompile(`^[-._A-Za-z0-9]{1,249}$`)

type topic struct {
	name, description       string
	owner                   *string
	partitions, replication int
	config                  topicConfig // never changed in place
	tags                    []topicTag
	ready                   time.Time // CONFIGURING until then
	forced                  string    // state as set at the console, until the next change by the API
}

type topicTag struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// topicChange is a request to create or update a topic. Config is the one of the request, with its nulls.
type topicChange struct {
	client.ServiceKafkaTopicUpdateIn
	config map[string]any
}

func (t *topic) state(now time.Time) string {
	switch {
	case t.forced != "":
		return t.forced
	case now.Before(t.ready):
		return topicConfiguring
	}
	return topicActive
}

// topicsChange is when the next topic becomes ready; zero is never. The caller holds mu.
func (svc *service) topicsChange(now time.Time) time.Time {
	var next time.Time
	for _, t := range svc.topics {
		if now.Before(t.ready) && (next.IsZero() || t.ready.Before(next)) {
			next = t.ready
		}
	}
	return next
}

func (svc *service) topic(name string) *topic {
	if i := slices.IndexFunc(svc.topics, func(t *topic) bool { return t.name == name }); i >= 0 {
		return svc.topics[i]
	}
	return nil
}

// topicTime is how long topics stay CONFIGURING.
func (s *Server) topicTime() time.Duration {
	if s.options.TopicTime > 0 {
		return s.options.TopicTime
	}
	return s.options.ProvisionTime / 10
}

func (s *Server) topicCreate(c *call) (any, *apiError) {
	var in client.ServiceKafkaTopicCreateIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	if !topicName.MatchString(in.TopicName) || in.TopicName == "." || in.TopicName == ".." {
		return nil, badRequest("Invalid topic_name '%s': must consist of letters, digits, dots, underscores and dashes, "+
			"and be 1 to 249 characters long", in.TopicName)
	}
	t := &topic{name: in.TopicName, partitions: 1, tags: []topicTag{}, ready: s.clock.Now().Add(s.topicTime())}
	change := topicChange{client.ServiceKafkaTopicUpdateIn{
		MinInsyncReplicas: in.MinInsyncReplicas, OwnerUserGroupId: in.OwnerUserGroupId, Partitions: in.Partitions,
		Replication: in.Replication, RetentionBytes: in.RetentionBytes, RetentionHours: in.RetentionHours,
		Tags: in.Tags, TopicDescription: in.TopicDescription,
	}, c.config()}
	if _, named := change.config["cleanup_policy"]; in.CleanupPolicy != "" && !named {
		change.config["cleanup_policy"] = string(in.CleanupPolicy)
	}
	return nil, s.edit(c, "creating the topic", edit{
		check: func(svc *service) *apiError {
			if svc.topic(t.name) != nil {
				return &apiError{409, "Topic conflict, already exists"}
			}
			t.replication = min(commonReplication, svc.plan.nodes)
			return t.change(change, svc.plan.nodes)
		},
		do:    t.run,
		apply: func(svc *service) { svc.topics = append(svc.topics, t) },
	})
}

func (s *Server) topicUpdate(c *call) (any, *apiError) {
	var in client.ServiceKafkaTopicUpdateIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	next := &topic{}
	return nil, s.edit(c, "updating the topic", edit{
		check: func(svc *service) *apiError {
			old := svc.topic(c.param("topic"))
			if old == nil {
				return notFound("Topic")
			}
			*next = *old
			next.forced = ""
			if fail := next.change(topicChange{in, c.config()}, svc.plan.nodes); fail != nil {
				return fail
			}
			if next.partitions != old.partitions || next.replication != old.replication {
				next.ready = s.clock.Now().Add(s.topicTime())
			}
			return nil
		},
		do:    next.run,
		apply: func(svc *service) { *svc.topic(next.name) = *next },
	})
}

func (s *Server) topicDelete(c *call) (any, *apiError) {
	name := c.param("topic")
	return nil, s.edit(c, "deleting the topic", edit{
		check: func(svc *service) *apiError {
			if svc.topic(name) == nil {
				return notFound("Topic")
			}
			return nil
		},
		do: func(_ *service, i engine.Instance) error {
			return withKafka(i, func(ctx context.Context, k engine.Kafka) error { return k.Topics().Remove(ctx, name) })
		},
		apply: func(svc *service) {
			svc.topics = slices.DeleteFunc(svc.topics, func(t *topic) bool { return t.name == name })
		},
	})
}

// config is that of the request, with its nulls, which the client's types can't distinguish from nothing. The request was decoded
// before, so its types are right.
func (c *call) config() map[string]any {
	in := struct{ Config map[string]any }{}
	decoder := json.NewDecoder(bytes.NewReader(c.body))
	decoder.UseNumber()
	if err := decoder.Decode(&in); err != nil || in.Config == nil {
		return map[string]any{}
	}
	return in.Config
}

// change applies a request to a topic of its own or one that no request sees yet.
func (t *topic) change(in topicChange, nodes int) *apiError {
	if fail := t.resize(in, nodes); fail != nil {
		return fail
	}
	if in.Tags != nil {
		t.tags = []topicTag{}
		for _, tag := range *in.Tags {
			t.tags = append(t.tags, topicTag(tag))
		}
	}
	if in.TopicDescription != nil {
		t.description = *in.TopicDescription
	}
	if in.OwnerUserGroupId != nil {
		t.owner = in.OwnerUserGroupId
	}
	config, fail := t.config.with(in.settings())
	t.config = config
	return fail
}

// resize applies partitions and replication.
func (t *topic) resize(in topicChange, nodes int) *apiError {
	if n := in.Partitions; n != nil {
		if *n < 1 || *n > maxPartitions {
			return badRequest("Invalid partitions %d: must be 1 to %d", *n, maxPartitions)
		}
		if *n < t.partitions {
			return badRequest("Number of partitions cannot be decreased from %d to %d", t.partitions, *n)
		}
		t.partitions = *n
	}
	if n := in.Replication; n != nil {
		if *n < 1 {
			return badRequest("Invalid replication %d: must be at least 1", *n)
		}
		if *n > nodes {
			return badRequest("Replication factor %d is larger than the number of nodes, which is %d", *n, nodes)
		}
		t.replication = *n
	}
	return nil
}

// settings are those of config, and those that the request has beside it for older clients.
func (in topicChange) settings() map[string]any {
	out := map[string]any{}
	set := func(name string, value *int, unit int) {
		switch {
		case value == nil:
		case *value > 0:
			out[name] = json.Number(strconv.Itoa(*value * unit))
		default:
			out[name] = json.Number(strconv.Itoa(*value)) // no limit, which has no unit
		}
	}
	set("min_insync_replicas", in.MinInsyncReplicas, 1)
	set("retention_bytes", in.RetentionBytes, 1)
	set("retention_ms", in.RetentionHours, hour)
	maps.Copy(out, in.config)
	return out
}

// run makes the topic real.
func (t *topic) run(_ *service, i engine.Instance) error {
	return withKafka(i, func(ctx context.Context, k engine.Kafka) error {
		return k.Topics().Set(ctx, engine.Topic{
			Name: t.name, Partitions: t.partitions, Replication: t.replication, Config: t.config.real(),
		})
	})
}
