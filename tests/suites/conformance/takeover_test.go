package conformance_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// schemaApplied is an annotation of aiven-operator, with a hash of the schema that it has applied.
const schemaApplied = "controllers.aiven.io/kafka-schema-applied"

var takeoverRequirements = []requirement{
	{says: "what aiven-operator left is taken over without a call that writes", proves: "W01 W15", check: (*testCase).takesOver},
	{
		says: "what differed when it was taken over is shown, and left alone", proves: "X05 W15", applies: canDrift,
		check: (*testCase).showsInheritedDrift,
	},
}

// leave stops the operator, and makes the object and its Secret what they are where aiven-operator ran.
func (s *testCase) leave() {
	s.T.Helper()
	s.Operator.Stop()
	published := ""
	if s.kind.publishes() {
		published = s.secret().Name
	}
	s.Leave(s.obj, published)
}

func (s *testCase) takesOver() {
	s.begin()
	s.leave()
	s.CatchUp()
	mark, before, seen := s.Aiven.Mark(), map[string][]byte(nil), len(s.History(s.obj))
	if s.kind.publishes() {
		before = s.secret().Data
	}
	s.Operator.Start()
	s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase))
	s.Rest(2)
	assert.Empty(s.T, s.Aiven.Writes(mark))
	if s.kind.publishes() {
		assert.Equal(s.T, before, s.secret().Data)
		assert.NotContains(s.T, s.secret().Annotations, issuedFor, "whose password it is isn't known")
	}
	for _, obj := range s.History(s.obj)[seen:] {
		assert.Equal(s.T, "true", obj.GetAnnotations()[running], "who waits for the annotations never sees it unready")
		assert.NotEmpty(s.T, obj.GetAnnotations()[processed])
		if ready := testenv.Find(obj, "Ready"); ready != nil {
			assert.Equal(s.T, metav1.ConditionTrue, ready.Status, ready.Message)
		}
	}
}

func (s *testCase) showsInheritedDrift() {
	s.begin()
	s.edit()
	s.Wait(s.obj, testenv.Ready())
	s.leave()
	s.kind.drift(s.Env)
	mark := s.Aiven.Mark()
	s.Operator.Start()
	s.Wait(s.obj, testenv.Ready(), testenv.Condition("Drifted", metav1.ConditionTrue, "TakenOver"))
	s.Rest(2)
	assert.Empty(s.T, s.Aiven.Writes(mark))
	assert.False(s.T, s.kind.repaired(s.Env))
}

// The registry may return PROTOBUF in other words than it was given. What aiven-operator has applied is in sync, whatever these are.
func TestW15_ASchemaThatTheRegistryReturnsInOtherWordsIsTakenOver(t *testing.T) {
	const hash = "5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9"
	for says, tc := range map[string]struct {
		unversioned bool // the status has no version
		newer       bool // a producer has registered another version
		drifts      bool
	}{
		"with its version":                      {},
		"with an older version":                 {newer: true},
		"without its version":                   {unversioned: true},
		"without its version, which may be any": {unversioned: true, newer: true, drifts: true},
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			e := withRegistry(t, testenv.Options{})
			e.Operator.Stop()
			obj := message(e, "orders", 1)
			produce(e, obj.Spec.SubjectName, "PROTOBUF", obj.Spec.Schema)
			if tc.newer {
				produce(e, obj.Spec.SubjectName, "PROTOBUF", messageText("orders", 2))
			}
			obj.Spec.Schema = strings.Replace(obj.Spec.Schema, "}", ";}", 1) // an empty statement, which the registry leaves out
			obj.SetFinalizers([]string{finalizer})
			obj.SetAnnotations(map[string]string{processed: "1", running: "true", schemaApplied: hash})
			e.Create(obj)
			e.Leave(obj, "")
			e.Annotate(obj, schemaApplied, hash) // Leave keeps what all kinds have
			if !tc.unversioned {
				leaveVersion(e, obj, schemaAtAiven(e, obj.Spec.SubjectName, 1).Id)
			}
			mark := e.Aiven.Mark()
			e.Operator.Start()
			e.Wait(obj, testenv.Ready(), testenv.Phase(v1alpha1.PhaseReady))
			e.Rest(2)
			e.Get(obj)
			assert.Empty(t, e.Aiven.Writes(mark))
			assert.Equal(t, hash, obj.GetAnnotations()[schemaApplied])
			if tc.drifts {
				e.Wait(obj, testenv.Condition("Drifted", metav1.ConditionTrue, "TakenOver"))
				return
			}
			assert.Empty(t, obj.Status.Drift)
			require.NotNil(t, obj.Status.Version)
			assert.Equal(t, 1, *obj.Status.Version)
		})
	}
}

// leaveVersion writes into the status what aiven-operator has registered: version 1, with an id.
func leaveVersion(e *testenv.Env, obj *v1alpha1.KafkaSchema, id int) {
	e.T.Helper()
	patch := client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"status": {"id": %d, "version": 1}}`, id))
	require.NoError(e.T, e.Client.Status().Patch(e.T.Context(), obj, patch, client.FieldOwner("manager")))
}
