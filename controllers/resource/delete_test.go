package resource

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	avngen "github.com/aiven/go-client-codegen"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/ownership"
)

func TestDelete(t *testing.T) {
	for name, tc := range map[string]struct {
		answer aiventest.Answer
		class  fault.Class
	}{
		"deleted":                         {answer: aiventest.OK(nil), class: fault.None},
		"gone, alone or with its service": {answer: aiventest.Missing(), class: fault.None},
		"refused":                         {answer: aiventest.Refused(409, "busy"), class: fault.Conflict},
		"Aiven fails":                     {answer: aiventest.Refused(500, "oops"), class: fault.Server},
		"a success that holds an error":   {answer: aiventest.OK(aiventest.Object{"error": "upstream unavailable"}), class: fault.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(remove, tc.answer)
			err := definition().Kind().New(controllers.Env{Client: a.Client()}).Delete(t.Context(), object())
			assert.Equal(t, tc.class, fault.Of(err).Class)
			assert.Equal(t, remove, a.Calls()[0], "a 404 is confirmed by a list of the services")
		})
	}
}

func TestReviewH7_A404InAnUnknownProjectIsNoDeletion(t *testing.T) {
	for name, tc := range map[string]struct {
		services aiventest.Answer
		blocked  bool
		class    fault.Class
	}{
		"the project has the service":  {services: aiventest.OK(aiventest.Object{"services": []any{aiventest.ServiceFields(nil)}}), class: fault.None},
		"the project has no service":   {services: aiventest.OK(aiventest.Object{"services": []any{}}), class: fault.None},
		"Aiven doesn't know it":        {services: aiventest.Refused(404, "Project does not exist"), blocked: true},
		"Aiven fails to list services": {services: aiventest.Refused(503, "try later"), class: fault.Server},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(remove, aiventest.Missing())
			a.On("GET service", tc.services)
			err := definition().Kind().New(controllers.Env{Client: a.Client()}).Delete(t.Context(), object())
			var blocked *deletion.BlockedError
			assert.Equal(t, tc.blocked, errors.As(err, &blocked), "%v", err)
			if !tc.blocked {
				assert.Equal(t, tc.class, fault.Of(err).Class)
			}
		})
	}
}

// outcome of a deletion in a word.
func outcome(err error) string {
	var blocked *deletion.BlockedError
	switch {
	case err == nil:
		return "gone"
	case errors.As(err, &blocked):
		return "blocked"
	case errors.Is(err, deletion.ErrPending):
		return "pending"
	default:
		return "failed"
	}
}

// byID is a kind whose deletion needs an id that Find returns.
func byID() Definition[user, aiven.User] {
	d := definition()
	d.LookupOnDelete = true
	d.Delete = func(ctx context.Context, s Scope, obj user, found *aiven.User) error {
		if found == nil {
			return s.LookupErr
		}
		return s.Client.API().ServiceUserDelete(ctx, s.Project, s.ServiceName, obj.GetUsername())
	}
	return d
}

var (
	listed    = aiventest.OK(aiventest.Object{"services": []any{aiventest.ServiceFields(nil)}})
	notListed = aiventest.OK(aiventest.Object{"services": []any{}})
	unknown   = aiventest.Refused(404, "Project does not exist")
	forbidden = aiventest.Refused(403, "Forbidden")
	down      = aiventest.Refused(503, "try later")
)

func TestReviewH7_ALookupThatFindsNoServiceIsNoDeletionByItself(t *testing.T) {
	for name, tc := range map[string]struct {
		service, services aiventest.Answer
		want              string
	}{
		"the project doesn't list the service": {aiventest.Missing(), notListed, "gone"},
		"the project lists the service":        {aiventest.Missing(), listed, "blocked"},
		"Aiven doesn't know the project":       {aiventest.Missing(), unknown, "blocked"},
		"the token may not list services":      {aiventest.Missing(), forbidden, "blocked"},
		"Aiven fails to list services":         {aiventest.Missing(), down, "failed"},
		"Aiven fails to return the service":    {down, notListed, "failed"},
		"the service is being built":           {aiventest.Service(aiventest.Object{"state": "REBUILDING"}), listed, "blocked"},
		"the service doesn't have it":          {aiventest.Service(nil), listed, "gone"},
		"the service has it":                   {with("x"), listed, "gone"},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, tc.service)
			a.On("GET service", tc.services)
			a.On(remove, aiventest.OK(nil))
			err := byID().Kind().New(controllers.Env{Client: a.Client()}).Delete(t.Context(), object())
			assert.Equal(t, tc.want, outcome(err), "%v", err)
		})
	}
}

func TestWhatIsKnownFromBeforeProvesNoAbsence(t *testing.T) {
	a := aiventest.New(t)
	a.On(lookup, aiventest.Service(nil), with("x"))
	a.On(remove, aiventest.Refused(409, "busy"))
	client, err := aiven.New(aiven.Options{Transport: a, WatchInterval: time.Hour}).ForToken("a-token")
	require.NoError(t, err)
	env := controllers.Env{Client: client}
	_, err = byID().Kind().New(env).Observe(t.Context(), object())
	require.NoError(t, err)
	a.Calls()
	err = byID().Kind().New(env).Delete(t.Context(), object())
	assert.Equal(t, fault.Conflict, fault.Of(err).Class, "it was found by a read that began now")
	assert.Equal(t, []string{lookup, remove}, a.Calls())
}

func TestALookupThatEndsInA404IsNoDeletionByItself(t *testing.T) {
	for name, wrap := range map[string]func(error) error{
		"returned as it is": func(err error) error { return err },
		"wrapped":           func(err error) error { return fmt.Errorf("deleting: %w", err) },
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, aiventest.Service(nil))
			d := byID()
			d.Find = func(context.Context, Scope, user) (*aiven.User, error) {
				return nil, avngen.Error{OperationID: "X", Status: 404, Message: "Organization does not exist"}
			}
			d.Delete = func(_ context.Context, s Scope, _ user, _ *aiven.User) error { return wrap(s.LookupErr) }
			err := d.Kind().New(controllers.Env{Client: a.Client()}).Delete(t.Context(), object())
			assert.Equal(t, "failed", outcome(err))
			assert.ErrorContains(t, err, "Organization does not exist")
		})
	}
}

func TestWhatAivenMayNotShowYetIsNotGone(t *testing.T) {
	a := aiventest.New(t)
	a.On(lookup, aiventest.Service(nil))
	a.On("POST service/my-pg/user", aiventest.OK(nil))
	env := controllers.Env{Client: a.Client()}
	first := byID().Kind().New(env)
	_, err := first.Observe(t.Context(), object())
	require.NoError(t, err)
	_, err = first.Create(t.Context(), object())
	require.NoError(t, err)
	err = byID().Kind().New(env).Delete(t.Context(), object())
	assert.Equal(t, "blocked", outcome(err), "%v", err)
}

func TestA404AfterACreateThatMayStillApplyIsNoDeletion(t *testing.T) {
	for name, tc := range map[string]struct {
		created aiventest.Answer
		want    string
	}{
		"a create whose end isn't known":  {aiventest.Refused(502, "oops"), "blocked"},
		"a create that Aiven has refused": {aiventest.Refused(400, "bad"), "gone"},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, aiventest.Service(nil))
			a.On("POST service/my-pg/user", tc.created)
			a.On(remove, aiventest.Missing())
			env := controllers.Env{Client: a.Client()}
			first := definition().Kind().New(env)
			_, err := first.Observe(t.Context(), object())
			require.NoError(t, err)
			_, err = first.Create(t.Context(), object())
			require.Error(t, err)
			err = definition().Kind().New(env).Delete(t.Context(), object())
			assert.Equal(t, tc.want, outcome(err), "%v", err)
		})
	}
}

func TestA404AfterACreateOfAnotherTokenOrProcessIsNoDeletion(t *testing.T) {
	for name, tc := range map[string]struct {
		restart, attempted bool
		wait               time.Duration
		want               string
	}{
		"another token":                                 {want: "blocked"},
		"another token, after the lag":                  {wait: lag, want: "gone"},
		"another process":                               {restart: true, attempted: true, want: "blocked"},
		"another process, after the lag":                {restart: true, attempted: true, wait: lag, want: "gone"},
		"another process, and no create was ever tried": {restart: true, want: "gone"},
	} {
		t.Run(name, func(t *testing.T) {
			a, now := aiventest.New(t), time.Now()
			a.On(lookup, aiventest.Service(nil))
			a.On("POST service/my-pg/user", aiventest.Refused(502, "oops"))
			a.On(remove, aiventest.Missing())
			options := aiven.Options{Transport: a, ReadLag: lag, Now: func() time.Time { return now }}
			clients, obj := aiven.New(options), object()
			if tc.attempted {
				ownership.Begin(obj, true)
			}
			_, err := createWith(t, clients, "a-token", obj)
			require.Error(t, err)
			if tc.restart {
				clients = aiven.New(options)
			}
			client, err := clients.ForToken("another-token")
			require.NoError(t, err)
			now = now.Add(tc.wait)
			err = definition().Kind().New(controllers.Env{Client: client}).Delete(t.Context(), obj)
			assert.Equal(t, tc.want, outcome(err), "%v", err)
		})
	}
}

// lag is how long reads of Aiven may lag behind writes.
const lag = 10 * time.Second

// createWith observes and creates an object with a token.
func createWith(t *testing.T, clients *aiven.Clients, token string, obj user) (controllers.Observation, error) {
	t.Helper()
	client, err := clients.ForToken(token)
	require.NoError(t, err)
	c := definition().Kind().New(controllers.Env{Client: client})
	_, err = c.Observe(t.Context(), obj)
	require.NoError(t, err)
	return c.Create(t.Context(), obj)
}

func TestA404OutsideOfServicesIsConfirmedByTheOwnList(t *testing.T) {
	for name, tc := range map[string]struct {
		found *aiven.User
		err   error
		want  string
	}{
		"the list doesn't have it":    {want: "gone"},
		"the list has it":             {found: &aiven.User{}, want: "pending"},
		"the list can't be read":      {err: errors.New("oops"), want: "failed"},
		"the project is unknown":      {err: fmt.Errorf("listing: %w", aiven.ErrUnknownProject), want: "blocked"},
		"the scope of the list a 404": {err: avngen.Error{Status: 404, Message: "Organization does not exist"}, want: "failed"},
	} {
		t.Run(name, func(t *testing.T) {
			a, reads := aiventest.New(t), 0
			d := definition()
			list := aiven.ListKey{Organization: "o", Operation: "X"}
			d.Place = InOrganization(func(user) string { return "o" })
			d.Item = func(user) aiven.Item { return aiven.Item{List: list, Key: "app"} }
			d.Delete = func(context.Context, Scope, user, *aiven.User) error {
				return avngen.Error{OperationID: "X", Status: 404, Message: "Step does not exist"}
			}
			d.Find = func(ctx context.Context, s Scope, _ user) (*aiven.User, error) {
				_, err := aiven.List(ctx, s.Client, list, aiven.ListSource[[]string]{
					Read:  func(context.Context) ([]string, error) { reads++; return []string{}, nil },
					Items: aiven.IndexBy(func(name string) string { return name }),
				})
				return tc.found, errors.Join(err, tc.err)
			}
			client, err := aiven.New(aiven.Options{Transport: a, WatchInterval: time.Hour}).ForToken("a-token")
			require.NoError(t, err)
			env := controllers.Env{Client: client}
			_, err = d.Find(t.Context(), Scope{Env: env}, object())
			assert.Equal(t, tc.err != nil, err != nil)
			err = d.Kind().New(env).Delete(t.Context(), object())
			assert.Equal(t, tc.want, outcome(err), "%v", err)
			assert.Equal(t, 2, reads, "the list is read again")
		})
	}
}
