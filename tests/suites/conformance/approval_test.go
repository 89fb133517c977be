package conformance_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

const (
	changePolicy    = "controllers.aiven.io/change-policy"
	approvedChanges = "controllers.aiven.io/approved-changes"
	anotherHash     = "0123456789abcdef0123456789abcdef01234567"
)

// Kinds whose spec can't be changed have nothing that waits: Aiven creates and deletes what they manage, and no more.
var approvalRequirements = []requirement{
	{
		says: "a change that is held waits for approval of exactly it", proves: "P11 P12", applies: canChange, options: atOnce,
		check: (*testCase).awaitsApproval,
	},
}

func (s *testCase) awaitsApproval() {
	s.begin()
	s.Annotate(s.obj, changePolicy, "HoldAll")
	mark := s.Aiven.Mark()
	s.edit()
	s.waitForApproval()
	hash := s.obj.GetCommonStatus().PendingChanges.Hash
	s.Annotate(s.obj, approvedChanges, anotherHash)
	request(s.Env, s.obj, "now")
	s.waitForApproval()
	assert.Equal(s.T, hash, s.obj.GetCommonStatus().PendingChanges.Hash, "the same changes have the same hash")
	assert.Empty(s.T, s.Aiven.Writes(mark))

	s.Annotate(s.obj, approvedChanges, hash)
	s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase))
	assert.Equal(s.T, s.kind.updates(), s.Aiven.Writes(mark))
	assert.Nil(s.T, s.obj.GetCommonStatus().PendingChanges)
	assert.Nil(s.T, testenv.Find(s.obj, "ChangesPending"))
	if s.kind.drift == nil {
		return
	}
	s.kind.drift(s.Env)
	s.Annotate(s.obj, requested, "later")
	s.Until(func() bool { return s.kind.repaired(s.Env) }, func() string { return "what was accepted before isn't corrected" })
}

// waitForApproval is until the present spec waits.
func (s *testCase) waitForApproval() {
	s.T.Helper()
	s.Wait(s.obj, testenv.Condition("Ready", metav1.ConditionUnknown, "AwaitingApproval"),
		testenv.Condition("ChangesPending", metav1.ConditionTrue, "AwaitingApproval"))
	require.NotEmpty(s.T, s.obj.GetCommonStatus().PendingChanges.Changes)
}

// The real requests, of which one may hold the whole spec.
func TestWhatDisturbsNoClientIsSentWithoutTheRest(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		kinds  []string
		change func(obj testenv.Object)
		held   []string
		shows  func(e *testenv.Env, approved bool)
	}{
		"postgresql": {[]string{"PostgreSQL"}, func(obj testenv.Object) {
			pg := obj.(*v1alpha1.PostgreSQL)
			pg.Spec.Plan, pg.Spec.MaintenanceWindowDow = "business-8", "sunday"
			pg.Spec.UserConfig.Pg.IdleInTransactionSessionTimeout = new(600000)
		}, []string{"spec.plan"}, func(e *testenv.Env, approved bool) {
			out, err := e.Aiven.Console.ServiceGet(t.Context(), e.Project, serviceName)
			require.NoError(e.T, err)
			pg, _ := out.UserConfig["pg"].(map[string]any)
			assert.EqualValues(e.T, 600000, pg["idle_in_transaction_session_timeout"])
			assert.EqualValues(e.T, "sunday", out.Maintenance.Dow)
			assert.Equal(e.T, approved, out.Plan == "business-8")
		}},
		"kafkatopic": {[]string{"KafkaTopic", "Kafka"}, func(obj testenv.Object) {
			topic := obj.(*v1alpha1.KafkaTopic)
			topic.Spec.Partitions += 2
			topic.Spec.Config.FlushMs = new(60000)
		}, []string{"spec.partitions"}, func(e *testenv.Env, approved bool) {
			out, err := e.Aiven.Console.ServiceKafkaTopicGet(t.Context(), e.Project, kafkaName, topicName)
			require.NoError(e.T, err)
			assert.EqualValues(e.T, 60000, out.Config.FlushMs.Value)
			example := e.Example("kafkatopic").(*v1alpha1.KafkaTopic).Spec.Partitions
			assert.Equal(e.T, approved, len(out.Partitions) == example+2)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := testenv.New(t, testenv.Options{Kinds: tc.kinds})
			if name == "kafkatopic" {
				makeService(e, inKafka)
			}
			obj := e.Example(name)
			obj.SetAnnotations(map[string]string{changePolicy: "HoldDisruptive"})
			e.Create(obj)
			e.Wait(obj, testenv.Ready())
			e.Change(obj, func() { tc.change(obj) })
			e.Wait(obj, testenv.Condition("Ready", metav1.ConditionUnknown, "AwaitingApproval"))
			var held []string
			for _, change := range obj.GetCommonStatus().PendingChanges.Changes {
				held = append(held, change.Path)
			}
			assert.Equal(t, tc.held, held)
			tc.shows(e, false)
			e.Annotate(obj, approvedChanges, obj.GetCommonStatus().PendingChanges.Hash)
			e.Wait(obj, testenv.Ready())
			tc.shows(e, true)
		})
	}
}

func TestApprovingNeedsAPermissionOfItsOwn(t *testing.T) {
	t.Parallel()
	e := idle(t)
	approves := rbacv1.PolicyRule{APIGroups: []string{"aiven.io"}, Resources: []string{"databases"}, Verbs: []string{"approve"}}
	team, approver := e.As("team", edits), e.As("approver", edits, approves)
	patch := func(key, value string) client.Patch {
		if value != "null" {
			value = `"` + value + `"`
		}
		return client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"annotations":{"`+key+`":`+value+`}}}`))
	}
	for name, tc := range map[string]struct {
		before, after, key string
		free               bool
	}{
		"approving":              {"", anotherHash, approvedChanges, false},
		"another approval":       {anotherHash, "1" + anotherHash[1:], approvedChanges, false},
		"taking it back":         {anotherHash, "null", approvedChanges, true},
		"holding all":            {"", "HoldAll", changePolicy, true},
		"holding all from now":   {"Auto", "HoldAll", changePolicy, true},
		"holding less":           {"HoldAll", "HoldDisruptive", changePolicy, false},
		"holding nothing":        {"HoldAll", "Auto", changePolicy, false},
		"overriding a Namespace": {"", "Auto", changePolicy, false},
		"leaving it to that":     {"HoldAll", "null", changePolicy, false},
		"handing it over":        {"", "other/db", transferTo, true},
	} {
		t.Run(name, func(t *testing.T) {
			obj := annotated(e)
			if tc.before != "" {
				obj = annotated(e, tc.key, tc.before)
			}
			require.NoError(t, approver.Create(t.Context(), obj))
			err := team.Patch(t.Context(), obj, patch(tc.key, tc.after))
			if tc.free {
				require.NoError(t, err)
			} else {
				require.True(t, apierrors.IsForbidden(err), "%v", err)
				require.ErrorContains(t, err, "a role with the verb approve for databases.aiven.io")
				require.NoError(t, approver.Patch(t.Context(), obj, patch(tc.key, tc.after)))
			}
			require.NoError(t, team.Patch(t.Context(), obj, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"labels":{"a":"b"}}}`))))
			require.NoError(t, team.Delete(t.Context(), obj))
		})
	}
	// Another object may have another policy.
	held := annotated(e, changePolicy, "HoldAll")
	require.NoError(t, team.Create(t.Context(), held))
	err := team.Patch(t.Context(), held, patch(transferTo, "other/db"))
	require.True(t, apierrors.IsForbidden(err), "%v", err)
	require.ErrorContains(t, err, "that needs a role with the verb approve for databases.aiven.io")
	require.NoError(t, approver.Patch(t.Context(), held, patch(transferTo, "other/db")))
	require.NoError(t, team.Delete(t.Context(), held))
	free := annotated(e)
	require.NoError(t, team.Create(t.Context(), free))
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: e.Namespace}}
	require.NoError(t, e.Client.Patch(t.Context(), namespace, patch(changePolicy, "HoldDisruptive")))
	e.Until(func() bool { // the API server has read the Namespace again
		return apierrors.IsForbidden(team.Patch(t.Context(), free, patch(transferTo, "other/db"), client.DryRunAll))
	}, func() string { return "the policy of the Namespace doesn't count" })

	assert.True(t, apierrors.IsForbidden(team.Create(t.Context(), annotated(e, approvedChanges, anotherHash))))
	assert.True(t, apierrors.IsForbidden(team.Create(t.Context(), annotated(e, changePolicy, "Auto"))))
}
