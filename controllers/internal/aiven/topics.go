package aiven

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aiven/go-client-codegen/handler/kafkatopic"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

// TopicDetail is a topic with its configuration, which the list in a service leaves out.
type TopicDetail = kafkatopic.ServiceKafkaTopicGetOut

// topicsAtOnce is how many topics one call asks for.
const topicsAtOnce = 100

// topics are the details of the topics of one service.
type topics struct {
	wanted map[string]time.Time // when somebody last asked
	known  map[string]topicDetail
	flight *topicFlight
}

type topicDetail struct {
	detail *TopicDetail
	order  uint64
	began  time.Time
}

// topicFlight asks for several topics.
type topicFlight struct {
	order uint64
	began time.Time
	names []string
	done  chan struct{}
	err   error
}

// forget drops the details of topics that changed.
func (t *topics) forget(parts []Part) {
	for _, part := range parts {
		if name, isTopic := strings.CutPrefix(string(part), topicParts); isTopic {
			delete(t.known, name)
		}
	}
}

// Topic reads a topic with its configuration. All topics of the service that were asked for lately are read together, so
// that a thousand of them cost ten calls. The error of a topic that isn't there is of class NotFound.
func (a *Account) Topic(ctx context.Context, project, service, name string) (*TopicDetail, error) {
	key := ServiceKey{Project: project, Service: service}
	a.mu.Lock()
	s := a.snapshot(key)
	now := a.door.options.Now()
	s.used = now
	s.topics.want(name, now)
	if a.hasTopic(s, name, now) {
		defer a.mu.Unlock()
		countRead(readHit)
		return s.topics.known[name].detail, nil
	}
	if now.Sub(a.noBatch) < memory {
		a.mu.Unlock()
		return a.fetchTopic(ctx, key, name)
	}
	f := s.topics.flight
	if f == nil || f.order <= s.since([]Part{TopicPart(name)}) || !slices.Contains(f.names, name) {
		f = a.flyTopics(ctx, key, s, name)
	}
	a.mu.Unlock()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-f.done:
	}
	if f.err != nil {
		return nil, f.err
	}
	a.mu.Lock()
	found, ok := s.topics.known[name]
	a.mu.Unlock()
	if ok && found.order >= f.order {
		return found.detail, nil
	}
	return a.fetchTopic(ctx, key, name)
}

func (t *topics) want(name string, now time.Time) {
	if t.wanted == nil {
		t.wanted, t.known = map[string]time.Time{}, map[string]topicDetail{}
	}
	t.wanted[name] = now
}

// hasTopic says whether what is known of a topic is young and true. The caller holds the lock.
func (a *Account) hasTopic(s *snapshot, name string, now time.Time) bool {
	bound := a.door.options.WatchInterval * 3 / 2
	known, ok := s.topics.known[name]
	return ok && bound > 0 && now.Sub(known.began) <= bound && known.order > s.since([]Part{TopicPart(name)})
}

// flyTopics asks for one topic, and for all others whose time has come too. The caller holds the lock.
func (a *Account) flyTopics(ctx context.Context, key ServiceKey, s *snapshot, name string) *topicFlight {
	now := a.door.options.Now()
	f := &topicFlight{order: a.door.next(), began: now, names: []string{name}, done: make(chan struct{})}
	for other, asked := range s.topics.wanted {
		switch {
		case now.Sub(asked) >= memory:
			delete(s.topics.wanted, other)
			delete(s.topics.known, other)
		case other != name && !a.hasTopic(s, other, now):
			f.names = append(f.names, other)
		}
	}
	s.topics.flight = f
	ctx = context.WithoutCancel(ctx)
	go func() {
		found, err := a.fetchTopics(ctx, key, f.names)
		a.mu.Lock()
		defer a.mu.Unlock()
		for i := range found {
			s.topics.known[found[i].TopicName] = topicDetail{detail: &found[i], order: f.order, began: f.began}
		}
		if fault.Is(err, fault.Server, fault.Forbidden, fault.Rejected, fault.NotFound) {
			// A route that isn't served, or that names a topic which is gone: each topic is asked for on its own.
			if !fault.Is(err, fault.NotFound) {
				a.noBatch = a.door.options.Now()
			}
			err = nil
		}
		f.err = err
		if s.topics.flight == f {
			s.topics.flight = nil
		}
		close(f.done)
	}()
	return f
}

func (a *Account) fetchTopics(ctx context.Context, key ServiceKey, names []string) ([]TopicDetail, error) {
	var all []TopicDetail
	for chunk := range slices.Chunk(names, topicsAtOnce) {
		in := &kafkatopic.ServiceKafkaTopicListV2In{TopicNames: chunk}
		ctx, cancel := context.WithTimeout(ctx, a.door.options.Timeout)
		found, err := a.client.ServiceKafkaTopicListV2(ctx, key.Project, key.Service, in)
		cancel()
		if err != nil {
			return all, fmt.Errorf("reading topics: %w", err)
		}
		all = append(all, found...)
	}
	return all, nil
}

// fetchTopic asks for a single topic.
func (a *Account) fetchTopic(ctx context.Context, key ServiceKey, name string) (*TopicDetail, error) {
	order, began := a.door.next(), a.door.options.Now()
	found, err := a.client.ServiceKafkaTopicGet(ctx, key.Project, key.Service, name)
	if err != nil {
		return nil, fmt.Errorf("reading topic: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.snapshot(key)
	s.topics.want(name, began)
	s.topics.known[name] = topicDetail{detail: found, order: order, began: began}
	return found, nil
}
