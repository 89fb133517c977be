package kafka

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/annotation"
)

// onlyObserved is the provenance of an object that owns nothing.
var onlyObserved = &v1alpha1.Provenance{Type: v1alpha1.ProvenanceObserved, UID: "u"}

func TestAnObjectThatObservesRecordsNoRule(t *testing.T) {
	owned := &v1alpha1.Provenance{Type: v1alpha1.ProvenanceCreated, UID: "u"}
	for name, tc := range map[string]struct {
		had   string
		asked []v1alpha1.KafkaACLRule
		owns  *v1alpha1.Provenance
		rules []any
		id    string
		kept  []v1alpha1.KafkaACLRule
	}{
		"that owned none":                       {rules: []any{read}},
		"whose status names one from observing": {had: "new", asked: askedBefore, owns: onlyObserved, rules: []any{read}},
		"beside its own":                        {had: "old", asked: askedBefore, owns: owned, rules: []any{read, write}, id: "old", kept: askedBefore},
		"in place of its own, which is gone":    {had: "old", asked: askedBefore, owns: owned, rules: []any{read}, id: "old", kept: askedBefore},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := aiventest.New(t), acl(tc.had)
			a.On(lookup, allowing(tc.rules...))
			obj.Annotations = map[string]string{annotation.Management: "Observe"}
			obj.Status.Requested = append(obj.Status.Requested, tc.asked...)
			obj.Status.Provenance = tc.owns
			_, o := observed(t, ACL, beside(a.Client()), obj)
			assert.True(t, o.Remote.Exists)
			assert.Equal(t, tc.id, obj.Status.ID)
			assert.ElementsMatch(t, tc.kept, obj.Status.Requested)
		})
	}
}

// The id or the request is from a time in which the object observed, or its creation was refused. The rule may be another object's.
func TestAnObjectThatOwnsNothingReplacesNoRule(t *testing.T) {
	for name, tc := range map[string]struct {
		had   string
		asked []v1alpha1.KafkaACLRule
		owns  *v1alpha1.Provenance
	}{
		"by an id":                         {had: "old", owns: onlyObserved},
		"by an id without a provenance":    {had: "old"},
		"by a request":                     {asked: askedBefore, owns: onlyObserved},
		"by the status of a former object": {had: "old", owns: &v1alpha1.Provenance{Type: v1alpha1.ProvenanceCreated, UID: "another"}},
		"by both without any provenance":   {had: "old", asked: askedBefore},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := aiventest.New(t), acl(tc.had)
			a.On(lookup, allowing(write), allowing(write), allowing(write, read))
			a.On(aclAdd, aiventest.OK(aiventest.Object{"acl": []any{}}))
			obj.Status.Requested = append(obj.Status.Requested, tc.asked...)
			obj.Status.Provenance = tc.owns
			c, o := observed(t, ACL, beside(a.Client()), obj)
			assert.False(t, o.Remote.Exists)
			assert.Empty(t, obj.Status.ID, "the object owns a rule as soon as it has asked for one")
			requestRule(obj, nil)
			_, err := c.Create(t.Context(), obj)
			require.NoError(t, err)
			assert.Equal(t, []v1alpha1.KafkaACLRule{obj.GetRule()}, obj.Status.Requested, "which isn't shown yet")
			assert.Empty(t, obj.Status.ID)
			_, o = observed(t, ACL, beside(a.Client()), obj)
			assert.Empty(t, o.Diff)
			assert.Equal(t, "new", obj.Status.ID)
			assert.Equal(t, []string{lookup, aclAdded, lookup, lookup}, a.Calls(), "no rule is deleted")
		})
	}
}
