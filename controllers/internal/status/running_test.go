package status

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/controllers/internal/annotation"
)

// aiven-operator's users take an object for ready if both annotations say so, so the one of readiness has to go with the
// write that brings the new generation.
func TestReadinessIsTakenBackUntilAivenShowsTheChange(t *testing.T) {
	sent := func(path string) finding {
		return all(remote(Remote{Exists: true, State: "RUNNING", Reason: "Updating", Message: "Waiting"}), published, updated(path))
	}
	shown := func(r Remote) finding { r.Exists = true; return all(remote(r), published) }
	for name, tt := range map[string]struct {
		sent, working, done finding
		want                string
	}{
		"powered: false": {
			sent: sent("spec.powered"), working: shown(Remote{State: "RUNNING", Reason: "Updating"}),
			done: shown(Remote{State: "POWEROFF", PoweredOff: true}), want: "false",
		},
		"a plan": {
			sent: sent("spec.plan"), working: shown(Remote{State: "REBUILDING", Reason: "Rebuilding"}),
			done: shown(Remote{State: "RUNNING", Active: true}), want: "true",
		},
		"a version": {
			sent: sent("spec.userConfig.pg_version"), working: shown(Remote{State: "REBUILDING", Reason: "Rebuilding"}),
			done: shown(Remote{State: "RUNNING", Active: true}), want: "true",
		},
		"a change whose write was lost": {
			sent: shown(Remote{State: "REBUILDING", Reason: "Rebuilding"}), working: shown(Remote{State: "REBUILDING", Reason: "Rebuilding"}),
			done: shown(Remote{State: "RUNNING", Active: true}), want: "true",
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := newObject(true)
			o.reconcile(t, serviceCreated)
			o.now = o.now.Add(5 * time.Minute)
			o.reconcile(t, serviceInSync)
			assert.Equal(t, "true", o.annotations[annotation.Running])

			o.generation++
			o.reconcile(t, tt.sent)
			assert.Equal(t, "2", o.annotations[annotation.Processed])
			assert.NotContains(t, o.annotations, annotation.Running, "the write that follows the change")
			assert.Equal(t, "Starting", string(o.status.Phase))
			o.now = o.now.Add(10 * time.Second)
			o.reconcile(t, tt.working)
			assert.NotContains(t, o.annotations, annotation.Running, "while Aiven works")
			o.reconcile(t, observeFails(down))
			assert.NotContains(t, o.annotations, annotation.Running, "while Aiven is away")
			o.now = o.now.Add(5 * time.Minute)
			o.reconcile(t, tt.done)
			assert.Equal(t, tt.want, o.annotations[annotation.Running])
		})
	}
	t.Run("a change that Aiven refuses takes nothing back", func(t *testing.T) {
		o := newObject(true)
		o.reconcile(t, serviceInSync)
		o.generation++
		o.reconcile(t, all(serviceInSync, refused(errBadRequest)))
		assert.Equal(t, "true", o.annotations[annotation.Running])
		assert.Equal(t, "1", o.annotations[annotation.Processed])
	})
	t.Run("a change that is done at once takes nothing back", func(t *testing.T) {
		o := newObject(true)
		o.reconcile(t, serviceInSync)
		o.generation++
		o.reconcile(t, all(serviceInSync, updated("spec.tags")))
		assert.Equal(t, "true", o.annotations[annotation.Running])
	})
}

func TestTheMarkOfATakeoverIsWrittenThoughNothingIsRead(t *testing.T) {
	o := newObject(false)
	o.reconcile(t, paused)
	assert.NotContains(t, o.annotations, annotation.TakenOver)
	o.reconcile(t, paused, func(f *Facts) { f.TakenOver = "1" })
	assert.Equal(t, "1", o.annotations[annotation.TakenOver])
}
