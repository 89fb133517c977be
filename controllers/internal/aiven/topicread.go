package aiven

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	avngen "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/kafkatopic"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

// startTopicRead asks for one topic, and for all others whose time has come too. It fills the last call with those that objects will
// ask for soon, and with those whose time comes next. The caller holds the lock.
func (c *Client) startTopicRead(ctx context.Context, key ServiceKey, s *snapshot, name string) inflightTopics {
	now := c.clients.options.Now()
	f := inflightTopics{inflight: newInflight[[]TopicDetail](ctx, c), names: []string{name}, until: map[string]time.Time{}}
	if now.Sub(s.topics.first) >= c.clients.options.WatchInterval {
		s.topics.forgetUnasked()
	}
	var young []string
	for other, asked := range s.topics.wanted {
		switch {
		case now.Sub(asked) >= idleTTL:
			s.topics.drop(other)
		case other == name || !s.mayHave(other):
		case c.hasTopic(s, other, now):
			young = append(young, other)
		default:
			f.names = append(f.names, other)
		}
	}
	slices.SortFunc(young, func(a, b string) int { return s.topics.known[a].began.Compare(s.topics.known[b].began) })
	if last := len(f.names) % topicsAtOnce; last > 0 {
		if now.Sub(s.topics.first) < c.clients.options.WatchInterval {
			young = append(s.atFirst(topicsAtOnce-last), young...)
		}
		f.names = append(f.names, young[:min(len(young), topicsAtOnce-last)]...)
	}
	for _, other := range f.names {
		if until := s.lagEnds(other, now, c.clients.options.ReadLag); !until.IsZero() {
			f.until[other] = until
		}
	}
	s.topics.inflight = f
	timeout := c.clients.options.Timeout * time.Duration(2+len(f.names)/topicsAtOnce) // one for each call, and for a repeated one
	fetch := func(ctx context.Context) ([]TopicDetail, error) { return c.fetchTopics(ctx, key, s, f.names) }
	go f.run(ctx, timeout, fetch, func(found []TopicDetail, err error) ([]TopicDetail, error) {
		awaited, err := c.keepTopics(s, f, found, err)
		c.notify(key, split(key, awaited, false, false))
		return found, err
	})
	return f
}

// atFirst are topics of the service that nothing is known of, at most so many. After a restart the objects of most topics ask within
// seconds, a few at a time: without those that come next, each of these reads would be a call.
func (s *snapshot) atFirst(most int) (names []string) {
	if s.service == nil || s.topics.onlyAsked {
		return nil
	}
	for name := range s.service.Topics {
		if len(names) == most {
			break
		}
		if _, known := s.topics.known[name]; !known {
			s.topics.unasked[name] = struct{}{}
			names = append(names, name)
		}
	}
	return names
}

// forgetUnasked forgets the topics that no object has asked for since they were read at first.
func (t *topics) forgetUnasked() {
	for name := range t.unasked {
		delete(t.known, name)
	}
	clear(t.unasked)
}

// keepTopics takes in the answer to a question for many topics. It returns those whose state other objects wait for than the
// one that asked, and no error where each topic is to be asked for on its own.
func (c *Client) keepTopics(s *snapshot, f inflightTopics, found []TopicDetail, err error) ([]Entry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var awaited []Entry
	for i := range found {
		name := found[i].TopicName
		if s.topics.keep(name, topicDetail{detail: &found[i], seq: f.seq, began: f.began, until: f.until[name]}) && name != f.names[0] {
			awaited = append(awaited, TopicEntry(name))
		}
	}
	if pause := c.fallbackToSingle(err); pause > 0 {
		s.topics.singleUntil = c.clients.options.Now().Add(pause)
		err = nil
	}
	return awaited, err
}

// fallbackToSingle is for how long each topic is to be asked for on its own, after an answer to a question for many; 0 if that
// wouldn't help. Where the question isn't known or allowed, that is long. A 404 can also be a topic that went a moment
// ago, which the next list of the service will no longer hold.
func (c *Client) fallbackToSingle(err error) time.Duration {
	var refusal avngen.Error
	switch {
	case fault.Is(err, fault.NotFound):
		return c.clients.options.WatchInterval
	case fault.Is(err, fault.Forbidden, fault.Rejected),
		errors.As(err, &refusal) && refusal.Status == http.StatusNotImplemented:
		return idleTTL
	default:
		return 0
	}
}

func (c *Client) fetchTopics(ctx context.Context, key ServiceKey, s *snapshot, names []string) ([]TopicDetail, error) {
	var all []TopicDetail
	for chunk := range slices.Chunk(names, topicsAtOnce) {
		found, err := c.fetchAtOnce(ctx, key, chunk)
		if fault.Is(err, fault.NotFound) {
			if asked := c.withoutUnasked(s, chunk); len(asked) < len(chunk) {
				found, err = c.fetchAtOnce(ctx, key, asked)
			}
		}
		if err != nil {
			return all, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// withoutUnasked are the topics of a call that objects have asked for by now. If there are others, one of them may be what the 404 is
// about: they are forgotten, and none is read before its object asks any more.
func (c *Client) withoutUnasked(s *snapshot, names []string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, unasked := s.topics.unasked[name]
		delete(s.topics.unasked, name)
		s.topics.onlyAsked = s.topics.onlyAsked || unasked
		return unasked
	})
}

// fetchAtOnce asks for several topics in one call.
func (c *Client) fetchAtOnce(ctx context.Context, key ServiceKey, names []string) ([]TopicDetail, error) {
	ctx, cancel := context.WithTimeout(WithRead(ctx), c.clients.options.Timeout)
	defer cancel()
	found, err := c.api.ServiceKafkaTopicListV2(ctx, key.Project, key.Service, &kafkatopic.ServiceKafkaTopicListV2In{TopicNames: names})
	if err != nil {
		return nil, fmt.Errorf("reading topics: %w", err)
	}
	if found == nil {
		return nil, wrongShape("ServiceKafkaTopicListV2", "it holds no list")
	}
	return found, nil
}

// fetchTopic asks for a single topic.
func (c *Client) fetchTopic(ctx context.Context, key ServiceKey, s *snapshot, name string) (*TopicDetail, error) {
	c.mu.Lock()
	order, began := c.clients.nextSeq(), c.clients.options.Now()
	until := s.lagEnds(name, began, c.clients.options.ReadLag)
	c.mu.Unlock()
	found, err := c.api.ServiceKafkaTopicGet(ctx, key.Project, key.Service, name)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case fault.Is(err, fault.NotFound):
		err = fmt.Errorf("reading topic: %w", err)
		if !until.IsZero() {
			s.topics.drop(name) // until an object asks again
		} else {
			s.topics.keep(name, topicDetail{absent: err, seq: order, began: began})
		}
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("reading topic: %w", err)
	case found.TopicName != name:
		return nil, wrongShape("ServiceKafkaTopicGet", "it holds another topic or none")
	default:
		s.topics.keep(name, topicDetail{detail: found, seq: order, began: began, until: until})
		return found, nil
	}
}
