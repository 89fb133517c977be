package service

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/internal/referencetest"
)

func TestAServiceIsReadOnceForAWriteThatWaitsForItsTurn(t *testing.T) {
	const later = 10 * time.Second
	for name, tc := range map[string]struct {
		found aiventest.Answer
		write string
		wait  time.Duration
		drop  bool // what was read, as a requested reconcile does
		reads int
	}{
		"a service that is created":              {found: aiventest.Missing(), write: "POST service", wait: later},
		"a service that is updated":              {found: aiventest.Service(aiventest.Object{"plan": "startup-8"}), write: "PUT service/my-pg", wait: later},
		"what was read is too old by then":       {found: aiventest.Missing(), write: "POST service", wait: 10 * time.Minute, reads: 1},
		"a person asks for a reconcile meantime": {found: aiventest.Missing(), write: "POST service", wait: later, drop: true, reads: 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, obj := aiventest.New(t), object()
				a.On(lookup, tc.found)
				a.On(tc.write, aiventest.OK(aiventest.Object{"service": aiventest.ServiceFields(nil)}))
				// Two reads take the first two turns: of the service, and of what it needs. The next turns are seconds away.
				client, err := aiven.New(aiven.Options{
					Transport: a, QPS: 0.2, Burst: 2, WatchInterval: time.Minute,
				}).ForToken("a-token")
				require.NoError(t, err)
				_, err = client.CA(t.Context(), aiventest.Project)
				require.NoError(t, err)
				attempt := func(ctx context.Context) error {
					c := definition().Controller(controllers.Env{Client: client})
					o, err := c.Observe(ctx, obj)
					switch {
					case err != nil:
						return err
					case o.Remote.Exists:
						_, err = c.Update(ctx, obj, o)
					default:
						_, err = c.Create(ctx, obj)
					}
					return err
				}
				err = attempt(t.Context())
				require.True(t, fault.NotSent(err), "%v", err)
				a.Calls()
				<-time.After(max(tc.wait, fault.Of(err).RetryAfter))
				if tc.drop {
					client.Invalidate(aiventest.Project, "my-pg")
				}
				require.NoError(t, attempt(t.Context()))
				calls := a.Calls()
				for range tc.reads {
					require.Equal(t, lookup, calls[0])
					calls = calls[1:]
				}
				assert.Contains(t, calls[0], tc.write)
			})
		})
	}
}

func TestAServiceIsReadOnceForADeletionThatWaitsForItsTurn(t *testing.T) {
	const remove = "DELETE service/my-pg"
	for name, tc := range map[string]struct {
		found aiventest.Object
		turns int // after the read
		calls []string
	}{
		"a deletion": {calls: []string{remove, lookup}},
		"a deletion, with protection to turn off": {found: aiventest.Object{"termination_protection": true}, calls: []string{put, remove, lookup}},
		"protection is off by then":               {found: aiventest.Object{"termination_protection": true}, turns: 1, calls: []string{lookup, remove, lookup}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, obj := aiventest.New(t), edited(func(obj pg) { obj.Spec.TerminationProtection = ptr.To(false) })
				a.On(lookup, aiventest.Service(tc.found), aiventest.Service(nil))
				a.On(put, aiventest.OK(nil))
				a.On(remove, aiventest.OK(nil))
				client, err := aiven.New(aiven.Options{Transport: a, QPS: 1, Burst: 4, WatchInterval: time.Minute}).ForToken("a-token")
				require.NoError(t, err)
				for range 3 - tc.turns {
					_, err = client.API().ServiceList(t.Context(), aiventest.Project)
					require.NoError(t, err)
				}
				err = definition().Controller(controllers.Env{Client: client}).Delete(t.Context(), obj)
				require.True(t, fault.Is(err, fault.RateLimited), "%v", err)
				a.Calls()
				<-time.After(10 * time.Second)
				_ = definition().Controller(controllers.Env{Client: client}).Delete(t.Context(), obj)
				var routes []string
				for _, call := range a.Calls() {
					route, _, _ := strings.Cut(call, " {")
					routes = append(routes, route)
				}
				assert.Equal(t, tc.calls, routes)
			})
		})
	}
}

// What is read besides the service mustn't let the next attempt spend its turn on the same reads again.
func TestWhatAServiceNeedsBesidesItselfIsReadOnceForAWriteThatWaitsForItsTurn(t *testing.T) {
	const integrations = "GET service/my-pg/integration"
	replica := func(obj pg) {
		obj.Spec.ServiceIntegrations = []*v1alpha1.ServiceIntegrationItem{{IntegrationType: "read_replica", SourceServiceName: "main"}}
	}
	migratingTo8 := migrating(accepted)
	migratingTo8.Spec.Plan = "startup-8"
	for name, tc := range map[string]struct {
		obj   pg
		found aiventest.Answer
		calls []string
	}{
		"its integrations, which its answer leaves out": {
			obj: edited(func(obj pg) { obj.Spec.DiskSpace = "90GiB" }), found: aiventest.Service(aiventest.Object{"service_integrations": nil}),
			calls: []string{lookup, integrations, put},
		},
		"its integrations and its backups": {
			obj: unpowered(func(obj pg) { obj.Spec.DiskSpace = "90GiB" }), found: aiventest.Service(aiventest.Object{"service_integrations": nil}),
			calls: []string{lookup, integrations, backups, put},
		},
		"its backups":   {obj: unpowered(), found: aiventest.Service(nil), calls: []string{lookup, backups, put}},
		"its migration": {obj: migratingTo8, found: aiventest.Service(nil), calls: []string{lookup, migrationRoute, put}},
		"the source of a replica, and its backup": {
			obj: edited(replica), found: aiventest.Missing(), calls: []string{lookup, "GET service/main", "GET service/main/backups", "POST service"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := aiventest.New(t)
				a.On(lookup, tc.found)
				a.On("GET service/main", aiventest.Service(aiventest.Object{"service_name": "main"}))
				a.On(integrations, aiventest.OK(aiventest.Object{"service_integrations": []any{}}))
				a.On(backups, oneBackup())
				a.On("GET service/main/backups", oneBackup())
				a.On(migrationRoute, aiventest.OK(aiventest.Object{"migration": aiventest.Object{"status": "running"}}))
				a.On(put, aiventest.OK(nil))
				a.On("POST service", aiventest.OK(nil))
				client, err := aiven.New(aiven.Options{Transport: a, QPS: 1, Burst: 1, WatchInterval: time.Minute, ReadLag: 2 * time.Second}).ForToken("a-token")
				require.NoError(t, err)
				refs := referencetest.Resolve(t, tc.obj, []reference.Declaration{Migration(migrationOf, MigrationKeys{})}, referencetest.Secret("old-db", oldDB(nil)))
				d := definition()
				d.NeedsCA = false
				for attempt := 0; ; attempt++ {
					ctx, c := aiven.WithCaller(t.Context(), "uid"), d.Controller(controllers.Env{Client: client, Refs: refs})
					o, err := c.Observe(ctx, tc.obj)
					switch {
					case err != nil:
					case o.Remote.Exists:
						_, err = c.Update(ctx, tc.obj, o)
					default:
						_, err = c.Create(ctx, tc.obj)
					}
					if err == nil {
						break
					}
					require.True(t, fault.NotSent(err), "%v", err)
					require.Less(t, attempt, 20, "it never ends")
					<-time.After(fault.Of(err).RetryAfter)
				}
				var routes []string
				for _, call := range a.Calls() {
					route, _, _ := strings.Cut(call, " {")
					routes = append(routes, route)
				}
				assert.Equal(t, tc.calls, routes)
			})
		})
	}
}
