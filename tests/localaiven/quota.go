package localaiven

import (
	"cmp"
	"maps"
	"slices"

	client "github.com/aiven/go-client-codegen/handler/kafka"
)

// quotaKey is whose quota it is. At least one is there; an empty one is none.
type quotaKey struct{ user, clientID string }

// quota limits a group of clients. Nil is no limit.
type quota struct{ consumer, producer, request *float64 }

const (
	maxByteRate   = 1 << 30
	maxPercentage = 100

	maxQuotaUser, maxQuotaClient = 64, 255
)

type quotaBody struct {
	ClientID          *string  `json:"client-id,omitempty"`
	ConsumerByteRate  *float64 `json:"consumer_byte_rate,omitempty"`
	ProducerByteRate  *float64 `json:"producer_byte_rate,omitempty"`
	RequestPercentage *float64 `json:"request_percentage,omitempty"`
	User              *string  `json:"user,omitempty"`
}

func (k quotaKey) body(q quota) quotaBody {
	b := quotaBody{ConsumerByteRate: q.consumer, ProducerByteRate: q.producer, RequestPercentage: q.request}
	if k.user != "" {
		b.User = &k.user
	}
	if k.clientID != "" {
		b.ClientID = &k.clientID
	}
	return b
}

// natural is whose quota it is, in messages.
func (k quotaKey) natural() string { return "user=" + k.user + ",client-id=" + k.clientID }

func (k quotaKey) check() *apiError {
	switch {
	case k == quotaKey{}:
		return badRequest("Invalid input: at least one of user and client-id is required")
	case len(k.user) > maxQuotaUser:
		return badRequest("Invalid user: must be at most %d characters long", maxQuotaUser)
	case len(k.clientID) > maxQuotaClient:
		return badRequest("Invalid client-id: must be at most %d characters long", maxQuotaClient)
	}
	return nil
}

func (q quota) check() *apiError {
	if q == (quota{}) {
		return badRequest("Invalid input: at least one of consumer_byte_rate, producer_byte_rate and request_percentage is required")
	}
	for _, limit := range []struct {
		key   string
		value *float64
		most  float64
	}{
		{"consumer_byte_rate", q.consumer, maxByteRate}, {"producer_byte_rate", q.producer, maxByteRate},
		{"request_percentage", q.request, maxPercentage},
	} {
		if limit.value != nil && (*limit.value < 0 || *limit.value > limit.most) {
			return badRequest("Invalid %s %v: must be 0 to %v", limit.key, *limit.value, limit.most)
		}
	}
	return nil
}

func (k *kafkaState) quotaKeys() []quotaKey {
	return slices.SortedFunc(maps.Keys(k.quotas), func(a, b quotaKey) int {
		return cmp.Or(cmp.Compare(a.user, b.user), cmp.Compare(a.clientID, b.clientID))
	})
}

// quotaOf is the quota that the query of a call names.
func (c *call) quotaOf() (quotaKey, *apiError) {
	query := c.URL.Query()
	key := quotaKey{query.Get("user"), query.Get("client-id")}
	return key, key.check()
}

// over is the quota with the limits of another one where it has none.
func (q quota) over(other quota) quota {
	return quota{cmp.Or(q.consumer, other.consumer), cmp.Or(q.producer, other.producer), cmp.Or(q.request, other.request)}
}

// quotaCreate creates the quota, or replaces it: as a whole, unless Variants.MergeQuotas is set.
func (s *Server) quotaCreate(c *call) (any, *apiError) {
	var in client.ServiceKafkaQuotaCreateIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	for name, value := range map[string]*string{"user": in.User, "client-id": in.ClientId} {
		if value != nil && *value == "" {
			return nil, badRequest("Invalid %s: must not be empty", name)
		}
	}
	key, q := quotaKey{text(in.User), text(in.ClientId)}, quota{in.ConsumerByteRate, in.ProducerByteRate, in.RequestPercentage}
	if fail := cmp.Or(key.check(), q.check()); fail != nil {
		return nil, fail
	}
	return nil, s.edit(c, "setting the quota", edit{
		check: func(*service) *apiError { return nil },
		apply: func(svc *service) {
			if svc.kafka.quotas == nil {
				svc.kafka.quotas = map[quotaKey]quota{}
			}
			if s.options.Variants.MergeQuotas {
				q = q.over(svc.kafka.quotas[key])
			}
			svc.kafka.quotas[key] = q
		},
	})
}

func text(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}

func (s *Server) quotaDelete(c *call) (any, *apiError) {
	key, fail := c.quotaOf()
	if fail != nil {
		return nil, fail
	}
	return nil, s.edit(c, "deleting the quota", edit{
		check: func(svc *service) *apiError {
			if _, ok := svc.kafka.quotas[key]; !ok {
				return notFound("Quota")
			}
			return nil
		},
		apply: func(svc *service) { delete(svc.kafka.quotas, key) },
	})
}

// quotaDescribe answers an empty quota where there is none.
func (s *Server) quotaDescribe(c *call) (any, *apiError) {
	svc, fail := s.service(c)
	if fail != nil {
		return nil, fail
	}
	key, fail := c.quotaOf()
	if fail != nil {
		return nil, fail
	}
	svc.mu.RLock()
	defer svc.mu.RUnlock()
	if q, ok := svc.kafka.quotas[key]; ok {
		return map[string]any{"quota": key.body(q)}, nil
	}
	return map[string]any{"quota": quotaBody{}}, nil
}

func (s *Server) quotaList(c *call) (any, *apiError) {
	svc, fail := s.service(c)
	if fail != nil {
		return nil, fail
	}
	svc.mu.RLock()
	defer svc.mu.RUnlock()
	out := []quotaBody{}
	for _, key := range svc.kafka.quotaKeys() {
		out = append(out, key.body(svc.kafka.quotas[key]))
	}
	return map[string]any{"quotas": out}, nil
}
