package conformance_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// neighbours turn examples of rules into others that their services have, too.
var neighbours = map[string]func(*testenv.Env, testenv.Object){
	"KafkaACL":       func(_ *testenv.Env, obj testenv.Object) { obj.(*v1alpha1.KafkaACL).Spec.Permission = "read" },
	"KafkaNativeACL": func(_ *testenv.Env, obj testenv.Object) { obj.(*v1alpha1.KafkaNativeACL).Spec.Operation = "Write" },
	"KafkaSchemaRegistryACL": func(_ *testenv.Env, obj testenv.Object) {
		obj.(*v1alpha1.KafkaSchemaRegistryACL).Spec.Permission = "schema_registry_write"
	},
	"KafkaQuota": func(_ *testenv.Env, obj testenv.Object) { obj.(*v1alpha1.KafkaQuota).Spec.ClientID = "batch" },
	"ClickhouseGrant": func(_ *testenv.Env, obj testenv.Object) {
		obj.(*v1alpha1.ClickhouseGrant).Spec.PrivilegeGrants[0].Database = "default"
	},
	"ServiceIntegration": func(e *testenv.Env, obj testenv.Object) {
		e.Aiven.Service(e.Project, "spare")
		obj.(*v1alpha1.ServiceIntegration).Spec.SourceServiceName = "spare"
	},
	"UpgradePipelineStep": func(e *testenv.Env, obj testenv.Object) {
		e.Aiven.Service(production, "spare")
		obj.(*v1alpha1.UpgradePipelineStep).Spec.DestinationServiceName = "spare"
	},
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
	for _, k := range allKinds {
		if !isRule(k) {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			s := newCase(t, k, atOnce, false)
			require.Contains(t, neighbours, k.name)
			neighbour := s.Example(k.example)
			neighbours[k.name](s.Env, neighbour)
			neighbour.SetAnnotations(map[string]string{deletionPolicy: "Orphan"})
			s.Create(neighbour)
			s.Wait(neighbour, testenv.Ready())
			s.Delete(neighbour)
			s.WaitGone(neighbour)
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
