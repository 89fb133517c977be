package integration

import (
	"cmp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/reference"
)

// referring sends the metrics of my-pg to an endpoint that it names by its object.
func referring(obj *v1alpha1.ServiceIntegration) {
	obj.Spec.IntegrationType, obj.Spec.KafkaLogs, obj.Spec.DestinationServiceName = "datadog", nil, ""
	obj.Spec.DestinationEndpointRef = &v1alpha1.EndpointReference{Name: "my-datadog"}
}

func toEndpoint(id, endpoint string) any {
	return at(id, object{"integration_type": "datadog", "dest_service": nil, "dest_endpoint_id": endpoint, "user_config": object{}})
}

// following resolves the references of an object where the endpoint has an id and a project.
func following(t *testing.T, obj *v1alpha1.ServiceIntegration, id, project string) reference.Resolved {
	scheme := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	target := &v1alpha1.ServiceIntegrationEndpoint{ObjectMeta: metav1.ObjectMeta{Namespace: aiventest.Namespace, Name: "my-datadog"}}
	target.Spec.Project, target.Status.ID = project, id
	target.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: metav1.ConditionTrue}}
	var reader client.Reader = fake.NewClientBuilder().WithScheme(scheme).WithObjects(target).Build()
	return reference.Resolver{Reader: reader}.Resolve(t.Context(), obj, Integration.References)
}

func TestTheEndpointOfAReference(t *testing.T) {
	for name, tc := range map[string]struct {
		id, project string
		deleting    bool
		state       reference.State
		text        string
	}{
		"ready":                              {id: "e", project: aiventest.Project, state: reference.Ready},
		"without an id":                      {project: aiventest.Project, state: reference.NotReady, text: "has no id yet"},
		"in another project":                 {id: "e", project: "other", state: reference.Invalid, text: "Recreate the object with an endpoint of its project"},
		"without an id, which is nothing to": {project: aiventest.Project, deleting: true, state: reference.Ready},
	} {
		t.Run(name, func(t *testing.T) {
			obj := logs("", referring)
			if tc.deleting {
				deleted(obj)
			}
			outcome := following(t, obj, tc.id, tc.project).Outcomes()[0]
			assert.Equal(t, tc.state, outcome.State)
			assert.Equal(t, tc.id, map[bool]string{true: outcome.ID(), false: tc.id}[tc.state == reference.Ready])
			assert.Contains(t, outcome.Message, tc.text)
			assert.Equal(t, "DestinationEndpointReady", outcome.Condition())
		})
	}
	assert.Empty(t, destinationEndpoint.Targets(logs("")))
	assert.True(t, destinationEndpoint.BlocksDeletion, "an endpoint goes after its integrations")
}

func TestAnIntegrationFollowsItsEndpoint(t *testing.T) {
	for name, tc := range map[string]struct {
		had, endpoint string // of the status
		at            []any
		exists        bool
		owns          bool
		problem       string
		id            string
	}{
		"at first":                       {at: []any{toEndpoint("x", "another")}},
		"adopts":                         {at: []any{toEndpoint("ours", "new")}, exists: true, id: "ours"},
		"as it is":                       {had: "ours", endpoint: "new", at: []any{toEndpoint("ours", "new")}, exists: true, id: "ours"},
		"that was made again, and is so": {had: "gone", endpoint: "old", at: []any{}},
		"that leads elsewhere": {had: "ours", endpoint: "old", at: []any{toEndpoint("ours", "old")}, id: "ours",
			problem: "spec.destinationEndpointRef: the integration of this object, ours, has another type or other ends. Recreate the object"},
		"that leads to what another object may have": {had: "gone", endpoint: "old", at: []any{toEndpoint("theirs", "new")}, owns: true, id: "gone",
			problem: "spec.destinationEndpointRef: the integration of this object leads to endpoint old, and the field to another one. Recreate the object"},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := aiventest.New(t), logs(tc.had, referring)
			a.On(readSource, showing("my-pg", tc.at...))
			obj.Status.DestinationEndpointID = tc.endpoint
			if tc.owns {
				obj.UID, obj.Status.Provenance = "u", &v1alpha1.Provenance{Type: v1alpha1.ProvenanceCreated, UID: "u"}
			}
			env := controllers.Env{Client: a.Client(), Refs: following(t, obj, "new", aiventest.Project)}
			o, err := Integration.New(env).Observe(t.Context(), obj)
			assert.Equal(t, tc.id, obj.Status.ID)
			if tc.problem != "" {
				assert.Equal(t, tc.endpoint, obj.Status.DestinationEndpointID, "a deletion goes by the id and the endpoint")
				assert.Equal(t, fault.Invalid, fault.Of(err).Class)
				assert.EqualError(t, err, tc.problem)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, "new", obj.Status.DestinationEndpointID)
			assert.Equal(t, tc.exists, o.Remote.Exists)
			if tc.exists {
				return
			}
			a.On(create, answered(toEndpoint("ours", "new")))
			c := Integration.New(env)
			_, err = c.Observe(t.Context(), obj)
			require.NoError(t, err)
			_, err = c.Create(t.Context(), obj)
			require.NoError(t, err)
			assert.Contains(t, a.Calls(), create+` {"dest_endpoint_id":"new","integration_type":"datadog","source_service":"my-pg"}`)
		})
	}
}

func TestARefusalOfAnIntegrationNamesTheProjectThatTheTokenMayNotRead(t *testing.T) {
	denied := aiventest.Refused(403, "Not a project member")
	source := func(obj *v1alpha1.ServiceIntegration) { obj.Spec.SourceProjectName = "other" }
	dest := func(obj *v1alpha1.ServiceIntegration) { obj.Spec.DestinationProjectName = "other" }
	for name, tc := range map[string]struct {
		move   func(*v1alpha1.ServiceIntegration)
		hidden string
		text   string
	}{
		"of the source":      {source, "my-pg", "spec.sourceProjectName: Not a project member. The token needs access to project other, too"},
		"of the destination": {dest, "my-kafka", "spec.destinationProjectName: Not a project member. The token needs access to project other, too"},
		"which is none":      {func(*v1alpha1.ServiceIntegration) {}, "", "Aiven denied access: Not a project member"},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := connecting(t), logs("", tc.move)
			if tc.hidden != "" {
				a.On("GET /v1/project/other/service/"+tc.hidden, denied)
			}
			a.On(create, denied)
			c := start(a)
			_, err := c.Observe(t.Context(), obj)
			require.NoError(t, err)
			_, err = c.Create(t.Context(), obj)
			assert.Equal(t, fault.Forbidden, fault.Of(err).Class)
			assert.Contains(t, (*fault.Secrets)(nil).Advice(err, ""), tc.text)
		})
	}
}

func TestAnEndInAnotherProject(t *testing.T) {
	const readElsewhere = "GET /v1/project/other/service/my-pg"
	elsewhere := func(obj *v1alpha1.ServiceIntegration) { obj.Spec.SourceProjectName = "other" }
	for name, tc := range map[string]struct {
		read   aiventest.Answer
		usable bool
	}{
		"that the token may not read is left to Aiven": {aiventest.Refused(403, "not permitted"), true},
		"that is there": {showing("my-pg"), true},
		"that is off":   {aiventest.Service(object{"state": "POWEROFF", "service_integrations": []any{}}), false},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := aiventest.New(t), logs("", elsewhere)
			a.On(readElsewhere, tc.read)
			a.On(readDest, showing("my-kafka"))
			a.On(create, answered(at("ours", object{"source_project": "other"})))
			c := start(a)
			o, err := c.Observe(t.Context(), obj)
			require.NoError(t, err)
			usable := true
			for _, service := range o.Services {
				usable = usable && service.Usable
			}
			assert.Equal(t, tc.usable, usable)
			if !usable {
				return
			}
			_, err = c.Create(t.Context(), obj)
			require.NoError(t, err)
			o, err = start(a).Observe(t.Context(), obj)
			require.NoError(t, err)
			assert.False(t, o.Remote.Exists, "another process reads what Aiven shows")
			o, err = c.Observe(t.Context(), obj)
			require.NoError(t, err)
			assert.True(t, o.Remote.Exists, "its own creation isn't forgotten")
		})
	}
}

func TestACreationIsNotRepeatedWhileAivenMayNotShowIt(t *testing.T) {
	for name, tc := range map[string]struct {
		answer aiventest.Answer
		waits  bool
	}{
		"its answer arrived": {answer: answered(at("ours", nil))},
		"its answer is lost": {answer: aiventest.Refused(502, "bad gateway"), waits: true},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := connecting(t), logs("")
			a.On(create, tc.answer)
			env := controllers.Env{Client: a.Client()}
			c := Integration.New(env)
			_, err := c.Observe(t.Context(), obj)
			require.NoError(t, err)
			_, err = c.Create(t.Context(), obj)
			assert.Equal(t, tc.waits, err != nil)
			for range 3 {
				o, err := Integration.New(env).Observe(t.Context(), obj)
				require.NoError(t, err)
				assert.True(t, o.Remote.Exists, "it is pending, not absent")
				assert.Equal(t, tc.waits, o.WaitFor != "")
			}
		})
	}
}

func TestACreationIsNotRepeatedWithAnotherToken(t *testing.T) {
	a, obj := connecting(t), logs("")
	a.On(create, answered(at("ours", nil)))
	clients := aiven.New(aiven.Options{BaseURL: "http://aiven.test", Transport: a, ReadLag: time.Minute})
	with := func(token string) controllers.AivenController[*v1alpha1.ServiceIntegration] {
		client, err := clients.ForToken(token)
		require.NoError(t, err)
		return Integration.New(controllers.Env{Client: client})
	}
	c := with("a-token")
	_, err := c.Observe(t.Context(), obj)
	require.NoError(t, err)
	_, err = c.Create(t.Context(), obj)
	require.NoError(t, err)
	o, err := with("another-token").Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.True(t, o.Remote.Exists, "what the other token has made may not be shown yet")
	assert.NotEmpty(t, o.WaitFor)
}

func TestIntegrationDelete(t *testing.T) {
	off := func(name string, integrations ...any) aiventest.Answer {
		return aiventest.Service(object{"service_name": name, "state": "POWEROFF", "service_integrations": append([]any{}, integrations...)})
	}
	ours, ok, gone := at("ours", nil), aiventest.OK(nil), aiventest.Refused(404, "Service integration does not exist")
	for name, tc := range map[string]struct {
		had          string
		source, dest aiventest.Answer
		get          aiventest.Answer // of the id in the status; ours if empty
		remove       aiventest.Answer
		removes      bool
		text         string
	}{
		"accepted":                             {had: "ours", source: showing("my-pg", ours), dest: showing("my-kafka", ours), remove: ok, removes: true},
		"without a status":                     {source: showing("my-pg", ours), dest: showing("my-kafka", ours), remove: ok, removes: true},
		"gone a moment ago":                    {had: "ours", source: showing("my-pg", ours), dest: showing("my-kafka", ours), remove: gone, removes: true},
		"gone":                                 {had: "ours", source: showing("my-pg"), dest: showing("my-kafka"), remove: ok},
		"beside one of others":                 {had: "ours", source: showing("my-pg", at("theirs", nil)), dest: showing("my-kafka"), remove: ok},
		"gone with its service":                {source: aiventest.Missing(), dest: showing("my-kafka"), remove: ok},
		"of a service that is off":             {had: "ours", source: off("my-pg", ours), dest: showing("my-kafka", ours), remove: ok, removes: true},
		"of a service that is off, by its end": {source: off("my-pg", ours), dest: showing("my-kafka", ours), remove: ok, removes: true},
		"not shown by a service that is off":   {source: off("my-pg"), dest: showing("my-kafka"), remove: ok, text: "Service demo/my-pg is POWEROFF"},
		"of other ends than the spec names":    {had: "ours", source: showing("my-pg", at("ours", object{"integration_type": "metrics"})), dest: showing("my-kafka"), remove: ok, text: "another integration"},
		"refused":                              {had: "ours", source: showing("my-pg", ours), dest: showing("my-kafka", ours), remove: aiventest.Refused(403, "no"), removes: true, text: "deleting integration"},
		"services can't be read":               {had: "ours", source: aiventest.Refused(503, "oops"), dest: showing("my-kafka"), remove: ok, removes: true},
		"and the id leads elsewhere":           {had: "ours", source: aiventest.Refused(503, "oops"), dest: showing("my-kafka"), get: answered(at("ours", object{"source_service": "theirs"})), text: "503"},
		"and the id leads to nothing":          {had: "ours", source: aiventest.Refused(503, "oops"), dest: showing("my-kafka"), get: gone},
		"nor is there an id":                   {source: aiventest.Refused(503, "oops"), dest: showing("my-kafka"), remove: ok, text: "503"},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := aiventest.New(t), logs(tc.had, deleted)
			a.On(readSource, tc.source)
			a.On(readDest, tc.dest)
			a.On("GET integration/ours", cmp.Or(tc.get, answered(ours)))
			a.On(remove, tc.remove)
			err := start(a).Delete(t.Context(), obj)
			if tc.removes {
				assert.Contains(t, a.Calls(), remove)
			} else {
				assert.NotContains(t, a.Calls(), remove)
			}
			if tc.text == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, tc.text)
		})
	}
}

func TestTheEndpointThatTheSpecNamesByItsIDIsInTheStatus(t *testing.T) {
	a, obj := aiventest.New(t), logs("", func(obj *v1alpha1.ServiceIntegration) {
		obj.Spec.DestinationServiceName, obj.Spec.DestinationEndpointID = "", "named"
	})
	a.On(readSource, showing("my-pg"))
	_, err := Integration.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.Equal(t, "named", obj.Status.DestinationEndpointID)
}
