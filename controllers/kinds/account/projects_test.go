package account

import (
	"maps"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
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

// side is one of the two kinds of projects, with the routes of the API that it uses.
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

func TestAProjectIsCreatedOnceAndPublishedWithItsAnswer(t *testing.T) {
	eachSide(t, func(t *testing.T, s side, w *world) {
		b := s.bind(w.client)
		w.On(s.list, s.listed())
		w.On(s.get, aiventest.Refused(http.StatusNotFound, "Project does not exist"))
		w.On(s.post, s.answer(s.one(nil)))
		o, err := b.observe(t)
		require.NoError(t, err)
		assert.False(t, o.Remote.Exists)
		o, err = b.create(t)
		require.NoError(t, err)
		assert.True(t, o.Remote.Active)
		assert.Equal(t, "the CA", o.Details.Prefixed["CA_CERT"])
		calls := w.Calls()
		require.Len(t, calls, 4)
		assert.Equal(t, []string{s.list, s.get, readCA}, []string{calls[0], calls[1], calls[3]})

		w.On(s.list, s.listed(s.one(nil)))
		for range 3 {
			o, err = s.bindAgain(b, w).observe(t)
			require.NoError(t, err)
			assert.True(t, o.Remote.Active)
			assert.Empty(t, o.Diff)
		}
		assert.Equal(t, []string{s.list}, w.Calls(), "at rest the list is enough")
	})
}

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

func TestAProjectWithoutMembersYetIsNotAbsent(t *testing.T) {
	eachSide(t, func(t *testing.T, s side, w *world) {
		b := s.bind(w.client)
		attempted(b)
		w.On(s.list, s.listed())
		w.On(s.get, aiventest.Refused(http.StatusNotFound, "Project does not exist"))
		w.On(s.post, s.answer(s.one(nil)))
		w.On(readCA, stranger)
		_, err := b.observe(t)
		require.NoError(t, err)
		w.On(s.get, stranger)
		o, err := b.create(t)
		require.NoError(t, err, "what can't be read yet is no failure of the creation")
		assert.True(t, o.Remote.Exists)
		assert.True(t, o.Details.Empty())
		for range 2 {
			w.now = w.now.Add(readLag)
			_, err = s.bindAgain(b, w).observe(t)
			assert.Equal(t, fault.Forbidden, fault.Of(err).Class, "%v", err)
		}
		w.On(s.list, s.listed(s.one(nil)))
		w.now = w.now.Add(2 * time.Minute)
		o, err = s.bindAgain(b, w).observe(t)
		require.NoError(t, err)
		assert.True(t, o.Remote.Active)
		assert.True(t, o.Details.Empty(), "its CA can't be read yet")
		w.On(readCA, aiventest.OK(aiventest.Object{"certificate": "the CA"}))
		o, err = s.bindAgain(b, w).observe(t)
		require.NoError(t, err)
		assert.Equal(t, "the CA", o.Details.Prefixed["CA_CERT"])
	})
}

func TestAProjectThatWasPublishedNeedsItsCA(t *testing.T) {
	eachSide(t, func(t *testing.T, s side, w *world) {
		for _, status := range []int{http.StatusForbidden, http.StatusNotFound, http.StatusInternalServerError} {
			b := s.bind(w.client)
			b.object().GetCommonStatus().Binding = &v1alpha1.SecretBinding{Name: "x"}
			w.On(s.list, s.listed(s.one(nil)))
			w.On(readCA, aiventest.Refused(status, "no"))
			_, err := b.observe(t)
			require.Error(t, err, "the Secret that is there is kept")
		}
	})
}

func TestOnlyA404IsAnAbsenceOfAProject(t *testing.T) {
	nobody := aiventest.Refused(http.StatusNotFound, "Project does not exist")
	eachSide(t, func(t *testing.T, s side, _ *world) {
		for name, tc := range map[string]struct {
			list, get aiventest.Answer
			class     fault.Class // None for absent
			calls     []string
		}{
			"in no list, and unknown":            {s.listed(), nobody, fault.None, []string{s.list, s.get}},
			"the list is refused, and unknown":   {aiventest.Refused(403, "no"), nobody, fault.None, []string{s.list, s.get}},
			"unknown to a list that fails":       {aiventest.Refused(500, "oops"), nobody, fault.Server, []string{s.list}},
			"in an answer without a list":        {aiventest.OK(nil), nobody, fault.Unknown, []string{s.list}},
			"the list's scope is unknown":        {nobody, nobody, fault.Unknown, []string{s.list}},
			"the token has no permission for it": {s.listed(), aiventest.Refused(403, "Forbidden"), fault.Forbidden, []string{s.list, s.get}},
			"the token is rejected":              {aiventest.Refused(401, "Invalid token"), nobody, fault.Unauthorized, []string{s.list}},
			"it can't be read":                   {s.listed(), aiventest.Refused(502, "oops"), fault.Server, []string{s.list, s.get}},
			"it belongs to another customer":     {s.listed(), stranger, fault.Invalid, []string{s.list, s.get}},
		} {
			t.Run(name, func(t *testing.T) {
				w := newWorld(t)
				w.On(s.list, tc.list)
				w.On(s.get, tc.get)
				o, err := s.bind(w.client).observe(t)
				assert.Equal(t, tc.class, fault.Of(err).Class, "%v", err)
				assert.False(t, o.Remote.Exists)
				assert.Equal(t, tc.calls, w.Calls())
				if tc.class == fault.Invalid {
					require.ErrorContains(t, err, s.path+": the name is taken")
					assert.ErrorContains(t, err, "recreate the object with another one")
				}
			})
		}
	})
}

func TestAProjectThatTheListDoesNotShowIsReadAlone(t *testing.T) {
	eachSide(t, func(t *testing.T, s side, w *world) {
		other := s.one(aiventest.Object{"project_name": "other", "project_id": "other"})
		for name, list := range map[string]aiventest.Answer{
			"it isn't in it": s.listed(other), "it is refused": aiventest.Refused(403, "no"), "it is cut off": cutOffList(s),
		} {
			w.On(s.list, list)
			w.On(s.get, s.answer(s.one(nil)))
			w.now = w.now.Add(time.Hour)
			o, err := s.bind(w.client).observe(t)
			require.NoError(t, err, name)
			assert.True(t, o.Remote.Active, name)
			assert.Empty(t, o.Diff, name)
		}
	})
}

// cutOffList may be a page: it has as many projects as fit on one.
func cutOffList(s side) aiventest.Answer {
	projects := make([]any, 999)
	for i := range projects {
		name := "p" + time.Duration(i).String()
		projects[i] = s.one(aiventest.Object{"project_name": name, "project_id": name})
	}
	return s.listed(projects...)
}

func TestANameThatIsTakenElsewhereIsRejectedAtOnce(t *testing.T) {
	nobody, exists := aiventest.Refused(404, "Project does not exist"), aiventest.Refused(409, "Project 'demo' already exists")
	eachSide(t, func(t *testing.T, s side, _ *world) {
		for name, tc := range map[string]struct {
			refusal, after aiventest.Answer
			early          bool
			class          fault.Class
		}{
			"nobody knows it":                      {refusal: exists, after: nobody, class: fault.Invalid},
			"only its members do":                  {refusal: exists, after: stranger, class: fault.Invalid},
			"an earlier process may have made it":  {refusal: exists, after: nobody, early: true, class: fault.Exists},
			"it is there now":                      {refusal: exists, after: s.answer(s.one(nil)), class: fault.Exists},
			"Aiven fails":                          {refusal: exists, after: aiventest.Refused(500, "oops"), class: fault.Exists},
			"the conflict isn't about the name":    {refusal: aiventest.Refused(409, "Try again"), after: s.answer(s.one(nil)), class: fault.Conflict},
			"the refusal isn't about what exists":  {refusal: aiventest.Refused(400, "Invalid cloud"), after: nobody, class: fault.Rejected},
			"the creation isn't permitted":         {refusal: aiventest.Refused(403, "no"), after: nobody, class: fault.Forbidden},
			"Aiven isn't ready for new projects":   {refusal: aiventest.Refused(503, "later"), after: nobody, class: fault.NotReady},
			"the billing group or account is none": {refusal: aiventest.Refused(404, "Billing group does not exist"), after: nobody, class: fault.NotFound},
		} {
			t.Run(name, func(t *testing.T) {
				w := newWorld(t)
				if tc.early {
					w.now = w.now.Add(-readLag)
				}
				w.On(s.list, s.listed())
				w.On(s.get, nobody, tc.after)
				w.On(s.post, tc.refusal)
				b := s.bind(w.client)
				_, err := b.observe(t)
				require.NoError(t, err)
				_, err = b.create(t)
				assert.Equal(t, tc.class, fault.Of(err).Class, "%v", err)
				if tc.class == fault.Invalid {
					assert.ErrorContains(t, err, s.path+": the name is taken")
				}
			})
		}
	})
}

func TestOneProjectHasOneIdentityForBothKinds(t *testing.T) {
	a, b := Project.Identity(newProject()), OrganizationProject.Identity(newOrganizationProject())
	assert.Equal(t, a, b)
	assert.Equal(t, controllers.Identity{Group: "project", Name: "demo"}, a)
}

func TestADeletionOfAProject(t *testing.T) {
	nobody, empty := aiventest.Refused(404, "Project does not exist"), aiventest.OK(aiventest.Object{"services": []any{}})
	noNetworks, ok, no := aiventest.OK(aiventest.Object{"vpcs": []any{}}), aiventest.OK(nil), aiventest.Refused(403, "no")
	pg := aiventest.OK(aiventest.Object{"services": []any{aiventest.ServiceFields(nil)}})
	networks := aiventest.OK(aiventest.Object{"vpcs": []any{at("a", "DELETED", nil), at("b", "DELETING", nil)}})
	eachSide(t, func(t *testing.T, s side, _ *world) {
		for name, tc := range map[string]struct {
			services, networks, remove, list aiventest.Answer
			calls                            []string
			text                             string // of the error; empty for success
			blocked                          bool
		}{
			"done":                        {services: empty, networks: noNetworks, remove: ok, calls: []string{inServices, inNetworks, s.remove}},
			"a service is in it":          {services: pg, networks: noNetworks, calls: []string{inServices, inNetworks}, text: "Project demo has service my-pg in it", blocked: true},
			"a VPC is in it":              {services: empty, networks: networks, calls: []string{inServices, inNetworks}, text: "Project demo has VPC google-europe-west1 10.0.0.0/24 in it. Delete that first", blocked: true},
			"services can't be listed":    {services: aiventest.Refused(500, "oops"), calls: []string{inServices}, text: "listing the services of the project"},
			"services mustn't be listed":  {services: no, calls: []string{inServices}, text: "permission to list the services of project demo", blocked: true},
			"VPCs mustn't be listed":      {services: empty, networks: no, calls: []string{inServices, inNetworks}, text: "permission to list the VPCs of project demo", blocked: true},
			"an answer without services":  {services: aiventest.OK(nil), networks: noNetworks, calls: []string{inServices, inNetworks}, text: "holds no list"},
			"an answer without VPCs":      {services: empty, networks: aiventest.OK(nil), calls: []string{inServices, inNetworks}, text: "holds no list"},
			"it costs money":              {services: empty, networks: noNetworks, remove: aiventest.Refused(403, "Project has an open balance of 12.50 USD"), calls: []string{inServices, inNetworks, s.remove}, text: "open balance of 12.50 USD", blocked: true},
			"Aiven finds something in it": {services: empty, networks: noNetworks, remove: aiventest.Refused(409, "Project has services"), calls: []string{inServices, inNetworks, s.remove}, text: "Project has services", blocked: true},
			"it isn't permitted":          {services: empty, networks: noNetworks, remove: no, calls: []string{inServices, inNetworks, s.remove}, text: "deleting project"},
			"gone already":                {services: nobody, remove: nobody, list: s.listed(), calls: []string{inServices, s.remove, s.list}},
			"gone, but still listed":      {services: nobody, remove: nobody, list: s.listed(s.one(nil)), calls: []string{inServices, s.remove, s.list}, text: "in progress"},
			"unknown, and no list":        {services: nobody, remove: nobody, list: aiventest.Refused(500, "oops"), calls: []string{inServices, s.remove, s.list}, text: "oops"},
			"unknown, list not permitted": {services: nobody, remove: nobody, list: no, calls: []string{inServices, s.remove, s.list}, text: "permission to list projects", blocked: true},
		} {
			t.Run(name, func(t *testing.T) {
				w := newWorld(t)
				w.On(inServices, tc.services)
				w.On(inNetworks, tc.networks)
				w.On(s.remove, tc.remove)
				w.On(s.list, tc.list)
				b := s.bind(w.client)
				b.object().SetDeletionTimestamp(&metav1.Time{Time: w.now})
				err := b.delete(t)
				assert.Equal(t, tc.calls, w.Calls())
				assert.Equal(t, tc.blocked, deletion.Of(err, true).Blocked != "", "%v", err)
				if tc.text == "" {
					require.NoError(t, err)
					return
				}
				assert.ErrorContains(t, err, tc.text)
			})
		}
	})
}

func TestAProjectThatWasMadeAnewHasAnotherCA(t *testing.T) {
	eachSide(t, func(t *testing.T, s side, w *world) {
		w.On(s.list, s.listed(s.one(nil)))
		b := s.bind(w.client)
		_, err := b.observe(t)
		require.NoError(t, err)
		w.On(s.list, s.listed())
		w.On(s.get, aiventest.Refused(404, "Project does not exist"))
		w.On(s.post, s.answer(s.one(nil)))
		w.On(readCA, aiventest.OK(aiventest.Object{"certificate": "another CA"}))
		w.now = w.now.Add(5 * time.Minute)
		b = s.bindAgain(b, w)
		_, err = b.observe(t)
		require.NoError(t, err)
		o, err := b.create(t)
		require.NoError(t, err)
		assert.Equal(t, "another CA", o.Details.Prefixed["CA_CERT"])
	})
}

func TestEmailAddressesAreComparedAsAivenStoresThem(t *testing.T) {
	assert.Equal(t, []string{"A@example.com", "a@example.com", "b@example.com", "none"},
		addresses([]string{"b@EXAMPLE.com", "a@Example.com", "A@example.com", "none", "a@example.COM"}))
	assert.Equal(t, []string{}, addresses(nil))
}

// changed is a copy of some fields with others.
func changed(fields, changes aiventest.Object) aiventest.Object {
	out := maps.Clone(fields)
	maps.Copy(out, changes)
	return out
}
