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
