package aiven

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/aiven/go-client-codegen/handler/kafkatopic"
)

// TopicDetail is a topic with its configuration, which the list in a service leaves out.
type TopicDetail = kafkatopic.ServiceKafkaTopicGetOut

// topicsAtOnce is how many topics one call asks for.
const topicsAtOnce = 100

// topics are the details of the topics of one service.
type topics struct {
	wanted      map[string]time.Time // when an object last asked
	known       map[string]topicDetail
	inflight    inflightTopics
	first       time.Time           // when an object asked for the first one
	unasked     map[string]struct{} // those that no object asked for, and that were read at first because there was room
	onlyAsked   bool                // no others are read any more: Aiven has refused a call with some
	singleUntil time.Time           // until when each is asked for on its own
}

// topicDetail is what was read of a topic. It holds neither a detail nor an absence since the topic changed.
type topicDetail struct {
	detail *TopicDetail
	absent error // Aiven's 404
	seq    uint64
	began  time.Time
	until  time.Time // the end of the lag that it was read in; zero for none
}

// trusted reports whether it isn't from within a lag that is over.
func (d topicDetail) trusted(now time.Time) bool { return d.until.IsZero() || now.Before(d.until) }

// inflightTopics asks for several topics.
type inflightTopics struct {
	*inflight[[]TopicDetail]
	names []string             // the first is that of the object that asked
	until map[string]time.Time // of those that it reads within the lag after a write
}

// answers reports whether the question is under way, and its answer is one about a topic for who asks now.
func (f inflightTopics) answers(name string, since uint64, now time.Time) bool {
	return f.running(since) && slices.Contains(f.names, name) && topicDetail{until: f.until[name]}.trusted(now)
}

// lagEnds is until when a read of a topic that begins now may show it as it was before our latest write; zero if it can't.
func (s *snapshot) lagEnds(name string, now time.Time, lag time.Duration) (until time.Time) {
	if s.writes.lagging(TopicEntry(name), now, lag) {
		until = s.writes[TopicEntry(name)].at.Add(lag)
	}
	return until
}

// forget takes the details of topics that changed at a moment for stale, also if they are still under way.
func (t *topics) forget(order uint64, entries ...Entry) {
	for _, entry := range entries {
		name, isTopic := strings.CutPrefix(string(entry), topicEntries)
		if known, asked := t.known[name]; isTopic && asked && known.seq < order {
			t.known[name] = topicDetail{seq: order}
		}
	}
}

// want notes that an object asks for a topic.
func (t *topics) want(name string, now time.Time) {
	if t.wanted == nil {
		t.wanted, t.known, t.unasked, t.first = map[string]time.Time{}, map[string]topicDetail{}, map[string]struct{}{}, now
	}
	t.wanted[name] = now
	delete(t.unasked, name)
	t.keep(name, topicDetail{})
}

// drop forgets a topic that no object asks for, or whose absence can't be kept.
func (t *topics) drop(name string) {
	delete(t.wanted, name)
	delete(t.known, name)
}

// keep takes in an answer, unless something younger is known, or no object asks for the topic. It reports whether this ends
// the wait of an object: the topic had been written or was being configured, and its state is another one now.
func (t *topics) keep(name string, found topicDetail) (awaited bool) {
	known, ok := t.known[name]
	_, wanted := t.wanted[name]
	_, unasked := t.unasked[name]
	if !wanted && !unasked || ok && known.seq >= found.seq {
		return false
	}
	t.known[name] = found
	return found.detail != nil && known.seq > 0 && (known.detail == nil || known.detail.State != found.detail.State)
}

// Topic reads a topic with its configuration. All topics of the service that were asked for lately are read together, so
// that a thousand of them cost ten calls, and the more there are, the older they may be: see topicAge. The error of a topic
// that isn't there is of class NotFound.
func (c *Client) Topic(ctx context.Context, project, service, name string) (*TopicDetail, error) {
	key := ServiceKey{Project: project, Service: service}
	c.mu.Lock()
	s := c.snapshot(key)
	now := c.clients.options.Now()
	s.used = now
	s.topics.want(name, now)
	known := s.topics.known[name]
	if c.hasTopic(s, name, now) || c.lacksTopic(s, name, now) {
		c.mu.Unlock()
		countRead(ctx, readHit)
		return known.detail, known.absent
	}
	if c.clients.options.WatchInterval <= 0 || now.Before(s.topics.singleUntil) || !s.mayHave(name) {
		c.mu.Unlock()
		countRead(ctx, readFetched)
		return c.fetchTopic(ctx, key, s, name)
	}
	answer, f := readJoined, s.topics.inflight
	if !f.answers(name, s.since([]Entry{TopicEntry(name)}), now) {
		answer, f = readFetched, c.startTopicRead(ctx, key, s, name)
	}
	c.mu.Unlock()
	countRead(ctx, answer)
	wait := f.wait
	if answer == readJoined {
		wait = f.join
	}
	if _, err := wait(ctx); err != nil {
		return nil, err
	}
	return c.fromTopicRead(ctx, key, s, f, name)
}

// fromTopicRead is a topic that was asked for. It asks for it alone if it wasn't among what was found.
func (c *Client) fromTopicRead(
	ctx context.Context, key ServiceKey, s *snapshot, f inflightTopics, name string,
) (*TopicDetail, error) {
	c.mu.Lock()
	found := s.topics.known[name]
	c.mu.Unlock()
	if found.detail != nil && found.seq >= f.seq {
		return found.detail, nil
	}
	return c.fetchTopic(ctx, key, s, name)
}

// hasTopic reports whether what is known of a topic is young and true. The caller holds the lock.
func (c *Client) hasTopic(s *snapshot, name string, now time.Time) bool {
	bound, known := c.topicAge(s), s.topics.known[name]
	if known.detail == nil || known.seq <= s.since([]Entry{TopicEntry(name)}) || !known.trusted(now) {
		return false
	}
	if known.detail.State != kafkatopic.TopicStateTypeActive {
		bound = min(bound, c.clients.options.UnsettledInterval)
	}
	return bound > 0 && now.Sub(known.began) <= bound
}

// topicAge is how old what is known of a topic may be: all topics are renewed by two calls in three watch intervals. The caller
// holds the lock.
func (c *Client) topicAge(s *snapshot) time.Duration {
	calls := (len(s.topics.wanted) + topicsAtOnce - 1) / topicsAtOnce
	return c.stretched(c.clients.options.WatchInterval * 3 / 2 * time.Duration(max(1, calls)))
}

// lacksTopic reports whether a topic is known to be absent, so that an object whose creation waits for a turn doesn't need
// another one for the same 404. A young list of the service that still lacks the topic keeps the absence young. The caller
// holds the lock.
func (c *Client) lacksTopic(s *snapshot, name string, now time.Time) bool {
	known, bound := s.topics.known[name], c.stretched(c.clients.options.WatchInterval*3/2)
	if known.absent == nil || known.seq <= s.since([]Entry{TopicEntry(name)}) {
		return false
	}
	began := known.began
	if s.seq > known.seq && s.doesNotList(name) {
		began = s.began
	}
	return bound > 0 && now.Sub(began) <= bound
}

// doesNotList reports whether the service has a list of topics, and one topic isn't in it.
func (s *snapshot) doesNotList(topic string) bool {
	if s.service == nil || s.service.Topics == nil {
		return false
	}
	_, listed := s.service.Topics[topic]
	return !listed
}

// mayHave is false for a topic that is absent, or was when it was asked for last. Aiven refuses a question for many topics
// as a whole if one of them is missing.
func (s *snapshot) mayHave(topic string) bool {
	return s.topics.known[topic].absent == nil && !s.doesNotList(topic)
}
