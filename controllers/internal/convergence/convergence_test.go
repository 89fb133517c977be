package convergence

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
)

func database(version string, generation int64) *v1alpha1.Database {
	return &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{
		Namespace: "apps", Name: "orders", UID: "1", ResourceVersion: version, Generation: generation,
	}}
}

func TestUpdatesAreExhaustedAfterTwoThatChangedNothing(t *testing.T) {
	plan := []v1alpha1.DriftEntry{{Path: "spec.plan", Wanted: "a", Found: "b"}}
	moved := []v1alpha1.DriftEntry{{Path: "spec.plan", Wanted: "a", Found: "c"}}
	obj := database("8", 1)
	var a Tracker
	assert.False(t, a.Exhausted(obj, plan))
	a.Accepted(obj, plan)
	assert.False(t, a.Exhausted(obj, plan), "Aiven may be slow to show it")
	a.Accepted(obj, plan)
	assert.True(t, a.Exhausted(obj, plan))
	assert.False(t, a.Exhausted(obj, moved), "the value at Aiven has changed")
	assert.False(t, a.Exhausted(database("9", 2), plan), "the spec has changed")
	a.Accepted(obj, moved)
	assert.False(t, a.Exhausted(obj, moved), "another difference is counted separately")
	a.Accepted(obj, moved)
	a.Reset(obj)
	assert.False(t, a.Exhausted(obj, moved))
}
