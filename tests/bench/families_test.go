package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/localaiven"
)

func placed(t *testing.T, f *family) map[string]object {
	l := &loaded{world: &world{options: options{root: filepath.Join("..", "..")}}, family: f}
	c, err := l.crowdOf("x", func(part) int { return 0 }, func(p part) int { return p.objects })
	require.NoError(t, err)
	objects := map[string]object{}
	for _, o := range c.objects {
		objects[keyOf(o)] = o
	}
	assert.Len(t, objects, len(c.objects), "each has a name of its own")
	return objects
}

func TestAFamilyHasTheSizeThatWasAskedFor(t *testing.T) {
	for i := range families {
		f := &families[i]
		t.Run(f.name, func(t *testing.T) {
			_, services := f.counts()
			tenth := f.sized(10)
			objects, same := tenth.counts()
			assert.Equal(t, services, same, "it has as many services")
			assert.Len(t, placed(t, tenth), objects)
		})
	}
	assert.Nil(t, familyOf("unknown"))
	all, _ := familyOf("all-kinds").counts()
	assert.Equal(t, 10000, all)
}

func TestWhatObjectsOfAFamilyReferToIsThere(t *testing.T) {
	for i := range families {
		f := families[i].sized(10)
		t.Run(f.name, func(t *testing.T) {
			objects := placed(t, f)
			for _, o := range objects {
				switch o := o.(type) {
				case *v1alpha1.KafkaSchema:
					for _, ref := range o.Spec.References {
						target, ok := objects["*v1alpha1.KafkaSchema/"+ref.KafkaSchemaRef.Name].(*v1alpha1.KafkaSchema)
						require.True(t, ok)
						assert.Equal(t, o.Spec.ServiceName, target.Spec.ServiceName)
					}
				case *v1alpha1.ClickhouseGrant:
					user, ok := objects["*v1alpha1.ClickhouseUser/"+o.Spec.RoleGrants[0].Grantees[0].User].(*v1alpha1.ClickhouseUser)
					require.True(t, ok)
					role, ok := objects["*v1alpha1.ClickhouseRole/"+o.Spec.RoleGrants[0].Roles[0]].(*v1alpha1.ClickhouseRole)
					require.True(t, ok)
					assert.Equal(t, []string{o.Spec.ServiceName, o.Spec.ServiceName}, []string{user.Spec.ServiceName, role.Spec.ServiceName})
				case *aero.ConnectionSecret:
					assert.Contains(t, objects, "*v1alpha1.ServiceUser/"+o.Spec.SourceRef.Name)
				case *v1alpha1.ServiceUser:
					_, inPostgreSQL := objects["*v1alpha1.PostgreSQL/"+o.Spec.ServiceName]
					_, inKafka := objects["*v1alpha1.Kafka/"+o.Spec.ServiceName]
					assert.True(t, inPostgreSQL || inKafka, o.Spec.ServiceName)
				case *v1alpha1.ServiceIntegration:
					assert.Contains(t, objects, "*v1alpha1.PostgreSQL/"+o.Spec.SourceServiceName)
					assert.Contains(t, objects, "*v1alpha1.Kafka/"+o.Spec.DestinationServiceName)
				}
			}
		})
	}
}

func TestCallsAreComparedWithWhatCreationsNeed(t *testing.T) {
	r := &report{}
	f := &family{name: "f", parts: []part{
		{example: "kafka", objects: 1, service: true, writes: 1, reads: 1}, {example: "kafkaschema", objects: 9, writes: 1, reads: 1, polled: "Get"},
	}}
	l := &loaded{world: &world{report: r}, family: f}
	query := func(sql string) localaiven.Entry {
		body, err := json.Marshal(map[string]string{"query": sql})
		require.NoError(t, err)
		return localaiven.Entry{Method: "POST", Operation: "ServiceClickHouseQuery", Body: body}
	}
	journal := []localaiven.Entry{query("SELECT name FROM system.roles"), query("GRANT x"), query("GRANT y")}
	for range 22 {
		journal = append(journal, localaiven.Entry{Method: "GET", Operation: "ServiceGet"})
	}
	l.noteCalls(journal, journal[0].Time)
	assert.Equal(t, []string{"f: calls until all ready", "f: calls that creations don't need"}, []string{(*r)[0].name, (*r)[1].name})
	assert.Contains(t, (*r)[0].note, "23 read; ServiceGet 22, GRANT 2, SELECT system.roles 1")
	assert.InDelta(t, 25, (*r)[1].value, 1e-9, "25 calls where 20 are needed")
	assert.EqualValues(t, 9, f.polls(map[string]int64{"Get": 12}), "each object may be polled once")
	assert.EqualValues(t, 4, f.polls(map[string]int64{"Get": 4}))
}

func TestUsersOfKafkaAreAsManyAsThoseWithoutCertificates(t *testing.T) {
	f, users := familyOf("kafka-users"), map[string]int{}
	for _, o := range placed(t, f) {
		if user, is := o.(*v1alpha1.ServiceUser); is {
			users[user.Spec.ServiceName]++
		}
	}
	assert.Equal(t, map[string]int{f.nameOf("kafka", 0): 2000, f.nameOf("postgresql", 0): 2000}, users)
}

func TestACallIsAboutTheServiceInItsPath(t *testing.T) {
	var journal []localaiven.Entry
	for _, path := range []string{"/v1/project/p/service/kafka", "/v1/project/p/service", "/v1/project/p/service/kafka/user", "/v1/project/p/service/kafka-2/user"} {
		journal = append(journal, localaiven.Entry{Path: path})
	}
	assert.Equal(t, []localaiven.Entry{journal[0], journal[2]}, callsAbout(journal, "kafka"))
}

func TestAQuantileIsTheBoundOfABucket(t *testing.T) {
	text := func(low, high int) string {
		return fmt.Sprintf(`# TYPE controller_runtime_reconcile_total counter
controller_runtime_reconcile_total{controller="x"} 1
# TYPE aero_pickup_duration_seconds histogram
aero_pickup_duration_seconds_bucket{kind="a",le="0.1"} %d
aero_pickup_duration_seconds_bucket{kind="a",le="1"} %d
aero_pickup_duration_seconds_bucket{kind="b",le="0.1"} 0
aero_pickup_duration_seconds_bucket{kind="b",le="1"} 1
# TYPE go_memstats_next_gc_bytes gauge
go_memstats_next_gc_bytes 8e6
# TYPE go_gc_gogc_percent gauge
go_gc_gogc_percent 60
`, low, high)
	}
	before, err := parseVitals(strings.NewReader(text(8, 9)))
	require.NoError(t, err)
	after, err := parseVitals(strings.NewReader(text(8, 19)))
	require.NoError(t, err)
	assert.InDelta(t, 0.1, before.pickups.quantile(50), 0)
	assert.InDelta(t, 1, before.pickups.quantile(99), 0)
	assert.InDelta(t, 1, after.pickups.minus(before.pickups).quantile(50), 0, "only what came since counts")
	assert.Zero(t, after.pickups.minus(after.pickups).quantile(50))
	assert.InDelta(t, 5e6, after.live, 1, "the next collection begins when there is 60 % more")
}
