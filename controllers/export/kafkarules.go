package export

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	avnkafka "github.com/aiven/go-client-codegen/handler/kafka"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/kinds/kafka"
)

// kafkaRules exports the ACLs of Aiven, of Kafka itself and of the schema registry. Aiven may have several that are the same.
func kafkaRules(_ context.Context, e *exporter, s *aiven.Service) {
	for _, found := range s.ACLs {
		d := about(s, "ACL", fmt.Sprintf("%s of %s on %s", found.Permission, found.Username, found.Topic))
		obj := &v1alpha1.KafkaACL{}
		obj.Spec.ServiceDependant, obj.Spec.Permission = in(s), string(found.Permission)
		obj.Spec.Topic, obj.Spec.Username = found.Topic, found.Username
		d.real = joined(found.Username, found.Topic, string(found.Permission))
		addRule(e, kafka.ACL, obj, found.Id, d)
	}
	for _, found := range s.KafkaACLs {
		d := about(s, "Kafka-native ACL", string(aiven.NativeACLEntry(found)))
		obj := &v1alpha1.KafkaNativeACL{}
		obj.Spec.ServiceDependant, obj.Spec.Host, obj.Spec.Principal, obj.Spec.ResourceName = in(s), found.Host, found.Principal, found.ResourceName
		obj.Spec.Operation, obj.Spec.PatternType = string(found.Operation), string(found.PatternType)
		obj.Spec.PermissionType, obj.Spec.ResourceType = string(found.PermissionType), string(found.ResourceType)
		d.real = joined(found.Principal, string(found.Operation), found.ResourceName)
		addRule(e, kafka.NativeACL, obj, nil, d)
	}
	for _, found := range s.SchemaRegistryACLs {
		d := about(s, "ACL of the schema registry", fmt.Sprintf("%s of %s on %s", found.Permission, found.Username, found.Resource))
		obj := &v1alpha1.KafkaSchemaRegistryACL{}
		obj.Spec.ServiceDependant, obj.Spec.Permission = in(s), string(found.Permission)
		obj.Spec.Resource, obj.Spec.Username = found.Resource, found.Username
		d.real = joined(found.Username, found.Resource, string(found.Permission))
		addRule(e, kafka.SchemaRegistryACL, obj, found.Id, d)
	}
}

// addRule drafts a rule, which has no name at Aiven, unless Aiven has made it: those have an id that says so.
func addRule[T controllers.Object](e *exporter, kind controllers.Kind[T], obj T, id *string, d draft) {
	if strings.HasPrefix(ptr.Deref(id, ""), "default") {
		e.leaveIf(kindOf(obj), d.what, reasonBuiltIn)
		return
	}
	d.twins = true
	add(e, kind, obj, d)
}

// quota is one of a service. A limit that is nil isn't set: the types of the generated client don't distinguish it from 0.
type quota struct {
	User     string   `json:"user"`
	ClientID string   `json:"client-id"`
	Consumer *float64 `json:"consumer_byte_rate"`
	Producer *float64 `json:"producer_byte_rate"`
	Request  *float64 `json:"request_percentage"`
}

// quotas exports the quotas of users and clients.
func quotas(ctx context.Context, e *exporter, s *aiven.Service) {
	if !e.wants("KafkaQuota") || !e.answers(s, "quotas") {
		return
	}
	all, _ := ask(ctx, e, "service "+s.Name+": quotas", func(ctx context.Context) ([]quota, error) {
		ctx, body := aiven.WithBody(ctx)
		if _, err := e.client.API().ServiceKafkaQuotaList(ctx, s.Project, s.Name); err != nil {
			return nil, err
		}
		var listed struct {
			Quotas []quota `json:"quotas"`
		}
		err := json.Unmarshal(body.Bytes(), &listed)
		return listed.Quotas, err
	})
	for _, found := range all {
		d := about(s, "quota", fmt.Sprintf("of user %q and client %q", found.User, found.ClientID))
		d.real = joined(found.User, found.ClientID, "quota")
		if found.User == "" && found.ClientID == "" {
			e.leave(d.what, "no kind serves quotas of all users and clients")
			continue
		}
		if found.unclear() {
			exact, read := ask(ctx, e, d.what, func(ctx context.Context) (*avnkafka.ServiceKafkaQuotaDescribeOut, error) {
				return e.client.API().ServiceKafkaQuotaDescribe(ctx, s.Project, s.Name, found.query()...)
			})
			if !read {
				continue
			}
			found.Consumer, found.Producer, found.Request = exact.ConsumerByteRate, exact.ProducerByteRate, exact.RequestPercentage
		}
		obj, whole := exportQuota(found)
		if !whole {
			e.leave(d.what, "a rate isn't a whole number of bytes, or there is no limit")
			continue
		}
		obj.Spec.ServiceDependant = in(s)
		add(e, kafka.Quota, obj, d)
	}
}

// unclear reports whether the list leaves open what a 0 means.
func (q quota) unclear() bool {
	return slices.ContainsFunc([]*float64{q.Consumer, q.Producer, q.Request}, func(limit *float64) bool { return limit != nil && *limit == 0 })
}

func (q quota) query() (query [][2]string) {
	if q.User != "" {
		query = append(query, avnkafka.ServiceKafkaQuotaDescribeUser(q.User))
	}
	if q.ClientID != "" {
		query = append(query, avnkafka.ServiceKafkaQuotaDescribeClientId(q.ClientID))
	}
	return query
}

// exportQuota reports false for a quota that the kind can't have.
func exportQuota(found quota) (*v1alpha1.KafkaQuota, bool) {
	obj := &v1alpha1.KafkaQuota{}
	obj.Spec.User, obj.Spec.ClientID, obj.Spec.RequestPercentage = found.User, found.ClientID, found.Request
	for _, rate := range []struct {
		to   **int64
		from *float64
	}{{&obj.Spec.ConsumerByteRate, found.Consumer}, {&obj.Spec.ProducerByteRate, found.Producer}} {
		if rate.from == nil {
			continue
		}
		if *rate.from != math.Trunc(*rate.from) {
			return nil, false
		}
		*rate.to = ptr.To(integer(*rate.from))
	}
	return obj, found.Consumer != nil || found.Producer != nil || found.Request != nil
}
