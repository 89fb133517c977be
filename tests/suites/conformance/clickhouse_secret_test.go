package conformance_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/tests/harness/testenv"
)

// The keys of a ClickhouseUser's Secret with its password.
var passwordKeys = []string{"PASSWORD", "CLICKHOUSEUSER_PASSWORD"}

// publishedClickhouseUser is a user whose Secret has its password.
func publishedClickhouseUser(t *testing.T) (*testenv.Env, testenv.Object) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"ClickhouseUser", "Clickhouse"}})
	makeService(e, inClickhouse)
	user := e.Example("clickhouseuser")
	e.Create(user)
	e.Wait(user, testenv.Ready())
	return e, user
}

// A dry run is refused where the write would be.
func TestAPasswordIsNotResetWhereTheSecretHasNoRoomForIt(t *testing.T) {
	e, user := publishedClickhouseUser(t)
	mark, secret := e.Aiven.Mark(), e.Secret("my-user-connection")
	e.Change(secret, func() {
		room := corev1.MaxSecretSize - 10
		for _, key := range passwordKeys {
			delete(secret.Data, key)
		}
		for _, value := range secret.Data {
			room -= len(value)
		}
		secret.Data["THEIRS"] = make([]byte, room)
	})
	e.Wait(user, testenv.Condition("Ready", metav1.ConditionUnknown, "ProgressingWithRetry"), testenv.Saying("Ready", "Too long"))
	e.Rest(3)
	assert.Empty(t, e.Aiven.Writes(mark))
	secret = e.Secret("my-user-connection")
	e.Change(secret, func() { delete(secret.Data, "THEIRS") })
	e.Wait(user, testenv.Ready())
	assert.Equal(t, []string{"ServiceClickHousePasswordReset"}, e.Aiven.Writes(mark))
	require.NotEmpty(t, e.Secret("my-user-connection").Data["PASSWORD"])
}

// Each reset takes the password away from the applications that use it.
func TestAnotherWriterOfTheSecretLeadsToOneReset(t *testing.T) {
	e, user := publishedClickhouseUser(t)
	mark := e.Aiven.Mark()
	for range 10 {
		secret := e.Secret("my-user-connection")
		e.Change(secret, func() {
			for _, key := range passwordKeys {
				secret.Data[key] = []byte("of-another-writer")
			}
		})
		e.Until(func() bool {
			return string(e.Secret("my-user-connection").Data["PASSWORD"]) != "of-another-writer"
		}, func() string { return "the password stays overwritten" })
	}
	e.Wait(user, testenv.Ready())
	assert.Equal(t, []string{"ServiceClickHousePasswordReset"}, e.Aiven.Writes(mark))
	e.WaitEvent(user, corev1.EventTypeWarning, "ConnectionDetailsOverwritten")
}
