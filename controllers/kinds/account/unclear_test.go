package account

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
)

// checkUnclear creates what isn't there, with an answer that doesn't hold it, and observes it until Aiven shows it.
func checkUnclear[T controllers.Object](t *testing.T, w *world, kind controllers.Kind[T], obj T, appear func()) {
	env := controllers.Env{Client: w.client}
	c := kind.New(env)
	o, err := c.Observe(t.Context(), obj)
	require.NoError(t, err)
	require.False(t, o.Remote.Exists)
	o, err = c.Create(t.Context(), obj)
	require.NoError(t, err)
	assert.Equal(t, "Creating", o.Remote.Reason, "%+v", o.Remote)
	o, err = kind.New(env).Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.Equal(t, "Creating", o.Remote.Reason, "within the lag it isn't made twice")
	appear()
	w.now = w.now.Add(readLag)
	o, err = kind.New(env).Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.True(t, o.Remote.Active)
}

func TestNothingIsConcludedFromAnAnswerThatDoesNotHoldTheNewStep(t *testing.T) {
	for name, answer := range map[string]aiventest.Object{
		"empty": {}, "without an id": stepAt("", nil), "another one": swapped("theirs"),
	} {
		t.Run(name, func(t *testing.T) {
			w, obj := newWorld(t), pipelineStep("")
			w.On(stepLists, stepsAt(0))
			w.On(stepCreate, aiventest.OK(answer))
			checkUnclear(t, w, UpgradePipelineStep, obj, func() {
				assert.Empty(t, obj.Status.ID)
				w.On(stepLists, stepsAt(1, stepAt("ours", nil)))
			})
			assert.Equal(t, "ours", obj.Status.ID)
		})
	}
}

func TestNothingIsConcludedFromAnAnswerThatDoesNotHoldTheNewVPC(t *testing.T) {
	for name, answer := range map[string]any{
		"empty": aiventest.Object{}, "without an id": at("", "APPROVED", nil),
		"another one": at("theirs", "APPROVED", aiventest.Object{"network_cidr": "10.1.0.0/24"}),
	} {
		t.Run(name, func(t *testing.T) {
			w, obj := newWorld(t), network("")
			w.On(list, listed())
			w.On(create, aiventest.OK(answer))
			checkUnclear(t, w, VPC, obj, func() {
				assert.Equal(t, [2]string{}, [2]string{obj.Status.ID, obj.Status.State})
				w.On(list, listed(at("ours", "ACTIVE", nil)))
			})
			assert.Equal(t, "ours", obj.Status.ID)
		})
	}
}

func TestAVPCWithoutAnIdIsNotTheOneOfAStatusWithoutAnId(t *testing.T) {
	w, obj := newWorld(t), network("")
	w.On(list, listed(at("", "ACTIVE", aiventest.Object{"network_cidr": "10.1.0.0/24"})))
	obj.DeletionTimestamp = &metav1.Time{Time: w.now}
	require.NoError(t, VPC.New(controllers.Env{Client: w.client}).Delete(t.Context(), obj), "it holds back no deletion")
}

func TestNothingIsConcludedFromAnAnswerThatDoesNotHoldTheNewProject(t *testing.T) {
	for what, names := range map[string]aiventest.Object{
		"without a name": {"project_name": "", "project_id": ""},
		"another one":    {"project_name": "theirs", "project_id": "theirs"},
	} {
		t.Run(what, func(t *testing.T) {
			eachSide(t, func(t *testing.T, s side, w *world) {
				w.On(s.list, s.listed())
				w.On(s.get, aiventest.Refused(http.StatusNotFound, "Project does not exist"))
				w.On(s.post, s.answer(s.one(names)))
				b := s.bind(w.client)
				_, err := b.observe(t)
				require.NoError(t, err)
				o, err := b.create(t)
				require.NoError(t, err)
				assert.Equal(t, "Creating", o.Remote.Reason, "%+v", o.Remote)
				if obj, is := b.object().(*v1alpha1.Project); is {
					assert.Empty(t, obj.Status.VatID, "it is another project's")
				}
				o, err = s.bindAgain(b, w).observe(t)
				require.NoError(t, err)
				assert.Equal(t, "Creating", o.Remote.Reason, "within the lag it isn't made twice")
			})
		})
	}
}
