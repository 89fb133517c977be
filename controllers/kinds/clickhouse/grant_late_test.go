package clickhouse

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/kinds/clickhouse/internal/lists"
)

// slow keeps back the answer to one write that is already made.
type slow struct {
	*tables
	body string // what the body of the write has
	made func()
	hold chan struct{}
}

func (s *slow) env() controllers.Env {
	env := s.tables.env()
	client, err := aiven.New(aiven.Options{Transport: s, WatchInterval: time.Minute, ReadLag: lag}).ForToken("a-token")
	require.NoError(s.t, err)
	env.Client = client
	return env
}

// RoundTrip implements http.RoundTripper.
func (s *slow) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		body, err = io.ReadAll(req.Body)
		require.NoError(s.t, err)
		req.Body = io.NopCloser(bytes.NewReader(body))
	}
	answer, err := s.tables.RoundTrip(req)
	if strings.Contains(string(body), s.body) {
		s.made()
		<-s.hold
	}
	return answer, err
}

// A sibling's REVOKE takes a GRANT away whose answer comes later than that to the REVOKE, and to the read after it.
func TestAGrantThatWasRevokedBeforeItsAnswerCameIsNotTakenForThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newTables(t)
		x.has("SELECT", "db", nil)
		x.has("INSERT", "db", nil)
		s := &slow{tables: x, body: "GRANT ALTER DELETE", hold: make(chan struct{}), made: func() { x.has("ALTER DELETE", "db", nil) }}
		env := s.env()
		obj, sibling := grantOf([]string{"ALTER DELETE"}, nil), grantOf([]string{"INSERT"}, []string{"SELECT", "INSERT"})
		sibling.UID = "sibling"

		var creates sync.WaitGroup
		creates.Go(func() {
			_, err := apply(t, env, obj)
			assert.NoError(t, err)
		})
		synctest.Wait()
		_, err := apply(t, env, sibling) // revokes SELECT
		require.NoError(t, err)
		x.rows["grants"] = [][]any{{"app", nil, "INSERT", "db", nil, nil, 0, 0}} // which has cut the other one, too
		env.Client.InvalidateList(lists.Key(&obj.Spec.ServiceDependant, lists.Grants))
		_, err = Grant.New(env).Observe(t.Context(), sibling) // reads what is left
		require.NoError(t, err)
		close(s.hold)
		creates.Wait()

		<-time.After(lag)
		o, err := Grant.New(env).Observe(t.Context(), obj) // which the REVOKE has enqueued
		require.NoError(t, err)
		assert.False(t, o.Remote.Exists && len(o.Diff) == 0, "it has nothing")
	})
}

func TestAGrantToANewUserOutlivesTheAnswerToItsCreation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newTables(t)
		x.users = []string{"other"}
		x.On(userCreate, madeUser("app", "password"))
		s := &slow{tables: x, body: `"name":"app"`, hold: make(chan struct{}), made: func() { x.users = append(x.users, "app") }}
		env, obj := s.env(), grantOf([]string{"SELECT"}, nil)
		var creates sync.WaitGroup
		creates.Go(func() {
			_, err := settle(t.Context(), User, env.Client, clickhouseUser("app"))
			assert.NoError(t, err)
		})
		synctest.Wait()
		env.Client.InvalidateList(lists.Key(&obj.Spec.ServiceDependant, lists.Users))
		_, err := apply(t, env, obj)
		require.NoError(t, err)
		x.has("SELECT", "db", nil)
		close(s.hold)
		creates.Wait()

		x.statements = nil
		x.On(services, aiventest.OK(aiventest.Object{"services": []any{clickhouseFields(nil)}}))
		require.NoError(t, revokeAll(t, env, obj))
		assert.Equal(t, []string{revokeSelect}, x.statements)
	})
}
