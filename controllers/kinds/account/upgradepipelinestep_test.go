package account

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

const (
	stepRoute  = "/v1/organization/org1/upgrade-pipeline/steps"
	stepLists  = "GET " + stepRoute
	stepCreate = "POST " + stepRoute
	stepNames  = `"destination_project_name":"demo","destination_service_name":"pg","source_project_name":"dev","source_service_name":"pg"`
)

func pipelineStep(id string) *v1alpha1.UpgradePipelineStep {
	obj := &v1alpha1.UpgradePipelineStep{ObjectMeta: metav1.ObjectMeta{Namespace: aiventest.Namespace, Name: "pg"}}
	obj.Spec.OrganizationID, obj.Spec.AutoValidationDelayDays = "org1", ptr.To(0)
	obj.Spec.SourceProjectName, obj.Spec.SourceServiceName = "dev", "pg"
	obj.Spec.DestinationProjectName, obj.Spec.DestinationServiceName = aiventest.Project, "pg"
	obj.Status.ID = id
	return obj
}

// stepAt is a step between the services of pipelineStep, with some fields changed.
func stepAt(id string, changes aiventest.Object) aiventest.Object {
	fields := aiventest.Object{
		"step_id": id, "auto_validation_delay_days": 0, "last_validation": nil, "source_project_name": "dev", "source_service_name": "pg",
		"destination_project_name": aiventest.Project, "destination_service_name": "pg",
	}
	for key, value := range changes {
		fields[key] = value
	}
	return fields
}

// swapped is a step the other way round.
func swapped(id string) aiventest.Object {
	return stepAt(id, aiventest.Object{"source_project_name": aiventest.Project, "destination_project_name": "dev"})
}

func stepsAt(total int, steps ...any) aiventest.Answer {
	return aiventest.OK(aiventest.Object{"steps": append([]any{}, steps...), "total_count": total})
}

func TestStepObserve(t *testing.T) {
	validation := aiventest.Object{"comment": "fine", "validated_at": "2026-03-01T10:00:00Z", "validated_by_user": nil}
	for name, tc := range map[string]struct {
		had    string
		lists  []aiventest.Answer
		exists bool
		diff   []string
		id     string
		calls  int
		class  fault.Class
		says   []string
	}{
		"found by its four names":       {lists: []aiventest.Answer{stepsAt(2, swapped("x"), stepAt("y", nil))}, exists: true, id: "y", calls: 1},
		"none of these names":           {had: "gone", lists: []aiventest.Answer{stepsAt(1, swapped("x"))}, calls: 1},
		"no steps at all":               {lists: []aiventest.Answer{stepsAt(0)}, calls: 1},
		"an id that is outdated":        {had: "gone", lists: []aiventest.Answer{stepsAt(1, stepAt("y", nil))}, exists: true, id: "y", calls: 1},
		"two, and the status names one": {had: "y", lists: []aiventest.Answer{stepsAt(2, stepAt("x", nil), stepAt("y", nil))}, exists: true, id: "y", calls: 1},
		"two, and the status names none": {
			lists: []aiventest.Answer{stepsAt(2, stepAt("y", nil), stepAt("x", nil))}, calls: 1, class: fault.Invalid, says: []string{"x and y", "Delete one of them"},
		},
		"another delay": {
			lists: []aiventest.Answer{stepsAt(1, stepAt("y", aiventest.Object{"auto_validation_delay_days": 7}))}, exists: true, id: "y",
			diff: []string{"spec.autoValidationDelayDays"}, calls: 1,
		},
		"a validation without a user, which is automatic":     {lists: []aiventest.Answer{stepsAt(1, stepAt("y", aiventest.Object{"last_validation": validation}))}, exists: true, id: "y", calls: 1},
		"more steps than a page has":                          {lists: []aiventest.Answer{stepsAt(120, swapped("x")), stepsAt(1, stepAt("y", nil))}, exists: true, id: "y", calls: 2},
		"more steps than a page has, and none of these names": {lists: []aiventest.Answer{stepsAt(120, swapped("x")), stepsAt(0)}, calls: 2},
		"a filtered list that isn't whole": {
			lists: []aiventest.Answer{stepsAt(120, swapped("x")), stepsAt(120, swapped("x"))}, calls: 2, class: fault.Unknown, says: []string{"isn't the whole list"},
		},
		"an answer without a list":  {lists: []aiventest.Answer{aiventest.OK(aiventest.Object{})}, calls: 1, class: fault.Unknown},
		"a list that is denied":     {lists: []aiventest.Answer{aiventest.Refused(403, "no")}, calls: 1, class: fault.Forbidden},
		"an organization not known": {lists: []aiventest.Answer{aiventest.Refused(404, "Organization does not exist")}, calls: 1, class: fault.Invalid, says: []string{"spec.organizationId: Aiven knows no organization org1", "avn organization list"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(stepLists, tc.lists...)
			obj := pipelineStep(tc.had)
			o, err := UpgradePipelineStep.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), obj)
			assert.Len(t, a.Calls(), tc.calls)
			if tc.class != "" {
				assert.Equal(t, tc.class, fault.Of(err).Class)
				for _, text := range tc.says {
					assert.ErrorContains(t, err, text)
					assert.NotContains(t, fault.Of(err).Message, "UpgradePipelineStepList", "a user knows the field, and not how it is read")
				}
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.exists, o.Remote.Exists)
			assert.Equal(t, append([]string{}, tc.diff...), o.Diff.Paths())
			assert.Equal(t, tc.id, obj.Status.ID)
		})
	}
}

func TestAStepNamesTheEndThatIsMissing(t *testing.T) {
	for name, tc := range map[string]struct {
		source, destination aiventest.Answer
		want                string
	}{
		"the source":      {aiventest.Missing(), aiventest.Service(nil), "spec.sourceServiceName dev/pg: "},
		"the destination": {aiventest.Service(nil), aiventest.Missing(), "spec.destinationServiceName demo/pg: "},
		"one of them":     {aiventest.Refused(403, "no"), aiventest.Refused(403, "no"), "spec.sourceServiceName or spec.destinationServiceName: "},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(stepCreate, aiventest.Refused(404, "Service pg does not exist"))
			a.On("GET /v1/project/dev/service/pg", tc.source)
			a.On("GET service/pg", tc.destination)
			a.On(stepLists, stepsAt(0))
			c := UpgradePipelineStep.New(controllers.Env{Client: a.Client()})
			_, err := c.Observe(t.Context(), pipelineStep(""))
			require.NoError(t, err)
			_, err = c.Create(t.Context(), pipelineStep(""))
			require.ErrorContains(t, err, tc.want)
		})
	}
}

func TestAnOrganizationThatNoPathCanHoldIsNamed(t *testing.T) {
	obj := pipelineStep("")
	obj.Spec.OrganizationID = "../x"
	_, err := UpgradePipelineStep.New(controllers.Env{Client: aiventest.New(t).Client()}).Observe(t.Context(), obj)
	assert.EqualError(t, err, `spec.organizationId: "../x" can't be a name at Aiven: it would change the paths of calls. `+
		"Recreate the object with another spec.organizationId")
}

func TestV08_TheLastValidationIsShown(t *testing.T) {
	for name, tc := range map[string]struct {
		shown any
		want  *v1alpha1.UpgradePipelineStepLastValidation
	}{
		"none": {nil, nil},
		"by a user": {
			aiventest.Object{"comment": "fine", "validated_at": "2026-03-01T10:00:00Z", "validated_by_user": "me@example.com"},
			&v1alpha1.UpgradePipelineStepLastValidation{Comment: "fine", ValidatedByUser: "me@example.com"},
		},
		"after the delay": {
			aiventest.Object{"comment": nil, "validated_at": "2026-03-01T10:00:00Z", "validated_by_user": nil}, &v1alpha1.UpgradePipelineStepLastValidation{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(stepLists, stepsAt(1, stepAt("y", aiventest.Object{"last_validation": tc.shown})))
			obj := pipelineStep("y")
			obj.Status.LastValidation = &v1alpha1.UpgradePipelineStepLastValidation{Comment: "of long ago"}
			_, err := UpgradePipelineStep.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), obj)
			require.NoError(t, err)
			if tc.want != nil {
				tc.want.ValidatedAt = ptr.To(metav1.NewTime(time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)))
			}
			assert.Equal(t, tc.want, obj.Status.LastValidation)
		})
	}
}

func TestStepWrites(t *testing.T) {
	const update = "PATCH " + stepRoute + "/y"
	for name, tc := range map[string]struct {
		before, answer aiventest.Answer
		calls          []string
		class          fault.Class
		says           []string
	}{
		"create": {stepsAt(0), aiventest.OK(stepAt("y", nil)), []string{stepLists, stepCreate + ` {"auto_validation_delay_days":0,` + stepNames + `}`}, fault.None, nil},
		"change": {stepsAt(1, stepAt("y", aiventest.Object{"auto_validation_delay_days": 7})), aiventest.OK(stepAt("y", nil)), []string{stepLists, update + ` {"auto_validation_delay_days":0}`}, fault.None, nil},
		"no services": {
			stepsAt(0), aiventest.Refused(404, "Service pg does not exist"),
			[]string{stepLists, stepCreate + ` {"auto_validation_delay_days":0,` + stepNames + `}`, "GET /v1/project/dev/service/pg", "GET service/pg"},
			fault.NotFound, []string{"spec.sourceServiceName dev/pg: ", "Service pg does not exist"},
		},
		"services of two types": {
			stepsAt(0), aiventest.Refused(400, "Invalid destination_service_name 'pg': its type kafka is not that of the source"),
			[]string{stepLists, stepCreate + ` {"auto_validation_delay_days":0,` + stepNames + `}`}, fault.Rejected, []string{"spec.destinationServiceName", "Recreate the object"},
		},
		"change refused": {
			stepsAt(1, stepAt("y", aiventest.Object{"auto_validation_delay_days": 7})), aiventest.Refused(400, "Invalid auto_validation_delay_days 0"),
			[]string{stepLists, update + ` {"auto_validation_delay_days":0}`}, fault.Rejected, []string{"spec.autoValidationDelayDays"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(stepLists, tc.before)
			a.On(stepCreate, tc.answer)
			a.On(update, tc.answer)
			a.On("GET service/pg", aiventest.Missing())
			a.On("GET /v1/project/dev/service/pg", aiventest.Missing())
			obj, c := pipelineStep(""), UpgradePipelineStep.New(controllers.Env{Client: a.Client()})
			o, err := c.Observe(t.Context(), obj)
			require.NoError(t, err)
			if o.Remote.Exists {
				o, err = c.Update(t.Context(), obj, o)
			} else {
				o, err = c.Create(t.Context(), obj)
			}
			assert.Equal(t, tc.calls, a.Calls())
			assert.Equal(t, tc.class, fault.Of(err).Class)
			if err != nil {
				message := (*fault.Secrets)(nil).Refusal(err, "Aiven rejected the change", "")
				for _, text := range tc.says {
					assert.Contains(t, message, text)
				}
				return
			}
			assert.True(t, o.Remote.Active)
			assert.Empty(t, o.Diff)
			assert.Equal(t, "y", obj.Status.ID)
		})
	}
}

func TestAStepWhoseAnswerIsLostIsNotCreatedTwice(t *testing.T) {
	a := aiventest.New(t)
	a.On(stepLists, stepsAt(0))
	a.On(stepCreate, aiventest.Refused(http.StatusBadGateway, "oops"))
	env, obj := controllers.Env{Client: a.Client()}, pipelineStep("")
	c := UpgradePipelineStep.New(env)
	_, err := c.Observe(t.Context(), obj)
	require.NoError(t, err)
	_, err = c.Create(t.Context(), obj)
	require.Error(t, err)
	o, err := UpgradePipelineStep.New(env).Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.NotEmpty(t, o.WaitFor, "it is pending, not absent")
}

func TestStepDelete(t *testing.T) {
	const remove = "DELETE " + stepRoute + "/y"
	shown, denied := stepsAt(1, stepAt("y", nil)), aiventest.Refused(403, "no")
	for name, tc := range map[string]struct {
		lists   []aiventest.Answer
		remove  aiventest.Answer
		calls   []string
		done    bool
		pending bool
	}{
		"deleted":                        {[]aiventest.Answer{shown}, aiventest.OK(nil), []string{stepLists, remove}, true, false},
		"gone":                           {[]aiventest.Answer{stepsAt(0)}, aiventest.OK(nil), []string{stepLists, stepLists}, true, false},
		"gone meanwhile":                 {[]aiventest.Answer{shown, stepsAt(0)}, aiventest.Refused(404, "Upgrade pipeline step does not exist"), []string{stepLists, remove, stepLists}, true, false},
		"a 404 for a step that is shown": {[]aiventest.Answer{shown}, aiventest.Refused(404, "Upgrade pipeline step does not exist"), []string{stepLists, remove, stepLists}, false, true},
		"a list that is denied":          {[]aiventest.Answer{denied}, aiventest.OK(nil), []string{stepLists}, false, false},
		"two of these names":             {[]aiventest.Answer{stepsAt(2, stepAt("x", nil), stepAt("z", nil))}, aiventest.OK(nil), []string{stepLists}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(stepLists, tc.lists...)
			a.On(remove, tc.remove)
			outcome := deletion.Of(UpgradePipelineStep.New(controllers.Env{Client: a.Client()}).Delete(t.Context(), pipelineStep("y")))
			assert.Equal(t, tc.done, outcome.Done, "%+v", outcome)
			assert.Equal(t, tc.pending, outcome.Pending, "%+v", outcome)
			assert.Equal(t, tc.calls, a.Calls())
		})
	}
}

func TestAHundredStepsOfTwoPagesCostACallEach(t *testing.T) {
	a := aiventest.New(t)
	client, err := aiven.New(aiven.Options{BaseURL: "http://aiven.test", Transport: a, WatchInterval: time.Hour}).ForToken("a-token")
	require.NoError(t, err)
	var lists []aiventest.Answer
	lists = append(lists, stepsAt(100, swapped("x")))
	for i := range 100 {
		lists = append(lists, stepsAt(1, stepAt(fmt.Sprint(i), aiventest.Object{"source_service_name": fmt.Sprint("pg-", i)})))
	}
	a.On(stepLists, lists...)
	for i := range 100 {
		obj := pipelineStep("")
		obj.Spec.SourceServiceName = fmt.Sprint("pg-", i)
		o, err := UpgradePipelineStep.New(controllers.Env{Client: client}).Observe(t.Context(), obj)
		require.NoError(t, err)
		assert.True(t, o.Remote.Exists)
	}
	assert.Len(t, a.Calls(), 101)
}

func TestAStepIsEnqueuedByItsServicesAndOutlivesThem(t *testing.T) {
	obj := pipelineStep("")
	assert.Equal(t, []aiven.ServiceKey{{Project: "dev", Service: "pg"}, {Project: aiventest.Project, Service: "pg"}}, UpgradePipelineStep.Services(obj))
	assert.Equal(t, controllers.Identity{Name: "org1/dev/pg/demo/pg"}, UpgradePipelineStep.Identity(obj))
	assert.Equal(t, "dev/pg/demo/pg", UpgradePipelineStep.Item(obj).Key)
}
