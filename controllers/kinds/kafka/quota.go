package kafka

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	avnkafka "github.com/aiven/go-client-codegen/handler/kafka"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/plan"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=kafkaquotas,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=kafkaquotas/status,verbs=patch

// Quota limits the clients of a user, of a client id, or of both.
var Quota = resource.Definition[*v1alpha1.KafkaQuota, quota]{
	Object: &v1alpha1.KafkaQuota{}, IsRule: true,
	Place: resource.InService(serviceType),
	Identity: func(obj *v1alpha1.KafkaQuota) controllers.Identity {
		return controllers.Identity{Name: obj.Spec.Project + "/" + obj.Spec.ServiceName + "/" + quotaOf(obj).key()}
	},
	Item:   quotaItem,
	Find:   findQuota,
	Diff:   diffQuota,
	Create: createQuota,
	Update: updateQuota,
	Delete: deleteQuota,
}.Kind()

// quota is one of a service. A limit that is nil isn't set: 0 is a limit, which lets nothing through. The types of the
// generated client don't distinguish them.
type quota struct {
	User     string   `json:"user"`
	ClientID string   `json:"client-id"`
	Consumer *float64 `json:"consumer_byte_rate"`
	Producer *float64 `json:"producer_byte_rate"`
	Request  *float64 `json:"request_percentage"`
}

// key is what Aiven knows a quota by. No name can look like two.
func (q quota) key() string { return url.Values{"user": {q.User}, "client-id": {q.ClientID}}.Encode() }

// limit is one limit of a quota.
type limit struct {
	path          string
	wanted, found *float64
}

// compared are the limits of two quotas.
func compared(wanted, found quota) []limit {
	return []limit{
		{"spec.consumerByteRate", wanted.Consumer, found.Consumer},
		{"spec.producerByteRate", wanted.Producer, found.Producer},
		{"spec.requestPercentage", wanted.Request, found.Request},
	}
}

// unclear reports whether a limit of 0 may mean that there is none, where that makes a difference.
func (l limit) unclear() bool {
	return l.found != nil && *l.found == 0 && ptr.Deref(l.wanted, 0) == 0
}

// quotaOf is what the spec asks for.
func quotaOf(obj *v1alpha1.KafkaQuota) quota {
	rate := func(limit *int64) *float64 {
		if limit == nil {
			return nil
		}
		return ptr.To(float64(*limit))
	}
	return quota{
		User: obj.Spec.User, ClientID: obj.Spec.ClientID,
		Consumer: rate(obj.Spec.ConsumerByteRate), Producer: rate(obj.Spec.ProducerByteRate), Request: obj.Spec.RequestPercentage,
	}
}

func quotaItem(obj *v1alpha1.KafkaQuota) aiven.Item {
	list := aiven.ListKey{Project: obj.Spec.Project, Service: obj.Spec.ServiceName, Operation: "ServiceKafkaQuotaList"}
	return aiven.Item{List: list, Key: quotaOf(obj).key()}
}

// findQuota asks for the quota alone where the list leaves open what a 0 means.
func findQuota(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaQuota) (*quota, error) {
	item := quotaItem(obj)
	all, err := aiven.List(ctx, s.Client, item.List, aiven.ListSource[[]quota]{
		Read:  func(ctx context.Context) ([]quota, error) { return listQuotas(ctx, s) },
		Items: aiven.IndexBy(quota.key),
	}, item.Key)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all, func(q quota) bool { return q.key() == item.Key })
	switch {
	case at < 0:
		return nil, nil
	case slices.ContainsFunc(compared(quotaOf(obj), all[at]), limit.unclear):
		return describeQuota(ctx, s, obj)
	default:
		return &all[at], nil
	}
}

func listQuotas(ctx context.Context, s resource.Scope) ([]quota, error) {
	ctx, body := aiven.WithBody(ctx)
	if _, err := s.Client.API().ServiceKafkaQuotaList(ctx, s.Project, s.ServiceName); err != nil {
		return nil, err
	}
	var listed struct {
		Quotas []quota `json:"quotas"`
	}
	if err := json.Unmarshal(body.Bytes(), &listed); err != nil {
		return nil, fmt.Errorf("decoding quotas: %w", err)
	}
	return listed.Quotas, nil
}

// describeQuota returns nil for a quota without limits, which is how Aiven describes one that doesn't exist.
func describeQuota(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaQuota) (*quota, error) {
	out, err := s.Client.API().ServiceKafkaQuotaDescribe(ctx, s.Project, s.ServiceName, quotaQuery(obj)...)
	if err != nil {
		return nil, fmt.Errorf("reading quota: %w", err)
	}
	found := quotaOf(obj)
	found.Consumer, found.Producer, found.Request = out.ConsumerByteRate, out.ProducerByteRate, out.RequestPercentage
	if found == (quota{User: found.User, ClientID: found.ClientID}) {
		return nil, nil
	}
	return &found, nil
}

// quotaQuery names the quota. Aiven takes an empty name for one.
func quotaQuery(obj *v1alpha1.KafkaQuota) (query [][2]string) {
	if obj.Spec.User != "" {
		query = append(query, avnkafka.ServiceKafkaQuotaDescribeUser(obj.Spec.User))
	}
	if obj.Spec.ClientID != "" {
		query = append(query, avnkafka.ServiceKafkaQuotaDescribeClientId(obj.Spec.ClientID))
	}
	return query
}

func diffQuota(_ resource.Scope, obj *v1alpha1.KafkaQuota, found *quota) controllers.Diff {
	var diff controllers.Diff
	for _, l := range compared(quotaOf(obj), *found) {
		if !ptr.Equal(l.wanted, l.found) {
			diff.Add(l.path, plan.Printed{Text: limitText(l.wanted), Value: l.wanted}, plan.Printed{Text: limitText(l.found), Value: l.found})
		}
	}
	return diff
}

func limitText(limit *float64) string {
	if limit == nil {
		return "no limit"
	}
	return strconv.FormatFloat(*limit, 'f', -1, 64)
}

// quotaFields are the fields of a quota by the parameters that they are sent as.
func quotaFields() fault.Fields {
	return fault.Fields{
		"user": fault.Fixed("spec.user"), "client-id": fault.Fixed("spec.clientId"),
		"consumer_byte_rate": {Path: "spec.consumerByteRate"}, "producer_byte_rate": {Path: "spec.producerByteRate"},
		"request_percentage": {Path: "spec.requestPercentage"},
	}
}

// createQuota returns what it has sent: Aiven's answer is empty, and its list shows the quota seconds later.
func createQuota(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaQuota) (*quota, error) {
	if err := setQuota(ctx, s, obj); err != nil {
		return nil, fmt.Errorf("creating quota: %w", quotaFields().Of(err))
	}
	return ptr.To(quotaOf(obj)), nil
}

func setQuota(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaQuota) error {
	wanted := quotaOf(obj)
	in := &avnkafka.ServiceKafkaQuotaCreateIn{
		ConsumerByteRate: wanted.Consumer, ProducerByteRate: wanted.Producer, RequestPercentage: wanted.Request,
	}
	if wanted.User != "" {
		in.User = &wanted.User
	}
	if wanted.ClientID != "" {
		in.ClientId = &wanted.ClientID
	}
	return s.Client.API().ServiceKafkaQuotaCreate(ctx, s.Project, s.ServiceName, in)
}

// updateQuota deletes a quota from which a limit is to go: whether a request that leaves a limit out removes it isn't known.
func updateQuota(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaQuota, found *quota, _ controllers.Diff) (*quota, error) {
	var calls fault.Sequence
	if slices.ContainsFunc(compared(quotaOf(obj), *found), func(l limit) bool { return l.wanted == nil && l.found != nil }) {
		calls.Then("removing limits", func() error {
			if err := removeQuota(ctx, s, obj); !fault.Is(err, fault.NotFound) {
				return err
			}
			return nil
		})
	}
	calls.Then("setting quota", func() error { return setQuota(ctx, s, obj) })
	return nil, quotaFields().Of(calls.Err())
}

// deleteQuota makes no call that a Kafka service which is off would refuse, again and again. Without one Aiven decides.
func deleteQuota(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaQuota, _ *quota) error {
	service, err := s.Client.Service(ctx, s.Project, s.ServiceName)
	if err == nil && service.Type == serviceType && service.State == aiven.StatePoweroff {
		return deletion.NotUsable(s.Project+"/"+s.ServiceName, service.State)
	}
	return removeQuota(ctx, s, obj)
}

func removeQuota(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaQuota) error {
	if err := s.Client.API().ServiceKafkaQuotaDelete(ctx, s.Project, s.ServiceName, quotaQuery(obj)...); err != nil {
		return fmt.Errorf("deleting quota: %w", err)
	}
	return nil
}
