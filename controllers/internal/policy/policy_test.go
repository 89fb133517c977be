package policy_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

func annotated(pairs ...string) *v1alpha1.Database {
	obj := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Name: "orders"}}
	for i := 0; i < len(pairs); i += 2 {
		policy.Annotate(obj, pairs[i], pairs[i+1])
	}
	return obj
}

func TestP19_OnlyTrueMeansPaused(t *testing.T) {
	assert.True(t, policy.IsPaused(annotated(annotation.Paused, "true")))
	assert.False(t, policy.IsPaused(annotated(annotation.Paused, "false")))
	assert.False(t, policy.IsPaused(annotated()))
}

func TestW08_ADeletionPolicyIsKnownOrRefused(t *testing.T) {
	cases := map[string]struct {
		obj  *v1alpha1.Database
		want string
	}{
		"none is Delete": {annotated(), policy.Delete},
		"Delete":         {annotated(annotation.Deletion, "Delete"), policy.Delete},
		"Orphan":         {annotated(annotation.Deletion, "Orphan"), policy.Orphan},
		"a typo":         {annotated(annotation.Deletion, "orphan"), ""},
		"nothing in it":  {annotated(annotation.Deletion, ""), ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := policy.DeletionOf(tc.obj)
			assert.Equal(t, tc.want, got)
			if tc.want == "" {
				require.ErrorContains(t, err, "set it to Orphan or Delete, or remove it")
			}
		})
	}
}

func TestAnyManagementPolicyWritesNothing(t *testing.T) {
	assert.False(t, policy.ObservesOnly(annotated()))
	assert.True(t, policy.ObservesOnly(annotated(annotation.Management, "Observe")))
	assert.True(t, policy.ObservesOnly(annotated(annotation.Management, "observe")), "a typo must not write either")
}

func TestQ04_AnObjectMayAskForItsOwnPollIntervalWithinReason(t *testing.T) {
	usual := 10 * time.Minute
	assert.Equal(t, usual, policy.PollInterval(annotated(), usual))
	assert.Equal(t, time.Hour, policy.PollInterval(annotated(annotation.PollInterval, "1h"), usual))
	assert.Equal(t, 30*time.Second, policy.PollInterval(annotated(annotation.PollInterval, "1s"), usual))
	assert.Equal(t, 30*time.Second, policy.PollInterval(annotated(annotation.PollInterval, "-1h"), usual))
	assert.Equal(t, usual, policy.PollInterval(annotated(annotation.PollInterval, "often"), usual))
}

func TestAnnotatingACopyLeavesTheOriginalAlone(t *testing.T) {
	original := annotated("a", "1")
	copied := *original
	policy.Annotate(&copied, "b", "2")
	assert.Equal(t, map[string]string{"a": "1"}, original.Annotations)
	assert.Equal(t, map[string]string{"a": "1", "b": "2"}, copied.Annotations)
}
