package convergence

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
)

func database(version string, generation int64) *v1alpha1.Database {
	return &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{
		Namespace: "apps", Name: "orders", UID: "1", ResourceVersion: version, Generation: generation,
	}}
}

func TestUpdatesAreExhaustedAfterTwoThatChangedNothing(t *testing.T) {
	differs := func(found any) []userconfig.Difference {
		return []userconfig.Difference{userconfig.NewDifference("spec.x", 2, found)}
	}
	plan, moved := differs(1), differs("1") // which have one text
	obj := database("8", 1)
	secrets := Versions{{Namespace: "apps", Name: "password"}: "3"}
	rotated := Versions{{Namespace: "apps", Name: "password"}: "4"}
	var a Tracker
	assert.False(t, a.Exhausted(obj, plan, secrets))
	a.Accepted(obj, plan, secrets)
	assert.False(t, a.Exhausted(obj, plan, secrets), "Aiven may be slow to show it")
	a.Accepted(obj, plan, secrets)
	assert.True(t, a.Exhausted(obj, plan, secrets))
	assert.False(t, a.Exhausted(obj, moved, secrets), "the value at Aiven has changed")
	assert.False(t, a.Exhausted(database("9", 2), plan, secrets), "the spec has changed")
	assert.False(t, a.Exhausted(obj, plan, rotated), "the Secret has changed")
	a.Accepted(obj, moved, secrets)
	assert.False(t, a.Exhausted(obj, moved, secrets), "another difference is counted separately")
	a.Accepted(obj, moved, secrets)
	a.Reset(obj)
	assert.False(t, a.Exhausted(obj, moved, secrets))
}
