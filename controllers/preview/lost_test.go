package preview

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/annotation"
)

func TestWhatHeldDataAndIsMissingIsRefusedWithoutConsent(t *testing.T) {
	// It was ready, and is missing at Aiven.
	gone := func(annotations map[string]string) *v1alpha1.PostgreSQL {
		return owned(func(pg *v1alpha1.PostgreSQL) {
			pg.Name, pg.Status.Provenance.WasReady = "gone", true
			for key, value := range annotations {
				pg.Annotations[key] = value
			}
		})
	}
	inService := v1alpha1.ServiceDependant{
		ProjectDependant: v1alpha1.ProjectDependant{ProjectField: v1alpha1.ProjectField{Project: aiventest.Project}},
		ServiceField:     v1alpha1.ServiceField{ServiceName: "my-pg"},
	}
	meta, status := gone(nil).ObjectMeta, gone(nil).Status.CommonStatus
	database, user := &v1alpha1.Database{ObjectMeta: meta}, &v1alpha1.ServiceUser{ObjectMeta: meta}
	database.Spec.ServiceDependant, database.Status.CommonStatus = inService, *status.DeepCopy()
	user.Spec.ServiceDependant, user.Status.CommonStatus = inService, *status.DeepCopy()
	const refused = "Missing at Aiven, after it was ready. It isn't created again, as it would be empty. Restore it, or "
	for name, tc := range map[string]struct {
		obj  controllers.Object
		set  func(*world)
		want Result
	}{
		"a service":  {obj: gone(nil), want: Result{Action: Refuse, Message: refused + "set the annotation " + annotation.Recreate}},
		"a database": {obj: database, want: Result{Action: Refuse, Message: refused + "set the annotation " + annotation.Recreate}},
		"an object that only reports": {
			obj:  gone(map[string]string{annotation.Drift: "Report"}),
			want: Result{Action: Refuse, Message: "Restore it, or remove the annotation " + annotation.Drift},
		},
		"an object that only reports, and was never ready": {
			obj: func() controllers.Object {
				pg := gone(map[string]string{annotation.Drift: "Report"})
				pg.Status.Provenance.WasReady = false
				return pg
			}(),
			want: Result{Action: Refuse, Message: "Restore it, or remove the annotation " + annotation.Drift},
		},
		"a service, with consent": {obj: gone(map[string]string{annotation.Recreate: "Always"}), want: Result{Action: Create}},
		"a service, with consent of the Namespace": {
			obj: gone(nil), set: func(w *world) { w.cluster[0].SetAnnotations(map[string]string{annotation.Recreate: "Always"}) },
			want: Result{Action: Create},
		},
		"a service, with consent of the operator": {
			obj: gone(nil), set: func(w *world) { w.options.Recreate = "Always" }, want: Result{Action: Create},
		},
		"a service, with consent of the operator alone": {
			obj: gone(map[string]string{annotation.Recreate: "Never"}), set: func(w *world) { w.options.Recreate = "Always" },
			want: Result{Action: Refuse, Message: refused},
		},
		"a service that was never ready": {
			obj:  func() controllers.Object { pg := gone(nil); pg.Status.Provenance.WasReady = false; return pg }(),
			want: Result{Action: Create},
		},
		"a user, who holds no data": {obj: user, want: Result{Action: Create}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.aiven.On("GET service/gone", aiventest.Missing())
			if tc.set != nil {
				tc.set(w)
			}
			got := w.compare(t, tc.obj)
			assert.Equal(t, tc.want.Action, got.Action, got.Message)
			assert.Contains(t, got.Message, tc.want.Message)
			if tc.want.Message == "" {
				assert.Empty(t, got.Message)
			}
		})
	}
}
