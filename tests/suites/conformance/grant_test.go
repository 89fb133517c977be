package conformance_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aiven/go-client-codegen/handler/clickhouse"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

// grantCase is a ClickHouse service with the database and the user of the example.
func grantCase(t *testing.T, o testenv.Options, kinds ...string) (*testenv.Env, *v1alpha1.ClickhouseGrant) {
	o.Kinds = slices.Concat(kinds, []string{"ClickhouseGrant", "Clickhouse"})
	e := testenv.New(t, o)
	makeService(e, inClickhouse)
	makeGrantee(e)
	return e, e.Example("clickhousegrant").(*v1alpha1.ClickhouseGrant)
}

// untilGranted waits for what the user of the example has been granted.
func untilGranted(e *testenv.Env, want ...string) {
	e.T.Helper()
	e.Until(func() bool { return assert.ObjectsAreEqual(append([]string{}, want...), grantsOf(e, clickhouseUser)) },
		func() string { return "the user doesn't have what it should" })
}

const (
	both     = "GRANT SELECT, INSERT ON `my-database`.* TO `my-user`"
	selects  = "GRANT SELECT ON `my-database`.* TO `my-user`"
	ofTable  = "GRANT SELECT ON `my-database`.t TO `my-user`"
	anAnswer = "ServiceClickHouseQuery"
)

func TestAPrivilegeStaysForAsLongAsOneObjectWantsIt(t *testing.T) {
	t.Parallel()
	e, first := grantCase(t, testenv.Options{Second: true, Config: testenv.OnlyWatches})
	e.Create(first)
	e.Wait(first, testenv.Ready())
	e.Create(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: e.Second, Name: testenv.TokenSecret}, StringData: map[string]string{testenv.TokenKey: e.Token},
	})
	second := e.Example("clickhousegrant").(*v1alpha1.ClickhouseGrant)
	second.Namespace, second.Spec.PrivilegeGrants[0].Privileges = e.Second, []string{"SELECT"}
	e.Create(second)
	e.Wait(second, testenv.Ready())
	mark := e.Aiven.Mark()
	e.Delete(first)
	e.WaitGone(first)
	untilGranted(e, selects)
	assert.Equal(t, []string{anAnswer}, e.Aiven.Writes(mark), "SELECT isn't touched")
	e.Delete(second)
	e.WaitGone(second)
	untilGranted(e)
}

func TestWhatAnotherObjectKeptIsRevokedOnceItDoesNot(t *testing.T) {
	t.Parallel()
	e, first := grantCase(t, testenv.Options{Config: testenv.OnlyWatches})
	second := e.Example("clickhousegrant").(*v1alpha1.ClickhouseGrant)
	second.Name = "second"
	for _, obj := range []*v1alpha1.ClickhouseGrant{first, second} {
		e.Create(obj)
		e.Wait(obj, testenv.Ready())
	}
	e.Change(first, func() { first.Spec.PrivilegeGrants[0].Privileges = []string{"SELECT"} })
	e.Wait(first, testenv.Ready())
	untilGranted(e, both)
	e.Delete(second)
	e.WaitGone(second)
	untilGranted(e, selects)
	e.Until(func() bool { e.Get(first); return len(first.Status.State.PrivilegeGrants) == 1 },
		func() string { return "the status still has what was revoked" })
}

func TestARevokeLeavesNoHole(t *testing.T) {
	t.Parallel()
	e, obj := grantCase(t, testenv.Options{})
	database := &obj.Spec.PrivilegeGrants[0]
	database.Privileges = []string{"SELECT"}
	table := *database.DeepCopy()
	table.Table = "t"
	obj.Spec.PrivilegeGrants = append(obj.Spec.PrivilegeGrants, table)
	e.Create(obj)
	e.Wait(obj, testenv.Ready())
	untilGranted(e, selects)
	mark := e.Aiven.Mark()
	e.Change(obj, func() { obj.Spec.PrivilegeGrants = obj.Spec.PrivilegeGrants[:1] })
	e.Wait(obj, testenv.Ready())
	e.Rest(2)
	assert.Empty(t, e.Aiven.Writes(mark))
	untilGranted(e, selects)
	e.Change(obj, func() { obj.Spec.PrivilegeGrants = []v1alpha1.ClickhousePrivilegeGrant{table} })
	e.Wait(obj, testenv.Ready())
	untilGranted(e, ofTable)
}

func TestAPartialRevokeAtTheConsoleIsFilled(t *testing.T) {
	t.Parallel()
	e, obj := grantCase(t, testenv.Options{})
	e.Create(obj)
	e.Wait(obj, testenv.Ready())
	require.NoError(t, clickhouseQuery(e, "REVOKE SELECT ON `my-database`.t FROM `my-user`"))
	untilGranted(e, both)
}

func TestNamesOfPrivilegesMayBeAliasesInSmallLetters(t *testing.T) {
	t.Parallel()
	e, obj := grantCase(t, testenv.Options{})
	obj.Spec.PrivilegeGrants[0].Privileges = []string{"delete", "all"}
	e.Create(obj)
	e.Wait(obj, testenv.Ready())
	mark := e.Aiven.Mark()
	e.Rest(3)
	assert.Empty(t, e.Aiven.Writes(mark))
}

func TestWhatWasGrantedAtTheConsoleStays(t *testing.T) {
	t.Parallel()
	e, obj := grantCase(t, testenv.Options{})
	require.NoError(t, clickhouseQuery(e, "GRANT ALTER ON *.* TO `my-user`"))
	require.NoError(t, clickhouseQuery(e, "GRANT SELECT ON default.* TO `my-user`"))
	obj.Spec.PrivilegeGrants[0].Privileges = []string{"SELECT", "ALTER DELETE"}
	e.Create(obj)
	e.Wait(obj, testenv.Ready())
	e.Delete(obj)
	e.WaitGone(obj)
	untilGranted(e, "GRANT ALTER ON *.* TO `my-user`", "GRANT SELECT ON default.* TO `my-user`")
}

// The answer to the GRANT is lost with the process, and before the next one starts, the spec drops the privilege.
func TestWhatAKilledOperatorHasGrantedIsRevokedOnceTheSpecDropsIt(t *testing.T) {
	t.Parallel()
	e, obj := grantCase(t, testenv.Options{})
	e.Aiven.FailWrites(anAnswer, localaiven.Effect{Hold: localaiven.AfterApply}, 1)
	e.Create(obj)
	e.Until(func() bool { return e.Aiven.Faults()[0].Held }, func() string { return "no statement was held" })
	e.Operator.Stop()
	e.Aiven.RemoveFaults()
	untilGranted(e, both)
	e.Change(obj, func() { obj.Spec.PrivilegeGrants[0].Privileges = []string{"SELECT"} })
	e.Operator.Start()
	e.Wait(obj, testenv.Ready())
	untilGranted(e, selects)
}

func TestARoleThatIsDroppedComesBackWithItsGrants(t *testing.T) {
	t.Parallel()
	e, obj := grantCase(t, testenv.Options{}, "ClickhouseRole")
	role := e.Example("clickhouserole")
	obj.Spec.PrivilegeGrants[0].Grantees = []v1alpha1.ClickhouseGrantee{{Role: clickhouseRole}}
	obj.Spec.RoleGrants = []v1alpha1.ClickhouseRoleGrant{{
		Grantees: []v1alpha1.ClickhouseGrantee{{User: clickhouseUser}}, Roles: []string{clickhouseRole},
	}}
	e.Create(obj)
	e.Wait(obj, testenv.Saying("Ready", "role my-role"))
	e.Create(role)
	e.Wait(obj, testenv.Ready())
	granted := []string{"GRANT `my-role` TO `my-user`"}
	untilGranted(e, granted...)
	require.NoError(t, clickhouseQuery(e, "DROP ROLE `my-role`"))
	e.Wait(role, testenv.Ready())
	e.Until(func() bool { return e.Aiven.Has("clickhouse_grant", e.Project+"/my-clickhouse/role/my-role") },
		func() string { return "the role has no grants" })
	untilGranted(e, granted...)
	waitCorrected(e, obj)
	e.Delete(obj)
	e.WaitGone(obj)
	untilGranted(e)
}

// waitCorrected waits until the grants of an object, all of which were gone, were granted again as drift: nothing was deleted.
func waitCorrected(e *testenv.Env, obj testenv.Object) {
	e.T.Helper()
	e.Until(func() bool {
		return slices.ContainsFunc(e.Events(obj), func(event eventsv1.Event) bool {
			return event.Type == corev1.EventTypeNormal && strings.HasPrefix(event.Note, "Corrected drift at Aiven: ")
		})
	}, func() string { return "no event says that drift was corrected" })
	for _, event := range e.Events(obj) {
		assert.NotEqual(e.T, "RemoteResourceMissing", event.Reason)
	}
}

// What is revoked enqueues the object at once, wherever in the chain it is.
func TestARoleIsGrantedAsSoonAsNoOtherObjectMakesACircleOfIt(t *testing.T) {
	t.Parallel()
	e, obj := grantCase(t, testenv.Options{Config: testenv.OnlyWatches})
	first, second := otherGrant(e), e.Example("clickhousegrant")
	second.SetName("second")
	roleGrants([2]string{"low", "middle"})(e, first)
	roleGrants([2]string{"middle", "high"})(e, second)
	roleGrants([2]string{"high", "low"})(e, obj)
	for _, other := range []testenv.Object{first, second} {
		e.Create(other)
		e.Wait(other, testenv.Ready())
	}
	e.Create(obj)
	e.Wait(obj, isInvalid("spec.roleGrants[0]: role high can't be granted to role low")...)
	for _, other := range []testenv.Object{first, second} {
		request(e, other, "now")
		e.Wait(other, testenv.Ready())
	}
	e.Delete(second)
	e.WaitGone(second)
	e.Wait(obj, testenv.Ready())
	assert.Equal(t, []string{"GRANT high TO low"}, grantsOf(e, "low"))
	e.Delete(obj)
	e.WaitGone(obj)
}

// The user is waited for, and its creation enqueues the object at once.
func TestGrantsOfAUserThatComesLaterAreMadeAtOnce(t *testing.T) {
	t.Parallel()
	e, obj := grantCase(t, testenv.Options{Config: testenv.OnlyWatches}, "ClickhouseUser", "ClickhouseDatabase")
	obj.Spec.PrivilegeGrants[0].Grantees = append(obj.Spec.PrivilegeGrants[0].Grantees, v1alpha1.ClickhouseGrantee{User: "late"})
	e.Create(obj)
	e.Wait(obj, testenv.Condition("Ready", metav1.ConditionUnknown, "Progressing"), testenv.Saying("Ready", "user late"))
	untilGranted(e, both)
	user := e.Example("clickhouseuser")
	user.SetName("late")
	user.(*v1alpha1.ClickhouseUser).Spec.ConnInfoSecretTarget.Name = "late"
	e.Create(user)
	e.Wait(obj, testenv.Ready())
	assert.Equal(t, []string{"GRANT SELECT, INSERT ON `my-database`.* TO late"}, grantsOf(e, "late"))
}

func TestNamesWithEverythingInThemAreGranted(t *testing.T) {
	t.Parallel()
	e, obj := grantCase(t, testenv.Options{})
	require.NoError(t, clickhouseQuery(e, "CREATE ROLE `o\\`d\\\\d 🙂 TO x`"))
	obj.Spec.PrivilegeGrants[0].Grantees = []v1alpha1.ClickhouseGrantee{{Role: `o` + "`" + `d\d 🙂 TO x`}}
	obj.Spec.PrivilegeGrants[0].Table, obj.Spec.PrivilegeGrants[0].Columns = "t`able", []string{"c`1", "c,2"}
	e.Create(obj)
	e.Wait(obj, testenv.Ready())
	mark := e.Aiven.Mark()
	e.Rest(2)
	assert.Empty(t, e.Aiven.Writes(mark))
	e.Delete(obj)
	e.WaitGone(obj)
}

func TestADeletionIsNotHeldUpByARoleOfTheNameOfItsUser(t *testing.T) {
	t.Parallel()
	e, obj := grantCase(t, testenv.Options{})
	e.Create(obj)
	e.Wait(obj, testenv.Ready())
	require.NoError(t, clickhouseQuery(e, "CREATE ROLE `"+clickhouseUser+"`"))
	e.Delete(obj)
	e.WaitGone(obj)
	untilGranted(e)
}

func TestNothingIsRevokedFromAUserInPlaceOfTheRoleOfItsName(t *testing.T) {
	t.Parallel()
	e, obj := grantCase(t, testenv.Options{})
	require.NoError(t, clickhouseQuery(e, "CREATE ROLE `"+clickhouseRole+"`"))
	obj.Spec.PrivilegeGrants[0].Grantees = []v1alpha1.ClickhouseGrantee{{Role: clickhouseRole}}
	e.Create(obj)
	e.Wait(obj, testenv.Ready())
	user, err := e.Aiven.Console.ServiceClickHouseUserCreate(t.Context(), e.Project, clickhouseName, &clickhouse.ServiceClickHouseUserCreateIn{Name: clickhouseRole})
	require.NoError(t, err)
	e.Operator.Restart() // its list of users was read before there was this one
	mark := e.Aiven.Mark()
	e.Delete(obj)
	e.Wait(obj, testenv.Condition("Ready", metav1.ConditionUnknown, "DeletionBlocked"),
		testenv.Saying("Ready", `spec.privilegeGrants: "my-role" is both a user and a role of the service`))
	assert.Empty(t, e.Aiven.Writes(mark))
	require.NoError(t, e.Aiven.Console.ServiceClickHouseUserDelete(t.Context(), e.Project, clickhouseName, user.Uuid))
	e.WaitGone(obj)
	assert.Equal(t, []string{anAnswer}, e.Aiven.Writes(mark))
}
