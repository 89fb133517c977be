package conformance_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

const expiring = "CredentialsExpiring"

// fields are what the console of the local Aiven sets of a service.
type fields = map[string]any

// second is a time as the cluster stores it.
func second(t time.Time) *metav1.Time { return &metav1.Time{Time: t.UTC().Truncate(time.Second)} }

// sameTime reports whether two times are the same second, or both none.
func sameTime(a, b *metav1.Time) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Unix() == b.Unix()
}

func TestNoticesOfAServiceAreShownWhileAivenHasThem(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"PostgreSQL"}})
	pg := e.Example("postgresql").(*v1alpha1.PostgreSQL)
	e.Create(pg)
	e.Wait(pg, testenv.Ready(), testenv.Phase(v1alpha1.PhaseRunning))
	await := func(what string, holds func(v1alpha1.ServiceNotices) bool) {
		e.Until(func() bool { e.Get(pg); return holds(pg.Status.ServiceNotices) }, func() string {
			return fmt.Sprintf("%s: %+v", what, pg.Status.ServiceNotices)
		})
	}
	await("the version and the first backup", func(n v1alpha1.ServiceNotices) bool {
		return n.Version != "" && n.Backups != nil && n.Backups.Count == 1 && n.Backups.Latest != nil
	})
	assert.Equal(t, "https://console.aiven.io/project/"+e.Project+"/services/"+pg.Name, pg.Status.ConsoleURL)
	assert.Nil(t, pg.Status.Maintenance)
	assert.Nil(t, pg.Status.EndOfLife)
	assert.Nil(t, pg.Status.RemovalTime)

	end, latest := time.Now().Add(90*24*time.Hour), time.Now().Add(-time.Hour)
	require.NoError(t, e.Aiven.Patch(e.Project, pg.Name, fields{
		"maintenance_updates": []fields{{"description": "Update of the operating system", "impact": "none", "deadline": "2027-02-01", "start_at": end}},
		"service_notifications": []fields{{"type": "service_end_of_life", "level": "warning", "message": "m", "metadata": fields{
			"service_end_of_life_time": end, "upgrade_to_version": "18", "end_of_life_help_article_url": "https://help.example.org",
		}}},
		"backups": []time.Time{latest.Add(-time.Hour), latest},
	}))
	await("what Aiven announces", func(n v1alpha1.ServiceNotices) bool {
		return n.Maintenance != nil && n.EndOfLife != nil && n.Backups.Count == 2
	})
	assert.True(t, sameTime(second(latest), pg.Status.Backups.Latest))
	assert.True(t, sameTime(second(end), pg.Status.EndOfLife.Time))
	assert.Equal(t, "18", pg.Status.EndOfLife.UpgradeTo)
	update := pg.Status.Maintenance.Pending[0]
	assert.Equal(t, []string{"Update of the operating system", "none", "2027-02-01"}, []string{update.Description, update.Impact, update.Deadline})
	assert.True(t, sameTime(second(end), update.StartAt))

	mark := e.Aiven.Mark()
	require.NoError(t, e.Aiven.Patch(e.Project, pg.Name, fields{"maintenance_updates": []fields{}, "service_notifications": []fields{}}))
	await("what Aiven no longer announces is gone", func(n v1alpha1.ServiceNotices) bool { return n.Maintenance == nil && n.EndOfLife == nil })
	assert.Empty(t, e.Aiven.Writes(mark))

	e.Change(pg, func() { pg.Spec.Powered = ptr.To(false) })
	await("the removal of what is powered off", func(n v1alpha1.ServiceNotices) bool {
		return n.RemovalTime != nil && time.Until(n.RemovalTime.Time) > 179*24*time.Hour
	})
	e.Wait(pg, testenv.Ready())
	e.Change(pg, func() { pg.Spec.Powered = ptr.To(true) })
	await("no removal of what has power", func(n v1alpha1.ServiceNotices) bool { return n.RemovalTime == nil })
}

func TestAnObjectShowsNoNoticesOfAServiceThatItDoesNotOwn(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"PostgreSQL"}})
	pg := e.Example("postgresql").(*v1alpha1.PostgreSQL)
	e.Aiven.Service(e.Project, pg.Name)
	e.Create(pg)
	e.Wait(pg, testenv.Condition("Ready", metav1.ConditionFalse, "AlreadyExists"))
	for _, state := range e.History(pg) {
		assert.Equal(t, v1alpha1.ServiceNotices{}, state.(*v1alpha1.PostgreSQL).Status.ServiceNotices)
		assert.Nil(t, state.GetCommonStatus().Credentials)
	}
	e.Annotate(pg, deletionPolicy, "Orphan")
	e.Annotate(pg, adoptionPolicy, "Adopt")
	e.Wait(pg, testenv.Ready())
	assert.NotEmpty(t, pg.Status.Version)
	assert.NotEmpty(t, pg.Status.ConsoleURL)
}

// kafkaUser is a user of Kafka.
func kafkaUser(e *testenv.Env, name string) *v1alpha1.ServiceUser {
	user := e.Example("serviceuser").(*v1alpha1.ServiceUser)
	user.Name, user.Spec.Username, user.Spec.ServiceName = name, "", kafkaName
	user.Spec.ConnInfoSecretTarget = v1alpha1.ConnInfoSecretTarget{}
	return user
}

func TestTheCertificateOfAUserExpiresOnTimeWithoutAnyEvent(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"ServiceUser"}, Config: func(c *config.Config) {
		testenv.OnlyWatches(c)
		c.ExpiryWarning = time.Hour
	}})
	makeService(e, inKafka)
	user := kafkaUser(e, "orders")
	e.Create(user)
	e.Wait(user, testenv.Ready())
	require.NotNil(t, user.Status.Credentials)
	first := user.Status.Credentials
	assert.Greater(t, time.Until(first.CertificateNotAfter.Time), 300*24*time.Hour)
	assert.NotNil(t, first.PasswordUpdatedAt)
	assert.NotNil(t, first.CANotAfter)
	assert.Nil(t, first.ExpiringCertificateNotAfter)
	assert.Nil(t, testenv.Find(user, expiring))

	until, previous := time.Now().Add(time.Hour+8*time.Second), time.Now().Add(4*time.Second)
	require.NoError(t, e.Aiven.Patch(e.Project, kafkaName, fields{
		"users": []fields{{"username": user.Name, "certificate": fields{"until": until, "previous_until": previous}}},
	}))
	e.Wait(user, testenv.Ready(), testenv.Condition(expiring, metav1.ConditionTrue, "Renewed"))
	assert.True(t, sameTime(second(until), user.Status.Credentials.CertificateNotAfter))
	assert.True(t, sameTime(second(previous), user.Status.Credentials.ExpiringCertificateNotAfter))
	e.Wait(user, testenv.Ready(), testenv.Condition(expiring, metav1.ConditionTrue, "Expiring"))
	now := time.Now()
	assert.False(t, now.Before(second(until.Add(-time.Hour)).Time), "not before its time")
	var seen []string
	for _, state := range e.History(user) {
		reason := ""
		if c := testenv.Find(state, expiring); c != nil {
			reason = c.Reason
		}
		if len(seen) == 0 || seen[len(seen)-1] != reason {
			seen = append(seen, reason)
		}
	}
	assert.Equal(t, []string{"", "Renewed", "", "Expiring"}, seen, "between the end of the old one and the warning there is nothing to do")

	require.NoError(t, e.Aiven.Patch(e.Project, kafkaName, fields{
		"users": []fields{{"username": user.Name, "certificate": fields{"until": time.Now().Add(1000 * time.Hour)}}},
	}))
	e.Until(func() bool { e.Get(user); return testenv.Find(user, expiring) == nil }, func() string { return "the condition stays" })
}

// TestTheRenewalOfACertificateIsAcknowledgedAsAsked has a user, and a service with its administrator.
func TestTheRenewalOfACertificateIsAcknowledgedAsAsked(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"Kafka", "ServiceUser"}})
	user, kafka := kafkaUser(e, "orders"), e.Example("kafka")
	for _, obj := range []testenv.Object{kafka, user} {
		e.Create(obj)
		e.Wait(obj, testenv.Ready())
	}
	until := time.Now().Add(1000 * time.Hour)
	for _, obj := range []testenv.Object{user, kafka} {
		username := user.Name
		if obj == kafka {
			username = "avnadmin"
		}
		mark := e.Aiven.Mark()
		require.NoError(t, e.Aiven.Patch(e.Project, kafkaName, fields{
			"users": []fields{{"username": username, "certificate": fields{"until": until, "previous_until": until}}},
		}))
		e.Wait(obj, testenv.Ready(), testenv.Condition(expiring, metav1.ConditionTrue, "Renewed"))
		e.Annotate(obj, acknowledgeRenewal, "168h")
		e.Rest(5)
		assert.Empty(t, e.Aiven.Writes(mark), "the Secret hasn't had it for a week")
		e.Annotate(obj, acknowledgeRenewal, "0s")
		e.Until(func() bool { e.Get(obj); return obj.GetCommonStatus().Credentials.RenewalAcknowledgedFor != nil }, func() string { return "nothing is acknowledged" })
		assert.True(t, sameTime(second(until), obj.GetCommonStatus().Credentials.RenewalAcknowledgedFor))
		e.Rest(5)
		assert.Equal(t, []string{"ServiceUserCredentialsModify"}, e.Aiven.Writes(mark))
		e.Operator.Restart()
		e.Rest(5)
		assert.Len(t, e.Aiven.Writes(mark), 1, "a restart repeats nothing")
		e.Wait(obj, testenv.Ready())
	}
}

func TestCertificatesOfManyUsersCostNoCall(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"ServiceUser"}})
	makeService(e, inKafka)
	const n = 40
	users := make([]*v1alpha1.ServiceUser, n)
	for i := range users {
		users[i] = kafkaUser(e, fmt.Sprintf("user-%d", i))
		e.Create(users[i])
	}
	for _, user := range users {
		e.Wait(user, testenv.Ready())
	}
	mark, until := e.Aiven.Mark(), time.Now().Add(1000*time.Hour)
	var renewed []fields
	for _, user := range users {
		renewed = append(renewed, fields{"username": user.Name, "certificate": fields{"until": until, "previous_until": until}})
	}
	require.NoError(t, e.Aiven.Patch(e.Project, kafkaName, fields{"users": renewed}))
	for _, user := range users {
		e.Wait(user, testenv.Ready(), testenv.Condition(expiring, metav1.ConditionTrue, "Renewed"))
		assert.True(t, sameTime(second(until), user.Status.Credentials.CertificateNotAfter))
	}
	operations := []string{"ServiceGet", "ProjectKmsGetCA", "UserInfo"}
	// The project is listed at regular times, however long that takes.
	calls := slices.DeleteFunc(e.Aiven.Calls(mark), func(call localaiven.Entry) bool { return call.Operation == "ServiceList" })
	assert.Less(t, len(calls), n, "fewer calls than users: %v", calls)
	perUser := slices.DeleteFunc(calls, func(call localaiven.Entry) bool { return slices.Contains(operations, call.Operation) })
	assert.Empty(t, perUser, "only the polls of the service and its project")
	authorities := slices.DeleteFunc(e.Aiven.Calls(0), func(call localaiven.Entry) bool { return call.Operation != "ProjectKmsGetCA" })
	assert.Len(t, authorities, 1, "the CA is read once for all users")
}

func TestAUserWithoutASecretHasNoDatesOfCredentials(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"ServiceUser"}})
	makeService(e, inKafka)
	user := kafkaUser(e, "orders")
	user.Spec.ConnInfoSecretTargetDisabled = ptr.To(true)
	e.Create(user)
	e.Wait(user, testenv.Ready())
	e.Rest(2)
	for _, state := range e.History(user) {
		assert.Nil(t, state.GetCommonStatus().Credentials)
	}
}

func TestAPoolHasTheDatesOfItsUsersCredentials(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"ConnectionPool"}})
	e.Aiven.Service(e.Project, serviceName)
	makeDatabase(e)
	makeUser(e)
	pool := e.Example("connectionpool").(*v1alpha1.ConnectionPool)
	e.Create(pool)
	e.Wait(pool, testenv.Ready())
	require.NotNil(t, pool.Status.Credentials)
	before := pool.Status.Credentials
	require.NotNil(t, before.PasswordUpdatedAt)
	assert.NotNil(t, before.CANotAfter)
	assert.Nil(t, before.CertificateNotAfter, "PostgreSQL has no client certificates")
}

func TestACertificateOfAServiceThatIsRenewedIsShown(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"Kafka"}})
	kafka := e.Example("kafka").(*v1alpha1.Kafka)
	e.Create(kafka)
	e.Wait(kafka, testenv.Ready())
	require.NotNil(t, kafka.Status.Credentials)
	assert.NotNil(t, kafka.Status.Credentials.CertificateNotAfter)
	until, previous := time.Now().Add(800*24*time.Hour), time.Now().Add(80*24*time.Hour)
	require.NoError(t, e.Aiven.Patch(e.Project, kafka.Name, fields{
		"users": []fields{{"username": "avnadmin", "certificate": fields{"until": until, "previous_until": previous}}},
	}))
	e.Wait(kafka, testenv.Ready(), testenv.Condition(expiring, metav1.ConditionTrue, "Renewed"))
	assert.True(t, sameTime(second(until), kafka.Status.Credentials.CertificateNotAfter))
	assert.True(t, sameTime(second(previous), kafka.Status.Credentials.ExpiringCertificateNotAfter))
}
