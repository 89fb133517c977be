package export

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/aero-operator/aero/api/v1alpha1"
)

func topicDraft(service, name string) *draft {
	obj := &v1alpha1.KafkaTopic{}
	return &draft{obj: obj, service: service, what: service + "/" + name, real: name, rename: func(real string) { obj.Spec.TopicName = real }}
}

func TestNamesAreThoseOfObjectsAndTheRealOneIsInTheSpec(t *testing.T) {
	long := strings.Repeat("a", 260)
	for real, want := range map[string]string{
		"orders": "orders", "Orders_V1": "orders-v1", "orders.v1": "orders.v1", "orders..v1-.x": "orders.v1.x", "_x_": "x", long: hashed(long, "kafka/"+long),
		"***": hashed("", "kafka/***"), "größe": "gr-e",
	} {
		d := topicDraft("kafka", real)
		newNames().assign(&exporter{drafts: []*draft{d}})
		assert.Equal(t, want, d.obj.GetName())
		assert.Empty(t, validation.IsDNS1123Subdomain(d.obj.GetName()), real)
		topic := d.obj.(*v1alpha1.KafkaTopic).Spec.TopicName
		if want == real {
			assert.Empty(t, topic)
		} else {
			assert.Equal(t, real, topic)
		}
	}
}

func TestNoTwoObjectsOfAKindHaveOneName(t *testing.T) {
	all := []*draft{topicDraft("a", "Orders"), topicDraft("a", "orders"), topicDraft("b", "orders"), topicDraft("b", "ORDERS")}
	newNames().assign(&exporter{drafts: all})
	seen := map[string]bool{}
	for _, d := range all {
		require.False(t, seen[d.obj.GetName()], d.obj.GetName())
		seen[d.obj.GetName()] = true
		if d.obj.GetName() != d.real {
			assert.Equal(t, d.real, d.obj.(*v1alpha1.KafkaTopic).Spec.TopicName)
		}
	}
}

func TestNoTwoObjectsPublishIntoOneSecret(t *testing.T) {
	user, service := &v1alpha1.ServiceUser{}, &v1alpha1.PostgreSQL{}
	pool := &v1alpha1.ConnectionPool{}
	all := []*draft{
		{obj: user, what: "user", real: "orders", rename: func(real string) { user.Spec.Username = real }},
		{obj: pool, what: "pool", real: "orders", fixed: true}, {obj: service, what: "service", real: "orders", fixed: true},
	}
	newNames().assign(&exporter{drafts: all})
	secrets := map[string]bool{}
	for _, d := range all {
		name := d.secret().ConnInfoSecretTarget.Name
		if name == "" {
			name = d.obj.GetName()
		}
		assert.False(t, secrets[name], name)
		secrets[name] = true
	}
	assert.Equal(t, "orders", service.Name)
	assert.Equal(t, "orders", pool.Name, "a pool has the name of its object")
	assert.Equal(t, "orders", user.Spec.Username)
}

func TestWhatMustHaveItsNameIsLeftOutWhereThatIsNone(t *testing.T) {
	for name, all := range map[string][]*draft{
		"no name of an object":    {{obj: &v1alpha1.ConnectionPool{}, real: "My_Pool", fixed: true}},
		"taken by another object": {{obj: &v1alpha1.ConnectionPool{}, real: "pool", fixed: true, what: "b"}, {obj: &v1alpha1.ConnectionPool{}, real: "pool", fixed: true, what: "a"}},
	} {
		newNames().assign(&exporter{drafts: all})
		assert.NotEmpty(t, all[len(all)-1].unnamed, name)
	}
}

func TestANameWithAHashMayBeTakenToo(t *testing.T) {
	twin := topicDraft("kafka", "a.")
	all := []*draft{topicDraft("kafka", "a"), topicDraft("kafka", hashed("a", twin.what)), twin}
	newNames().assign(&exporter{drafts: all})
	assert.NotEqual(t, all[1].obj.GetName(), all[2].obj.GetName())
	assert.Equal(t, "a.", twin.obj.(*v1alpha1.KafkaTopic).Spec.TopicName)

	pool := &draft{obj: &v1alpha1.ConnectionPool{}, what: "pool", real: "a", fixed: true}
	user := &draft{obj: &v1alpha1.ServiceUser{}, what: "user", real: hashed("a", "pool"), fixed: true}
	service := &draft{obj: &v1alpha1.PostgreSQL{}, what: "service", real: "a", fixed: true}
	newNames().assign(&exporter{drafts: []*draft{service, user, pool}})
	assert.NotEmpty(t, pool.secret().ConnInfoSecretTarget.Name)
	assert.NotEqual(t, user.obj.GetName(), pool.secret().ConnInfoSecretTarget.Name)
}

func TestNothingIsPublishedIntoTheSecretOfAConnector(t *testing.T) {
	user := &v1alpha1.ServiceUser{}
	connector := &draft{obj: &v1alpha1.KafkaConnector{}, what: "connector", real: "sink", fixed: true, values: map[string][]byte{"a": nil}}
	newNames().assign(&exporter{drafts: []*draft{{obj: user, what: "user", real: "sink-secrets", rename: func(real string) { user.Spec.Username = real }}, connector}})
	assert.NotEqual(t, "sink-secrets", user.Name)
	assert.Equal(t, "sink-secrets", user.Spec.Username)
	pool := &v1alpha1.ConnectionPool{}
	newNames().assign(&exporter{drafts: []*draft{{obj: pool, what: "pool", real: "sink-secrets", fixed: true}, connector}})
	assert.NotEmpty(t, pool.Spec.ConnInfoSecretTarget.Name)
}
