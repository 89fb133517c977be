package controllers_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aiven/go-client-codegen/handler/clickhouse"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/resource"
)

// A kind whose password Aiven returns once, as ClickhouseUser is. A ServiceUser has the fields that it needs.

type chUser = *v1alpha1.ServiceUser

const passwordPath = "spec.connInfoSecretSource"

func chUsers(project, service string) aiven.ListKey {
	return aiven.ListKey{Project: project, Service: service, Operation: "ServiceClickHouseUserList"}
}

func declaredPassword(s resource.Scope) string {
	password, _ := s.Refs.SecretValue("SecretSource")
	return string(password)
}

var chUserKind = chUserDefinition.Kind()

var chUserDefinition = resource.Definition[chUser, clickhouse.UserOut]{
	Object: &v1alpha1.ServiceUser{},
	Place:  resource.InService("clickhouse"),
	Identity: func(obj chUser) controllers.Identity {
		return controllers.Identity{Name: strings.Join([]string{obj.Spec.Project, obj.Spec.ServiceName, obj.GetUsername()}, "/")}
	},
	Item: func(obj chUser) aiven.Item {
		return aiven.Item{List: chUsers(obj.Spec.Project, obj.Spec.ServiceName), Key: obj.GetUsername()}
	},
	References: []reference.Declaration{{
		Name: "SecretSource", Kind: reference.SecretKind, Field: passwordPath,
		Targets: func(obj client.Object) []reference.Target {
			source := obj.(chUser).Spec.ConnInfoSecretSource
			if source == nil {
				return nil
			}
			return []reference.Target{{NamespacedName: types.NamespacedName{Name: source.Name}, Key: source.PasswordKey}}
		},
	}},
	LookupOnDelete: true,
	Find: func(ctx context.Context, s resource.Scope, obj chUser) (*clickhouse.UserOut, error) {
		users, err := aiven.List(ctx, s.Client, chUsers(s.Project, s.ServiceName), aiven.ListSource[[]clickhouse.UserOut]{
			Read: func(ctx context.Context) ([]clickhouse.UserOut, error) {
				return s.Client.API().ServiceClickHouseUserList(ctx, s.Project, s.ServiceName)
			},
			Items: aiven.IndexBy(func(user clickhouse.UserOut) string { return user.Name }),
		}, obj.GetUsername())
		for i := range users {
			if users[i].Name == obj.GetUsername() {
				return &users[i], err
			}
		}
		return nil, err
	},
	Diff: func(s resource.Scope, _ chUser, found *clickhouse.UserOut) controllers.Diff {
		var diff controllers.Diff
		known, published := s.Published.Value("PASSWORD", found.Uuid)
		if found.Password != nil {
			known, published = *found.Password, true
		}
		if declared := declaredPassword(s); declared != "" && s.Published.Problem == nil && (!published || known != declared) {
			diff.Add(passwordPath, "(secret)", "(secret)")
		}
		return diff
	},
	Create: func(ctx context.Context, s resource.Scope, obj chUser) (*clickhouse.UserOut, error) {
		in := &clickhouse.ServiceClickHouseUserCreateIn{Name: obj.GetUsername()}
		if password := declaredPassword(s); password != "" {
			in.Password = &password
		}
		out, err := s.Client.API().ServiceClickHouseUserCreate(ctx, s.Project, s.ServiceName, in)
		return (*clickhouse.UserOut)(out), err
	},
	Update: func(ctx context.Context, s resource.Scope, _ chUser, found *clickhouse.UserOut, _ controllers.Diff) (*clickhouse.UserOut, error) {
		password := declaredPassword(s)
		if password == "" {
			return found, nil
		}
		return resetPassword(ctx, s, found, &password)
	},
	Reset: func(ctx context.Context, s resource.Scope, _ chUser, found *clickhouse.UserOut) (*clickhouse.UserOut, error) {
		return resetPassword(ctx, s, found, nil)
	},
	Delete: func(ctx context.Context, s resource.Scope, _ chUser, found *clickhouse.UserOut) error {
		if found == nil {
			return s.LookupErr
		}
		return s.Client.API().ServiceClickHouseUserDelete(ctx, s.Project, s.ServiceName, found.Uuid)
	},
	Details: func(_ context.Context, s resource.Scope, _ chUser, found *clickhouse.UserOut) (connection.Info, error) {
		details := connection.Info{Keep: []string{"PASSWORD"}, IssuedFor: found.Uuid}
		if _, published := s.Published.Value("PASSWORD", found.Uuid); found.Password == nil && !published {
			return details, nil // half a Secret is of no use
		}
		details.Address.Host, details.User, details.Password = s.Service.URIParams["host"], found.Name, ptr.Deref(found.Password, "")
		details.Layout = connection.Layout{OmitEmpty: true, Prefixed: map[string]connection.Value{
			"HOST": connection.Host, "USERNAME": connection.User, "PASSWORD": connection.Password,
		}}
		return details, nil
	},
}

// resetPassword sets a password, or lets Aiven make one.
func resetPassword(ctx context.Context, s resource.Scope, found *clickhouse.UserOut, password *string) (*clickhouse.UserOut, error) {
	in := &clickhouse.ServiceClickHousePasswordResetIn{Password: password}
	made, err := s.Client.API().ServiceClickHousePasswordReset(ctx, s.Project, s.ServiceName, found.Uuid, in)
	if err != nil {
		return nil, fmt.Errorf("resetting the password: %w", err)
	}
	reset := *found
	reset.Password = &made
	return &reset, nil
}

func TestAPasswordThatAivenReturnsOnceIsPublishedAndStays(t *testing.T) {
	a, p := newPasswords(t, newChUser())
	for range 4 {
		require.NoError(t, p.ReconcileLater("app"))
		assert.Equal(t, "made-by-create", publishedPassword(t, p))
	}
	p.Restart()
	require.NoError(t, p.Reconcile("app"))
	assert.Equal(t, "True/ReconciliationSucceeded", p.Condition("app", condition.Ready))
	assert.Equal(t, 1, a.calls[postUser])
	assert.Zero(t, a.calls[putUser])
	p.Delete("app")
	require.NoError(t, p.ReconcileLater("app"))
	assert.True(t, p.Gone("app"))
	assert.Empty(t, a.current)
}

func TestAPasswordThatIsLostIsResetOnce(t *testing.T) {
	for name, lose := range map[string]func(t *testing.T, a *passwords, p *controllers.Prototype[chUser]){
		"because the process was killed between create and publish": func(_ *testing.T, _ *passwords, p *controllers.Prototype[chUser]) {
			p.BeforeWrite(func(call string) error {
				if call == "create" || call == "status" || call == "annotations" {
					return errors.New("killed")
				}
				return nil
			})
			_ = p.Reconcile("app")
			p.BeforeWrite(func(string) error { return nil })
			p.Restart()
			_ = p.Reconcile("app") // the first one resets nothing: an earlier reset may still be made
		},
		"because the answer to the create was lost": func(_ *testing.T, a *passwords, p *controllers.Prototype[chUser]) {
			a.fail[postUser] = http.StatusBadGateway
			_ = p.Reconcile("app")
		},
		"because a user deleted the Secret": func(t *testing.T, _ *passwords, p *controllers.Prototype[chUser]) {
			require.NoError(t, p.Reconcile("app"))
			require.NoError(t, p.Cluster().Delete(t.Context(), secretNamed("app", nil)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, p := newPasswords(t, newChUser())
			lose(t, a, p)
			require.Zero(t, a.calls[putUser])
			for range 3 {
				require.NoError(t, p.ReconcileLater("app"))
				assert.Equal(t, "made-by-reset-1", publishedPassword(t, p))
			}
			assert.Equal(t, "True/ReconciliationSucceeded", p.Condition("app", condition.Ready))
			assert.Equal(t, 1, a.calls[postUser])
			assert.Equal(t, 1, a.calls[putUser])
		})
	}
}

func TestAPasswordIsNeverResetWhereItCannotBePublished(t *testing.T) {
	forbidden := func(call string) error {
		if call == "create" {
			return errors.New("secrets is forbidden")
		}
		return nil
	}
	disabled := true
	for name, tc := range map[string]struct {
		obj     chUser
		others  []client.Object
		before  func(call string) error
		message string // Ready or SecretReady
	}{
		"the Secret belongs to another object": {
			newChUser(), []client.Object{secretNamed("app", map[string]string{"foreign": "value"})}, nil, "Secret ns/app exists and has no controller",
		},
		"the operator may not write it":  {newChUser(), nil, forbidden, "secrets is forbidden"},
		"the spec turns publication off": {newChUser(func(u chUser) { u.Spec.ConnInfoSecretTargetDisabled = &disabled }), nil, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a, p := newPasswords(t, tc.obj, tc.others...)
			a.current = "of-a-user"
			if tc.before != nil {
				p.BeforeWrite(tc.before)
			}
			for range 3 {
				_ = p.ReconcileLater("app")
			}
			assert.Zero(t, a.calls[putUser])
			assert.Zero(t, a.calls[postUser])
			assert.Contains(t, p.Message("app", condition.Ready)+p.Message("app", condition.SecretReady), tc.message)
		})
	}
}

func TestADeclaredPasswordIsSentWhenItChanges(t *testing.T) {
	a, p := newPasswords(t, newChUser(fromSecret), secretNamed("pw", map[string]string{"password": "first-value"}))
	for range 2 {
		require.NoError(t, p.ReconcileLater("app"))
		assert.Equal(t, "first-value", publishedPassword(t, p))
	}
	assert.Zero(t, a.calls[putUser], "the create has set it")

	changed := &corev1.Secret{}
	require.NoError(t, p.Cluster().Get(t.Context(), types.NamespacedName{Namespace: "ns", Name: "pw"}, changed))
	changed.Data["password"] = []byte("second-value")
	require.NoError(t, p.Cluster().Update(t.Context(), changed))
	p.Restart()
	for range 3 {
		require.NoError(t, p.ReconcileLater("app"))
		assert.Equal(t, "second-value", publishedPassword(t, p))
	}
	assert.Equal(t, 1, a.calls[putUser])
	assert.Equal(t, "second-value", a.current)
	assert.Equal(t, "True/ReconciliationSucceeded", p.Condition("app", condition.Ready))
}

func TestALostPasswordIsResetOnceBesideADifferenceThatDoesNotConverge(t *testing.T) {
	stubborn := chUserDefinition
	stubborn.Diff = func(resource.Scope, chUser, *clickhouse.UserOut) controllers.Diff {
		return controllers.Diff{{Path: "spec.authentication", Wanted: "a", Found: "b"}}
	}
	a, p := newPasswordsOf(t, stubborn.Kind(), newChUser())
	for range 5 {
		require.NoError(t, p.ReconcileLater("app"))
	}
	require.Equal(t, "made-by-create", publishedPassword(t, p))
	require.NoError(t, p.Cluster().Delete(t.Context(), secretNamed("app", nil)))
	for range 5 {
		require.NoError(t, p.ReconcileLater("app"))
	}
	assert.Equal(t, "made-by-reset-1", publishedPassword(t, p))
	assert.Equal(t, 1, a.calls[putUser])
	assert.Equal(t, "True/NotConverging", p.Condition("app", condition.Drifted))
}

func TestADeletionThatNeedsALookupWaitsForIt(t *testing.T) {
	for name, tc := range map[string]struct {
		prevent func(a *passwords)
		message string
	}{
		"the list can't be read": {func(a *passwords) { a.fail[getUsers] = http.StatusBadGateway }, "ServiceClickHouseUserList"},
		"the service is off":     {func(a *passwords) { a.state = "POWEROFF" }, "Service demo/my-ch is POWEROFF"},
	} {
		t.Run(name, func(t *testing.T) {
			a, p := newPasswords(t, newChUser())
			require.NoError(t, p.Reconcile("app"))
			p.Delete("app")
			tc.prevent(a)
			_ = p.ReconcileLater("app")
			require.False(t, p.Gone("app"), "the user may exist")
			assert.Contains(t, p.Message("app", condition.Ready), tc.message)
			a.state = "RUNNING"
			require.NoError(t, p.ReconcileLater("app"))
			assert.True(t, p.Gone("app"))
			assert.Empty(t, a.current)
		})
	}
}
