package controllers_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"

	avnservice "github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/status"
	"github.com/aero-operator/aero/controllers/resource"
)

// A kind in two services with a natural key and an id that Aiven makes, as ServiceIntegration is.

type integrationSpec struct {
	Project, Type, SourceProject, SourceService, DestProject, DestService string
}

type integration = prototype[integrationSpec]

func integrationEntry(obj *integration) aiven.Entry {
	return aiven.IntegrationEntry(obj.Spec.Type,
		aiven.IntegrationEnd{Project: obj.Spec.SourceProject, Service: obj.Spec.SourceService},
		aiven.IntegrationEnd{Project: obj.Spec.DestProject, Service: obj.Spec.DestService})
}

var integrationKind = resource.Definition[*integration, aiven.Integration]{
	Object: &integration{},
	Place: resource.InServices(func(obj *integration) string { return obj.Spec.Project }, func(obj *integration) []resource.End {
		return []resource.End{
			{
				ServiceKey: aiven.ServiceKey{Project: obj.Spec.SourceProject, Service: obj.Spec.SourceService},
				Condition:  condition.SourceServiceReady, MayBeHidden: obj.Spec.SourceProject != obj.Spec.Project,
			},
			{
				ServiceKey: aiven.ServiceKey{Project: obj.Spec.DestProject, Service: obj.Spec.DestService},
				Condition:  condition.DestinationServiceReady, MayBeHidden: obj.Spec.DestProject != obj.Spec.Project,
			},
		}
	}),
	Identity: func(obj *integration) controllers.Identity { return controllers.Identity{Entry: integrationEntry(obj)} },
	Find: func(_ context.Context, s resource.Scope, obj *integration) (*aiven.Integration, error) {
		for _, service := range s.Services {
			if service == nil {
				continue
			}
			if found := matchIntegration(service.Integrations, obj); found != nil {
				obj.Status.ID = found.ServiceIntegrationId
				return found, nil
			}
		}
		return nil, nil
	},
	State: func(found *aiven.Integration) status.Remote { return status.Remote{Exists: true, Active: found.Active} },
	Create: func(ctx context.Context, s resource.Scope, obj *integration) (*aiven.Integration, error) {
		out, err := s.Client.API().ServiceIntegrationCreate(ctx, s.Project, &avnservice.ServiceIntegrationCreateIn{
			IntegrationType: avnservice.IntegrationType(obj.Spec.Type), SourceProject: &obj.Spec.SourceProject, SourceService: &obj.Spec.SourceService,
			DestProject: &obj.Spec.DestProject, DestService: &obj.Spec.DestService,
		})
		if err != nil {
			return nil, fmt.Errorf("creating integration: %w", err)
		}
		obj.Status.ID = out.ServiceIntegrationId
		return (*aiven.Integration)(out), nil
	},
	// The id is looked up without the cache if the status was lost: a deletion must not go on without it.
	Delete: func(ctx context.Context, s resource.Scope, obj *integration, _ *aiven.Integration) error {
		if obj.Status.ID == "" {
			list, err := s.Client.API().ServiceIntegrationList(ctx, obj.Spec.SourceProject, obj.Spec.SourceService)
			if err != nil {
				return fmt.Errorf("listing integrations: %w", err)
			}
			found := matchIntegration(list, obj)
			if found == nil {
				return nil
			}
			obj.Status.ID = found.ServiceIntegrationId
		}
		return s.Client.API().ServiceIntegrationDelete(ctx, s.Project, obj.Status.ID)
	},
}.Kind()

// matchIntegration returns the integration of the type between both ends: of several, the one in the status, else the
// smallest id.
func matchIntegration(list []aiven.Integration, obj *integration) *aiven.Integration {
	var found *aiven.Integration
	for i := range list {
		entry := aiven.IntegrationEntry(string(list[i].IntegrationType),
			aiven.IntegrationEnd{Project: list[i].SourceProject, Service: list[i].SourceService},
			aiven.IntegrationEnd{Project: list[i].DestProject, Service: *list[i].DestService})
		switch id := list[i].ServiceIntegrationId; {
		case entry != integrationEntry(obj):
		case id == obj.Status.ID:
			return &list[i]
		case found == nil || id < found.ServiceIntegrationId:
			found = &list[i]
		}
	}
	return found
}

const (
	postIntegration   = "POST /v1/project/demo/integration"
	deleteIntegration = "DELETE /v1/project/demo/integration/{id}"
)

// integrations is an API with a Kafka service and a PostgreSQL service that may be in another project.
type integrations struct {
	*api
	list      []fields
	destState string
	hidden    string // the service that the token may not read
	lagging   bool   // services don't show what was created
}

func newIntegrations(t *testing.T, sourceProject, destProject string) (*integrations, *controllers.Prototype[*integration]) {
	a := &integrations{api: newAPI(t), destState: "RUNNING"}
	show := func(name, kind string, state *string) func(*http.Request) (any, int) {
		return func(*http.Request) (any, int) {
			if a.hidden == name {
				return refusal("not permitted"), http.StatusForbidden
			}
			shown := a.list
			if a.lagging {
				shown = []fields{}
			}
			return service(name, kind, *state, fields{"service_integrations": shown}), http.StatusOK
		}
	}
	running := "RUNNING"
	a.on("GET /v1/project/"+sourceProject+"/service/my-kafka", show("my-kafka", "kafka", &running))
	a.on("GET /v1/project/"+destProject+"/service/my-pg", show("my-pg", "pg", &a.destState))
	a.on("GET /v1/project/"+sourceProject+"/service/my-kafka/integration", func(*http.Request) (any, int) {
		return fields{"service_integrations": a.list}, http.StatusOK
	})
	a.on("GET /v1/project/demo/service", func(*http.Request) (any, int) {
		return fields{"services": []any{}}, http.StatusOK
	})
	a.on(postIntegration, func(r *http.Request) (any, int) {
		in := decode[fields](t, r)
		in["service_integration_id"], in["active"] = fmt.Sprintf("id-%d", len(a.list)+1), true
		a.list = append(a.list, in)
		return fields{"service_integration": in}, http.StatusOK
	})
	a.on(deleteIntegration, func(r *http.Request) (any, int) {
		a.list = slices.DeleteFunc(a.list, func(i fields) bool { return i["service_integration_id"] == r.PathValue("id") })
		return fields{"message": "deleted"}, http.StatusOK
	})
	obj := &integration{ObjectMeta: named("logs"), Spec: integrationSpec{
		Project: "demo", Type: "kafka_logs", SourceProject: sourceProject, SourceService: "my-kafka", DestProject: destProject, DestService: "my-pg",
	}}
	return a, controllers.NewPrototype(t, integrationKind, schemeOf[integrationSpec]("IntegrationPrototype"), a, obj)
}

func TestAResourceInTwoServicesIsCreatedOnceAndShowsBoth(t *testing.T) {
	a, p := newIntegrations(t, "demo", "demo")
	a.destState = "REBUILDING"
	require.NoError(t, p.Reconcile("logs"))
	assert.Equal(t, "True/Running", p.Condition("logs", condition.SourceServiceReady))
	assert.Equal(t, "False/Rebuilding", p.Condition("logs", condition.DestinationServiceReady))
	assert.Zero(t, a.calls[postIntegration], "nothing is created before both are usable")

	a.destState = "RUNNING"
	for range 3 {
		require.NoError(t, p.ReconcileLater("logs"))
	}
	assert.Equal(t, "True/ReconciliationSucceeded", p.Condition("logs", condition.Ready))
	assert.Equal(t, "True/Running", p.Condition("logs", condition.DestinationServiceReady))
	assert.Empty(t, p.Condition("logs", condition.ServiceReady))
	assert.Equal(t, "id-1", p.Get("logs").Status.ID)
	assert.Equal(t, 1, a.calls[postIntegration])
}

func TestAResourceInTwoServicesIsFoundByItsEndsWhenItsIDIsLost(t *testing.T) {
	for name, then := range map[string]func(t *testing.T, a *integrations, p *controllers.Prototype[*integration]){
		"by the next reconcile": func(t *testing.T, a *integrations, p *controllers.Prototype[*integration]) {
			require.NoError(t, p.ReconcileLater("logs"))
			assert.Equal(t, "id-1", p.Get("logs").Status.ID)
			assert.Len(t, a.list, 1)
		},
		"by the deletion": func(t *testing.T, a *integrations, p *controllers.Prototype[*integration]) {
			p.Delete("logs")
			require.NoError(t, p.ReconcileLater("logs"))
			assert.True(t, p.Gone("logs"))
			assert.Empty(t, a.list)
		},
		"by the deletion, also while a service is off": func(t *testing.T, a *integrations, p *controllers.Prototype[*integration]) {
			a.destState = "POWEROFF"
			p.Delete("logs")
			require.NoError(t, p.ReconcileLater("logs"))
			assert.True(t, p.Gone("logs"))
			assert.Empty(t, a.list)
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, p := newIntegrations(t, "demo", "demo")
			require.NoError(t, p.Reconcile("logs"))
			lost := p.Get("logs")
			lost.Status = prototypeStatus{}
			require.NoError(t, p.Cluster().Status().Update(t.Context(), lost))
			p.Restart()
			then(t, a, p)
			assert.Equal(t, 1, a.calls[postIntegration])
		})
	}
}

func TestP11_AResourceInTwoServicesIsNotCreatedTwice(t *testing.T) {
	lost := map[string]int{postIntegration: http.StatusBadGateway}
	for name, tc := range map[string]struct {
		fail                       map[string]int
		sourceProject, destProject string
		hidden                     string
		pending                    bool
	}{
		"while reads lag":              {map[string]int{}, "demo", "demo", "", false},
		"when the answer is lost":      {lost, "demo", "demo", "", true},
		"from a source elsewhere":      {lost, "other", "demo", "", true},
		"to a destination elsewhere":   {lost, "demo", "other", "", true},
		"from a source that is hidden": {lost, "other", "demo", "my-kafka", true},
	} {
		t.Run(name, func(t *testing.T) {
			a, p := newIntegrations(t, tc.sourceProject, tc.destProject)
			a.fail, a.hidden, a.lagging = maps.Clone(tc.fail), tc.hidden, true
			_ = p.Reconcile("logs")
			p.Advance(controllers.ReadLag / 2)
			require.NoError(t, p.Reconcile("logs"))
			if tc.pending {
				assert.Equal(t, "Unknown/Progressing", p.Condition("logs", condition.Ready), "it is pending, not absent")
			}
			a.lagging = false
			require.NoError(t, p.ReconcileLater("logs"))
			assert.Equal(t, "True/ReconciliationSucceeded", p.Condition("logs", condition.Ready))
			assert.Equal(t, 1, a.calls[postIntegration])
		})
	}
}

func TestAServiceOfAnotherProjectThatTheTokenMayNotReadIsNotAwaited(t *testing.T) {
	a, p := newIntegrations(t, "demo", "other")
	a.hidden = "my-pg"
	for range 3 {
		require.NoError(t, p.ReconcileLater("logs"))
	}
	assert.Equal(t, "True/ReconciliationSucceeded", p.Condition("logs", condition.Ready))
	assert.Equal(t, "True/Running", p.Condition("logs", condition.SourceServiceReady))
	assert.Empty(t, p.Condition("logs", condition.DestinationServiceReady))
	assert.Equal(t, 1, a.calls[postIntegration])
}

func TestAResourceThatIsGoneTogetherWithAServiceIsDeleted(t *testing.T) {
	for name, sourceProject := range map[string]string{"of its project": "demo", "of another project that is hidden": "other"} {
		t.Run(name, func(t *testing.T) {
			a, p := newIntegrations(t, sourceProject, "demo")
			require.NoError(t, p.Reconcile("logs"))
			a.hidden = map[string]string{"other": "my-kafka"}[sourceProject]
			a.fail[deleteIntegration] = http.StatusNotFound
			p.Delete("logs")
			require.NoError(t, p.ReconcileLater("logs"))
			assert.True(t, p.Gone("logs"))
		})
	}
}
