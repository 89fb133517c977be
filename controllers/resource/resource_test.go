package resource

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	avngen "github.com/aiven/go-client-codegen"
	avnservice "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/status"
)

const (
	lookup = "GET service/my-pg"
	create = `POST service/my-pg/user {"username":"app"}`
	reset  = `PUT service/my-pg/user/app {"operation":"reset-credentials"}`
	remove = "DELETE service/my-pg/user/app"
)

type user = *v1alpha1.ServiceUser

// definition is a kind that lives in PostgreSQL, and wants a certain password.
func definition() Definition[user, aiven.User] {
	return Definition[user, aiven.User]{
		Object: &v1alpha1.ServiceUser{},
		Place:  InService("pg", "mysql"),
		Identity: func(obj user) controllers.Identity {
			return controllers.Identity{Entry: aiven.UserEntry(obj.GetUsername())}
		},
		Find: func(_ context.Context, s Scope, obj user) (*aiven.User, error) {
			if obj.Spec.Username == "broken" {
				return nil, errors.New("not known")
			}
			if found, ok := s.Service.User(obj.GetUsername()); ok {
				return &found, nil
			}
			return nil, nil
		},
		Diff: func(_ Scope, _ user, found *aiven.User) controllers.Diff {
			var diff controllers.Diff
			if found.Password != "wanted" {
				diff.Add("spec.password", "(secret)", "(secret)")
			}
			return diff
		},
		Create: func(ctx context.Context, s Scope, obj user) (*aiven.User, error) {
			in := &avnservice.ServiceUserCreateIn{Username: obj.GetUsername()}
			_, err := s.Client.API().ServiceUserCreate(ctx, s.Project, s.ServiceName, in)
			return nil, err
		},
		Update: func(ctx context.Context, s Scope, obj user, _ *aiven.User, _ controllers.Diff) (*aiven.User, error) {
			in := &avnservice.ServiceUserCredentialsModifyIn{Operation: "reset-credentials"}
			_, err := s.Client.API().ServiceUserCredentialsModify(ctx, s.Project, s.ServiceName, obj.GetUsername(), in)
			return nil, err
		},
		Delete: func(ctx context.Context, s Scope, obj user, _ *aiven.User) error {
			return s.Client.API().ServiceUserDelete(ctx, s.Project, s.ServiceName, obj.GetUsername())
		},
		Details: func(_ context.Context, _ Scope, _ user, found *aiven.User) (connection.Info, error) {
			layout := connection.Layout{Prefixed: map[string]connection.Value{"PASSWORD": connection.Password}}
			return connection.Info{Password: found.Password, Layout: layout}, nil
		},
	}
}

func object() user {
	obj := &v1alpha1.ServiceUser{ObjectMeta: metav1.ObjectMeta{Namespace: aiventest.Namespace, Name: "app"}}
	obj.Spec.Project, obj.Spec.ServiceName = aiventest.Project, "my-pg"
	return obj
}

// with is a service that has the user, with a password.
func with(password string) aiventest.Answer {
	return aiventest.Service(aiventest.Object{
		"users": []any{aiventest.Object{"username": "app", "type": "normal", "password": password}},
	})
}

func in(state string) []status.Service {
	operational := state == "RUNNING" || state == "REBALANCING"
	return []status.Service{{Name: "demo/my-pg", Exists: true, Usable: operational, Off: state == "POWEROFF", State: state}}
}

func TestObserve(t *testing.T) {
	for name, tc := range map[string]struct {
		username string
		read     aiventest.Answer
		service  []status.Service
		remote   status.Remote
		drifted  bool
		class    fault.Class
	}{
		"in sync":                     {read: with("wanted"), service: in("RUNNING"), remote: status.Remote{Exists: true, Active: true}},
		"different":                   {read: with("other"), service: in("RUNNING"), remote: status.Remote{Exists: true, Active: true}, drifted: true},
		"not there":                   {read: aiventest.Service(nil), service: in("RUNNING")},
		"in a service that moves":     {read: aiventest.Service(aiventest.Object{"state": "REBALANCING"}), service: in("REBALANCING")},
		"in a service under way":      {read: aiventest.Service(aiventest.Object{"state": "REBUILDING"}), service: in("REBUILDING")},
		"in a service that is off":    {read: aiventest.Service(aiventest.Object{"state": "POWEROFF"}), service: in("POWEROFF")},
		"in no service":               {read: aiventest.Missing(), service: []status.Service{{Name: "demo/my-pg"}}},
		"Aiven fails":                 {read: aiventest.Refused(503, "oops"), service: []status.Service{{Name: "demo/my-pg"}}, class: fault.Server},
		"in a service of other type":  {read: aiventest.Service(aiventest.Object{"service_type": "kafka"}), service: in("RUNNING"), class: fault.Invalid},
		"the resource can't be found": {username: "broken", read: with("wanted"), service: in("RUNNING"), class: fault.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, tc.read)
			obj := object()
			obj.Spec.Username = tc.username
			o, err := definition().Kind().New(controllers.Env{Client: a.Client()}).Observe(t.Context(), obj)
			if tc.class != "" {
				assert.Equal(t, tc.class, fault.Of(err).Class)
			} else {
				require.NoError(t, err)
			}
			assert.Equal(t, tc.service, o.Services)
			assert.Equal(t, tc.remote, o.Remote)
			assert.Equal(t, tc.drifted, len(o.Diff) > 0)
			assert.Equal(t, tc.remote.Exists, !o.Details.Empty())
			assert.Equal(t, []string{lookup}, a.Calls(), "an observation costs one call")
		})
	}
}

func TestWrite(t *testing.T) {
	waiting := func(doing string) status.Remote {
		return status.Remote{Exists: true, Reason: doing, Message: "Waiting for Aiven to show what was written"}
	}
	for name, tc := range map[string]struct {
		before, after aiventest.Answer
		answer        aiventest.Answer
		update        error // of the kind's Update, which makes no call then
		remote        status.Remote
		class         fault.Class
		calls         []string
	}{
		"created": {
			before: aiventest.Service(nil), after: with("wanted"), remote: status.Remote{Exists: true, Active: true},
			calls: []string{lookup, create, lookup},
		},
		"created, and not shown yet": {
			before: aiventest.Service(nil), after: aiventest.Service(nil), remote: waiting("Creating"),
			calls: []string{lookup, create, lookup},
		},
		"created, and Aiven can't be asked": {
			before: aiventest.Service(nil), after: aiventest.Refused(500, "oops"), remote: waiting("Creating"),
			calls: []string{lookup, create, lookup},
		},
		"created, and the service went off": {
			before: aiventest.Service(nil), after: aiventest.Service(aiventest.Object{"state": "POWEROFF"}),
			remote: waiting("Creating"), calls: []string{lookup, create, lookup},
		},
		"not created": {
			before: aiventest.Service(nil), answer: aiventest.Refused(409, "User already exists"), class: fault.Exists,
			calls: []string{lookup, create},
		},
		"updated": {
			before: with("other"), after: with("wanted"), remote: status.Remote{Exists: true, Active: true},
			calls: []string{lookup, reset, lookup},
		},
		"updated, and Aiven still shows the old": {
			before: with("other"), after: with("other"), remote: waiting("Updating"), calls: []string{lookup, reset, lookup},
		},
		"nothing to change": {
			before: with("other"), after: with("wanted"), remote: status.Remote{Exists: true, Active: true},
			update: avngen.Error{OperationID: "ServiceIntegrationUpdate", Status: 400, Message: "Service integration user config not changed"},
			calls:  []string{lookup, lookup},
		},
		"not updated": {
			before: with("other"), answer: aiventest.Refused(400, "bad"), class: fault.Rejected, calls: []string{lookup, reset},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, tc.before, tc.after)
			for _, route := range []string{"POST service/my-pg/user", "PUT service/my-pg/user/app"} {
				a.On(route, tc.answer)
				if tc.class == "" {
					a.On(route, aiventest.OK(aiventest.Object{"user": aiventest.Object{}, "service": aiventest.ServiceFields(nil)}))
				}
			}
			obj, d := object(), definition()
			if tc.update != nil {
				d.Update = func(context.Context, Scope, user, *aiven.User, controllers.Diff) (*aiven.User, error) {
					return nil, tc.update
				}
			}
			c := d.Kind().New(controllers.Env{Client: a.Client()})
			o, err := c.Observe(t.Context(), obj)
			require.NoError(t, err)
			if o.Remote.Exists {
				o, err = c.Update(t.Context(), obj, o)
			} else {
				o, err = c.Create(t.Context(), obj)
			}
			if tc.class != "" {
				assert.Equal(t, tc.class, fault.Of(err).Class)
			} else {
				require.NoError(t, err)
				assert.Equal(t, tc.remote.Active, !o.Details.Empty(), "what isn't shown yet isn't published")
			}
			assert.Equal(t, tc.remote, o.Remote)
			assert.Equal(t, tc.calls, a.Calls())
		})
	}
}

// What Aiven shows late is neither made nor changed a second time.
func TestP11_AReadThatLagsBehindAWriteLeadsToNoOtherWrite(t *testing.T) {
	for name, tc := range map[string]struct {
		shown  aiventest.Answer
		answer aiventest.Answer
		want   controllers.Observation
	}{
		"created": {
			shown: aiventest.Service(nil), answer: aiventest.OK(nil),
			want: controllers.Observation{
				Remote:  status.Remote{Exists: true, Reason: "Creating", Message: "Waiting for Aiven to show what was written"},
				WaitFor: "Waiting for Aiven to show what was written",
			},
		},
		"created perhaps": {
			shown: aiventest.Service(nil), answer: aiventest.Refused(502, "oops"),
			want: controllers.Observation{
				Remote:  status.Remote{Exists: true, Reason: "Creating", Message: "Waiting for Aiven to show what was written"},
				WaitFor: "Waiting for Aiven to show what was written",
			},
		},
		"not created": {shown: aiventest.Service(nil), answer: aiventest.Refused(400, "bad")},
		"updated": {
			shown: with("other"), answer: aiventest.OK(nil),
			want: controllers.Observation{
				Remote:  status.Remote{Exists: true, Reason: "Updating", Message: "Waiting for Aiven to show what was written"},
				WaitFor: "Waiting for Aiven to show what was written",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, tc.shown)
			a.On("POST service/my-pg/user", tc.answer)
			a.On("PUT service/my-pg/user/app", tc.answer)
			env, obj := controllers.Env{Client: a.Client()}, object()
			first := definition().Kind().New(env)
			o, err := first.Observe(t.Context(), obj)
			require.NoError(t, err)
			if o.Remote.Exists {
				_, _ = first.Update(t.Context(), obj, o)
			} else {
				_, _ = first.Create(t.Context(), obj)
			}
			o, err = definition().Kind().New(env).Observe(t.Context(), obj)
			require.NoError(t, err)
			o.Services = nil
			assert.Equal(t, tc.want, o)
		})
	}
}

func TestADifferenceDoesNotHideWhatAivenNeverReturns(t *testing.T) {
	for name, tc := range map[string]struct {
		send []string
		diff int
	}{
		"what differs is passed on":                       {nil, 1},
		"the whole spec is applied if more is to be sent": {[]string{"spec.secretOption"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, with("other"))
			d, passed := definition(), -1
			d.Update = func(_ context.Context, _ Scope, _ user, _ *aiven.User, diff controllers.Diff) (*aiven.User, error) {
				passed = len(diff)
				return nil, nil
			}
			c := d.Kind().New(controllers.Env{Client: a.Client()})
			seen, err := c.Observe(t.Context(), object())
			require.NoError(t, err)
			seen.WriteOnly = tc.send
			_, err = c.Update(t.Context(), object(), seen)
			require.NoError(t, err)
			assert.Equal(t, tc.diff, passed)
		})
	}
}

func TestWhatCannotDifferIsNotUpdated(t *testing.T) {
	a := aiventest.New(t)
	d := definition()
	d.Update, d.Diff, d.Details = nil, nil, nil
	seen := controllers.Observation{Remote: status.Remote{Exists: true, Active: true}}
	o, err := d.Kind().New(controllers.Env{Client: a.Client()}).Update(t.Context(), object(), seen)
	require.NoError(t, err)
	assert.Equal(t, seen, o)
	assert.Empty(t, a.Calls())
}
