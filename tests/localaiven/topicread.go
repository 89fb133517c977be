package localaiven

import (
	"time"

	client "github.com/aiven/go-client-codegen/handler/kafkatopic"
)

// topicSummary is a topic in ServiceGet.
type topicSummary struct {
	CleanupPolicy     string `json:"cleanup_policy"`
	MinInsyncReplicas int64  `json:"min_insync_replicas"`
	Partitions        int    `json:"partitions"`
	Replication       int    `json:"replication"`
	RetentionBytes    int64  `json:"retention_bytes"`
	RetentionHours    int64  `json:"retention_hours"`
	State             string `json:"state"`
	TopicName         string `json:"topic_name"`
}

// topicItem is a topic in the list of topics.
type topicItem struct {
	topicSummary
	DisklessEnable      any        `json:"diskless_enable"`
	OwnerUserGroupID    *string    `json:"owner_user_group_id"`
	RemoteStorageEnable any        `json:"remote_storage_enable"`
	Tags                []topicTag `json:"tags"`
	TopicDescription    string     `json:"topic_description"`
}

// topicDetail is a topic on its own.
type topicDetail struct {
	topicSummary
	Config           map[string]settingBody `json:"config"`
	OwnerUserGroupID *string                `json:"owner_user_group_id"`
	Partitions       []partitionBody        `json:"partitions"` // instead of their number
	Tags             []topicTag             `json:"tags"`
	TopicDescription string                 `json:"topic_description"`
}

type partitionBody struct {
	ConsumerGroups []any `json:"consumer_groups"`
	EarliestOffset int   `json:"earliest_offset"`
	ISR            int   `json:"isr"`
	LatestOffset   int   `json:"latest_offset"`
	Partition      int   `json:"partition"`
	ShareGroups    []any `json:"share_groups"`
	Size           int   `json:"size"`
}

func (t *topic) summary(now time.Time) topicSummary {
	policy, _ := t.config.value("cleanup_policy").(string)
	retention := t.config.number("retention_ms")
	if retention > 0 {
		retention /= hour
	}
	return topicSummary{
		CleanupPolicy: policy, MinInsyncReplicas: t.config.number("min_insync_replicas"), Partitions: t.partitions,
		Replication: t.replication, RetentionBytes: t.config.number("retention_bytes"), RetentionHours: retention,
		State: t.state(now), TopicName: t.name,
	}
}

func (t *topic) item(now time.Time) topicItem {
	return topicItem{
		topicSummary: t.summary(now), DisklessEnable: t.config.value("diskless_enable"), OwnerUserGroupID: t.owner,
		RemoteStorageEnable: t.config.value("remote_storage_enable"), Tags: t.tags, TopicDescription: t.description,
	}
}

// detail has partitions without messages: the engine is not asked for them.
func (t *topic) detail(now time.Time) topicDetail {
	partitions := make([]partitionBody, t.partitions)
	for i := range partitions {
		partitions[i] = partitionBody{ConsumerGroups: []any{}, ISR: t.replication, Partition: i, ShareGroups: []any{}}
	}
	return topicDetail{
		topicSummary: t.summary(now), Config: t.config.body(), OwnerUserGroupID: t.owner, Partitions: partitions,
		Tags: t.tags, TopicDescription: t.description,
	}
}

// topicBodies are the topics for ServiceGet. The caller holds mu.
func (svc *service) topicBodies(now time.Time) *[]topicSummary {
	out := make([]topicSummary, 0, len(svc.topics))
	for _, t := range svc.topics {
		out = append(out, t.summary(now))
	}
	return &out
}

func (s *Server) topicList(c *call) (any, *apiError) {
	out := []topicItem{}
	fail := s.readTopics(c, func(svc *service, now time.Time) *apiError {
		for _, t := range svc.topics {
			out = append(out, t.item(now))
		}
		return nil
	})
	return map[string]any{"topics": out}, fail
}

func (s *Server) topicGet(c *call) (any, *apiError) {
	details, fail := s.topicDetails(c, c.param("topic"))
	if fail != nil {
		return nil, fail
	}
	return map[string]any{"topic": details[0]}, nil
}

// topicsGet is the list of version 2: details of many topics at once.
func (s *Server) topicsGet(c *call) (any, *apiError) {
	var in client.ServiceKafkaTopicListV2In
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	details, fail := s.topicDetails(c, in.TopicNames...)
	if fail != nil {
		return nil, fail
	}
	return map[string]any{"topics": details}, nil
}

// topicDetails fails as a whole where one topic is missing.
func (s *Server) topicDetails(c *call, names ...string) ([]topicDetail, *apiError) {
	out := make([]topicDetail, 0, len(names))
	fail := s.readTopics(c, func(svc *service, now time.Time) *apiError {
		for _, name := range names {
			t := svc.topic(name)
			if t == nil {
				return notFound("Topic")
			}
			out = append(out, t.detail(now))
		}
		return nil
	})
	return out, fail
}

// readTopics calls read with the service's mu held. Unlike the rest of a service, topics are read from its nodes, so they
// must run.
func (s *Server) readTopics(c *call, read func(*service, time.Time) *apiError) *apiError {
	svc, fail := s.service(c)
	if fail != nil {
		return fail
	}
	svc.mu.RLock()
	defer svc.mu.RUnlock()
	now := s.clock.Now()
	if fail := svc.writable(now); fail != nil {
		return fail
	}
	return read(svc, now)
}
