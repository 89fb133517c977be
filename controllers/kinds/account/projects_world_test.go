package account

import (
	"maps"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/ownership"
)

const (
	inServices = "GET service"
	inNetworks = "GET vpcs"
	readCA     = "GET kms/ca"
)

// bound is a controller with its object, whatever the kind.
type bound interface {
	observe(t *testing.T) (controllers.Observation, error)
	create(t *testing.T) (controllers.Observation, error)
	update(t *testing.T, seen controllers.Observation) (controllers.Observation, error)
	delete(t *testing.T) error
	object() controllers.Object
}

type boundTo[T controllers.Object] struct {
	controllers.AivenController[T]

	obj T
}

func (b boundTo[T]) observe(t *testing.T) (controllers.Observation, error) {
	return b.Observe(t.Context(), b.obj)
}
func (b boundTo[T]) create(t *testing.T) (controllers.Observation, error) {
	return b.Create(t.Context(), b.obj)
}
func (b boundTo[T]) update(t *testing.T, seen controllers.Observation) (controllers.Observation, error) {
	return b.Update(t.Context(), b.obj, seen)
}
func (b boundTo[T]) delete(t *testing.T) error  { return b.Delete(t.Context(), b.obj) }
func (b boundTo[T]) object() controllers.Object { return b.obj }

// side is Project or OrganizationProject, with the routes of the API that it uses.
type side struct {
	list, get, post, put, remove string
	path                         string // of the field that names the project
	listed                       func(projects ...any) aiventest.Answer
	one                          func(changes aiventest.Object) any // as Aiven lists it
	answer                       func(project any) aiventest.Answer // of a call for one project
	bind                         func(client *aiven.Client) bound
}

var sides = map[string]side{
	"Project": {
		list: "GET /v1/project", get: "GET /v1/project/demo", post: "POST /v1/project", put: "PUT /v1/project/demo",
		remove: "DELETE /v1/project/demo", path: "metadata.name",
		listed: func(projects ...any) aiventest.Answer {
			return aiventest.OK(aiventest.Object{"projects": append([]any{}, projects...)})
		},
		one:    projectAt,
		answer: func(project any) aiventest.Answer { return aiventest.OK(aiventest.Object{"project": project}) },
		bind: func(client *aiven.Client) bound {
			return boundTo[*v1alpha1.Project]{Project.New(controllers.Env{Client: client, Memory: &sync.Map{}}), newProject()}
		},
	},
	"OrganizationProject": {
		list: listRoute, get: "GET /v1/organization/org1/project/demo", post: "POST /v1/organization/org1/projects",
		put: "PATCH /v1/organization/org1/project/demo", remove: "DELETE /v1/organization/org1/project/demo", path: "spec.projectId",
		listed: listedInOrganization,
		one:    organizationProjectAt,
		answer: aiventest.OK,
		bind: func(client *aiven.Client) bound {
			env := controllers.Env{Client: client, Memory: &sync.Map{}}
			return boundTo[*v1alpha1.OrganizationProject]{OrganizationProject.New(env), newOrganizationProject()}
		},
	},
}

const readLag = 10 * time.Second

// world is an Aiven whose clock stands still, and its client.
type world struct {
	*aiventest.Aiven

	now    time.Time
	client *aiven.Client
}

// newWorld is after the lag of an earlier process.
func newWorld(t *testing.T) *world {
	w := &world{Aiven: aiventest.New(t), now: time.Now()}
	var err error
	w.client, err = aiven.New(aiven.Options{
		Transport: w, ReadLag: readLag, WatchInterval: time.Minute, Now: func() time.Time { return w.now },
	}).ForToken("a-token")
	require.NoError(t, err)
	w.now = w.now.Add(readLag)
	return w
}

var stranger = aiventest.Refused(http.StatusForbidden, "Not a project member")

// eachSide runs a test for both kinds.
func eachSide(t *testing.T, test func(t *testing.T, s side, w *world)) {
	for name, s := range sides {
		t.Run(name, func(t *testing.T) { test(t, s, newWorld(t)) })
	}
}

func attempted(b bound) { ownership.Begin(b.object(), true) }

// bindAgain is the next reconcile of the same object.
func (s side) bindAgain(b bound, w *world) bound {
	next := s.bind(w.client)
	switch obj := b.object().(type) {
	case *v1alpha1.Project:
		return boundTo[*v1alpha1.Project]{next.(boundTo[*v1alpha1.Project]).AivenController, obj}
	case *v1alpha1.OrganizationProject:
		return boundTo[*v1alpha1.OrganizationProject]{next.(boundTo[*v1alpha1.OrganizationProject]).AivenController, obj}
	}
	return nil
}

// changed is a copy of some fields with others.
func changed(fields, changes aiventest.Object) aiventest.Object {
	out := maps.Clone(fields)
	maps.Copy(out, changes)
	return out
}
