package conformance_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/sampling"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// neighbours turn examples of rules into any of the others that their services may have, too.
var neighbours = map[string]func(*testenv.Env, *rand.Rand, testenv.Object){
	"KafkaACL": func(_ *testenv.Env, draw *rand.Rand, obj testenv.Object) {
		spec := &obj.(*v1alpha1.KafkaACL).Spec
		spec.Username, spec.Topic = anyOf(draw, userName, "orders-*", "*"), anyOf(draw, topicName, "orders-*", "*")
		spec.Permission = anyOf(draw, "admin", "read", "readwrite", "write")
	},
	"KafkaNativeACL": func(_ *testenv.Env, draw *rand.Rand, obj testenv.Object) {
		spec := &obj.(*v1alpha1.KafkaNativeACL).Spec
		spec.Principal, spec.ResourceName = anyOf(draw, "User:"+userName, "User:*"), anyOf(draw, topicName, "orders-value", "payments")
		spec.Operation, spec.PatternType = anyOf(draw, "Describe", "Read", "Write"), anyOf(draw, "LITERAL", "PREFIXED")
		spec.PermissionType = anyOf(draw, "ALLOW", "DENY")
	},
	"KafkaSchemaRegistryACL": func(_ *testenv.Env, draw *rand.Rand, obj testenv.Object) {
		spec := &obj.(*v1alpha1.KafkaSchemaRegistryACL).Spec
		spec.Username, spec.Resource = anyOf(draw, userName, "*"), anyOf(draw, "Subject:orders*", "Subject:*", "Config:")
		spec.Permission = anyOf(draw, "schema_registry_read", "schema_registry_write")
	},
	"KafkaQuota": func(_ *testenv.Env, draw *rand.Rand, obj testenv.Object) {
		spec := &obj.(*v1alpha1.KafkaQuota).Spec
		spec.User, spec.ClientID = anyOf(draw, userName, "another", ""), anyOf(draw, "batch", "web")
	},
	"ClickhouseGrant": func(_ *testenv.Env, draw *rand.Rand, obj testenv.Object) {
		grant := &obj.(*v1alpha1.ClickhouseGrant).Spec.PrivilegeGrants[0]
		grant.Database, grant.Table = "default", anyOf(draw, "", "orders")
		grant.Privileges = []string{anyOf(draw, "SELECT", "INSERT", "ALTER UPDATE")}
	},
	"ServiceIntegration": func(e *testenv.Env, draw *rand.Rand, obj testenv.Object) {
		obj.(*v1alpha1.ServiceIntegration).Spec.SourceServiceName = spare(e, draw, e.Project)
	},
	"UpgradePipelineStep": func(e *testenv.Env, draw *rand.Rand, obj testenv.Object) {
		obj.(*v1alpha1.UpgradePipelineStep).Spec.DestinationServiceName = spare(e, draw, production)
	},
}

func TestEveryRuleHasNeighbours(t *testing.T) {
	for _, k := range allKinds {
		assert.Equal(t, isRule(k), neighbours[k.name] != nil, "neighbours has the kinds whose Definition has IsRule, and no others: %s", k.name)
	}
}

func anyOf(draw *rand.Rand, values ...string) string { return values[draw.IntN(len(values))] }

// spare is one of some services that no example is about.
func spare(e *testenv.Env, draw *rand.Rand, project string) string {
	name := anyOf(draw, "spare-1", "spare-2", "spare-3")
	if !e.Aiven.Has("service", project+"/"+name) {
		e.Aiven.Service(project, name)
	}
	return name
}

// neighbour is an object of a rule like the example's, and isn't that rule.
func (s *testCase) neighbour(draw *rand.Rand) testenv.Object {
	for {
		obj := s.Example(s.kind.example)
		neighbours[s.kind.name](s.Env, draw, obj)
		if !reflect.DeepEqual(obj, s.obj) {
			obj.SetAnnotations(map[string]string{deletionPolicy: "Orphan"})
			return obj
		}
	}
}

// ofAll are the rules of a kind at Aiven, whatever has made them.
func (s *testCase) ofAll() []string {
	if s.kind.name == "ClickhouseGrant" {
		return grantsOf(s.Env, clickhouseUser)
	}
	var all []string
	for _, r := range s.Aiven.Resources() {
		if r.Type == s.kind.resource {
			all = append(all, r.ID)
		}
	}
	return all
}

// Rules need no consent. What another client has made is adopted if it is the rule of the spec, and any other is left alone.
func TestReviewM1_ARuleOfAnotherClientIsLeftAloneUnlessItIsTheObjects(t *testing.T) {
	t.Parallel()
	number := 3
	if *sampling.Whole {
		number = 50
	}
	for _, k := range allKinds {
		if !isRule(k) {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			s := newCase(t, k, atOnce, false)
			require.NotNil(t, neighbours[k.name], "add %s to neighbours", k.name)
			draw := sampling.Random("neighbours", k.name)
			for range number {
				neighbour := s.neighbour(draw)
				s.Create(neighbour)
				s.Wait(neighbour, testenv.Ready())
				s.Delete(neighbour)
				s.WaitGone(neighbour)
			}
			s.Operator.Restart()

			before, mark := s.ofAll(), s.Aiven.Mark()
			s.begin()
			assert.Equal(t, []string{k.create}, s.Aiven.Writes(mark))
			assert.Subset(t, s.ofAll(), before)
			s.Delete(s.obj)
			s.WaitGone(s.obj)
			assert.Equal(t, before, s.ofAll())
		})
	}
}
