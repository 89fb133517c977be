package conformance_test

import (
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// withoutPolls is a configuration by which nothing at Aiven is noticed that no object asks for.
func withoutPolls(c *config.Config) {
	testenv.OnlyWatches(c)
	c.WatchInterval, c.ListInterval = time.Hour, time.Hour
}

func (s *testCase) appliesAfresh() {
	s.begin()
	s.edit()
	s.Wait(s.obj, testenv.Ready())
	mark := s.Aiven.Mark()
	s.Annotate(s.obj, processed, "")
	s.Until(func() bool { s.Get(s.obj); return s.obj.GetAnnotations()[processed] == "2" }, func() string {
		return "the mark doesn't come back"
	})
	s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase))
	assert.Equal(s.T, s.kind.updates(), s.Aiven.Writes(mark))
}

func (s *testCase) reportsAfresh() {
	s.begin()
	s.edit()
	s.Wait(s.obj, testenv.Ready())
	s.Annotate(s.obj, driftPolicy, "Report")
	// No reconcile is under way when the annotation is removed: one that has read it wouldn't set it again.
	request(s.Env, s.obj, "reports")
	s.Wait(s.obj, testenv.Ready())
	s.kind.drift(s.Env)
	mark := s.Aiven.Mark()
	s.Annotate(s.obj, processed, "")
	s.Wait(s.obj, testenv.Ready(), testenv.Condition("Drifted", metav1.ConditionTrue, "ReportOnly"))
	assert.NotEmpty(s.T, s.obj.GetCommonStatus().Drift)
	assert.Empty(s.T, s.Aiven.Writes(mark))
	s.Until(func() bool { s.Get(s.obj); return s.obj.GetAnnotations()[processed] == "2" }, func() string {
		return "the mark doesn't come back"
	})
	s.Annotate(s.obj, driftPolicy, "")
	s.Wait(s.obj, testenv.Ready())
	s.Until(func() bool { return s.kind.repaired(s.Env) }, func() string { return "the change at the console stays" })
}

// request requests a reconcile of an object, and waits until it has ended.
func request(e *testenv.Env, obj testenv.Object, value string) {
	e.T.Helper()
	e.Annotate(obj, requested, value)
	e.Until(func() bool {
		e.Get(obj)
		return obj.GetCommonStatus().LastHandledReconcileAt == value
	}, func() string { return "the requested reconcile doesn't end" })
}

func (s *testCase) reconcilesOnDemand() {
	s.begin()
	s.agreesToRecreate()
	s.remove()
	request(s.Env, s.obj, "now")
	s.Wait(s.obj, testenv.Ready())
	assert.True(s.T, s.there())
}
