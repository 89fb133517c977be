package store

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
)

func TestAConclusionIsWrittenInAnOrderThatShowsNothingOldAsReady(t *testing.T) {
	done := "2"
	status := v1alpha1.CommonStatus{Phase: v1alpha1.PhaseReady}
	for name, tc := range map[string]struct {
		conclusion Conclusion
		want       []string // the part of the object that each write is about
	}{
		"the annotations precede the status": {
			Conclusion{Status: status, Annotations: map[string]*string{"done": &done}}, []string{"annotations", "status"},
		},
		"nothing that is up to date is written": {Conclusion{Annotations: map[string]*string{"absent": nil}}, nil},
		"nothing is written of a conclusion that is deferred": {
			Conclusion{Deferred: true, Status: status, Annotations: map[string]*string{"done": &done}}, nil,
		},
		"the status alone": {Conclusion{Status: status, WasReady: true}, []string{"status"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			before := c.live(t)
			require.NoError(t, c.Writer(before).WriteConclusion(t.Context(), before.DeepCopy(), tc.conclusion))
			var written []string
			for _, patch := range c.patches {
				kind := "annotations"
				if strings.Contains(patch, "/status") {
					kind = "status"
				}
				written = append(written, kind)
			}
			assert.Equal(t, tc.want, written)
			if !tc.conclusion.Deferred {
				assert.Equal(t, tc.conclusion.Status.Phase, c.live(t).Status.Phase)
			}
		})
	}
}

func TestTheOwnFieldsOfAKindAreWrittenWithoutThoseOfAllKinds(t *testing.T) {
	c := newCluster(t)
	before := c.live(t)
	obj := before.DeepCopy()
	obj.Status.Phase = v1alpha1.PhaseReady
	require.NoError(t, c.Writer(before).WriteOwnFields(t.Context(), obj))
	assert.Empty(t, c.patches, "a Database has no status fields of its own")
	assert.Empty(t, c.live(t).Status.Phase)
}

func TestWhichResourceAnObjectMeansIsStoredBeforeAnythingIsConcluded(t *testing.T) {
	c := newCluster(t)
	before := c.live(t)
	w, obj := c.Writer(before), before.DeepCopy()
	require.NoError(t, w.WriteIdentity(t.Context(), obj, func(client.Object) string { return "the same" }))
	moved := func(seen client.Object) string { return fmt.Sprint(seen == client.Object(before)) }
	require.ErrorIs(t, w.WriteIdentity(t.Context(), obj, moved), ErrStale)
}
