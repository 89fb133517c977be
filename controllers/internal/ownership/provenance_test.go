package ownership

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// with changes the status of an object.
func with(obj *v1alpha1.Database, changes ...func(*v1alpha1.CommonStatus)) *v1alpha1.Database {
	for _, change := range changes {
		change(&obj.Status.CommonStatus)
	}
	return obj
}

func recorded(kind v1alpha1.ProvenanceType, uid string) func(*v1alpha1.CommonStatus) {
	return func(s *v1alpha1.CommonStatus) {
		s.Provenance = &v1alpha1.Provenance{Type: kind, UID: types.UID("uid-" + uid)}
	}
}

func observed(generation int64) func(*v1alpha1.CommonStatus) {
	return func(s *v1alpha1.CommonStatus) { s.ObservedGeneration = generation }
}

func conditions(pairs ...string) func(*v1alpha1.CommonStatus) {
	return func(s *v1alpha1.CommonStatus) {
		for i := 0; i < len(pairs); i += 2 {
			s.Conditions = append(s.Conditions, metav1.Condition{Type: pairs[i], Reason: pairs[i+1]})
		}
	}
}

func TestProvenanceIsProvenByTheStatusOrByTheUID(t *testing.T) {
	const owned, accepted = condition.LegacyInitialized, condition.LegacyReasonCreatedOrUpdated
	processed, none := annotated(annotation.Processed), v1alpha1.ProvenanceType("")
	created1 := func(meta *metav1.ObjectMeta) { finalized(meta); annotated(annotation.Attempted)(meta) }
	observes := func(meta *metav1.ObjectMeta) { finalized(meta); annotated(annotation.Management)(meta) }
	for name, tc := range map[string]struct {
		obj  *v1alpha1.Database
		want v1alpha1.ProvenanceType
	}{
		"a new object":                                  {object("x"), none},
		"one with a finalizer of its own":               {object("x", finalized), none},
		"its creation was attempted":                    {object("x", created), v1alpha1.ProvenanceCreated},
		"its creation was attempted, without finalizer": {object("x", func(m *metav1.ObjectMeta) { m.Annotations = map[string]string{annotation.Attempted: "uid-x"} }), none},
		"a copy of one whose creation was attempted":    {object("x", created1), none},
		"recorded":                                      {with(object("x"), recorded(v1alpha1.ProvenanceAdopted, "x")), v1alpha1.ProvenanceAdopted},
		"recorded for another one":                      {with(object("x", finalized), recorded(v1alpha1.ProvenanceAdopted, "y")), none},
		"it only observed":                              {with(object("x", finalized), recorded(v1alpha1.ProvenanceObserved, "x"), observed(1), conditions(owned, accepted)), none},
		"it observed, and has created since":            {with(object("x", created), recorded(v1alpha1.ProvenanceObserved, "x")), v1alpha1.ProvenanceCreated},
		"aiven-operator's":                              {with(object("x", finalized, processed), conditions(owned, accepted, condition.LegacyRunning, "CheckRunning")), v1alpha1.ProvenanceTakenOver},
		"aiven-operator's, without finalizer":           {with(object("x", processed), conditions(owned, accepted)), none},
		"aiven-operator's, while it updates":            {with(object("x", finalized), conditions(owned, "Preconditions", condition.LegacyRunning, "CheckRunning", condition.LegacyError, "CreateOrUpdate")), v1alpha1.ProvenanceTakenOver},
		"aiven-operator's, not accepted":                {with(object("x", finalized), conditions(owned, "Preconditions")), none},
		"a manifest with aiven-operator's marks":        {with(object("x", finalized, processed), observed(-1)), none},
		"a manifest with them that we have a status of": {with(object("x", finalized, processed), observed(1), conditions(owned, "Preconditions", condition.Ready, "Progressing")), none},
		"marks, and a status that is being written":     {with(object("x", finalized, processed), conditions(owned, "Preconditions", condition.Ready, "Progressing")), none},
		"an earlier release has created it":             {with(object("x", created1), observed(1), conditions(owned, accepted)), v1alpha1.ProvenanceCreated},
		"an earlier release has adopted it":             {with(object("x", finalized), observed(1), conditions(owned, accepted)), v1alpha1.ProvenanceAdopted},
		"an earlier release has adopted it, and a mark": {with(object("x", finalized, func(m *metav1.ObjectMeta) { m.Annotations = map[string]string{annotation.TakenOver: "1"} }), observed(1), conditions(owned, accepted)), v1alpha1.ProvenanceAdopted},
		"an earlier release has observed it":            {with(object("x", observes), observed(1), conditions(owned, accepted)), none},
		"an earlier release, without finalizer":         {with(object("x"), observed(1), conditions(owned, accepted)), none},
	} {
		t.Run(name, func(t *testing.T) {
			got := Of(tc.obj)
			assert.Equal(t, tc.want != none, Owns(tc.obj))
			if tc.want == none {
				assert.Nil(t, got)
				return
			}
			assert.Equal(t, tc.want, got.Type)
			assert.Equal(t, tc.obj.GetUID(), got.UID)
			assert.Equal(t, tc.want == v1alpha1.ProvenanceTakenOver, IsTakenOver(got))
		})
	}
}

func TestWhatWaitsForApprovalOrWasReplacedIsNotAcceptedWhole(t *testing.T) {
	accepted := func() *v1alpha1.Database {
		return with(object("x"), recorded(v1alpha1.ProvenanceCreated, "x"), conditions(condition.LegacyInitialized, condition.LegacyReasonCreatedOrUpdated))
	}
	assert.True(t, AcceptsAll(accepted(), false))
	assert.False(t, AcceptsAll(accepted(), true), "a reference was replaced")
	assert.False(t, AcceptsAll(with(accepted(), func(s *v1alpha1.CommonStatus) { s.PendingChanges = &v1alpha1.PendingChanges{} }), false))
	assert.False(t, AcceptsAll(with(object("x"), recorded(v1alpha1.ProvenanceCreated, "x")), false), "Aiven has accepted nothing")
}

func TestAGenerationIsAppliedIfTheStatusProvesWhoseMarkItIs(t *testing.T) {
	const owned, accepted = condition.LegacyInitialized, condition.LegacyReasonCreatedOrUpdated
	processed := func(meta *metav1.ObjectMeta) {
		meta.Generation = 3
		metav1.SetMetaDataAnnotation(meta, annotation.Processed, "3")
	}
	edited := func(meta *metav1.ObjectMeta) { meta.Generation++ }
	takenOver := func(mark string) func(*metav1.ObjectMeta) {
		return func(meta *metav1.ObjectMeta) { metav1.SetMetaDataAnnotation(meta, annotation.TakenOver, mark) }
	}
	observing := func(meta *metav1.ObjectMeta) {
		metav1.SetMetaDataAnnotation(meta, annotation.Management, policy.Observe)
	}
	accepts := func(generation int64) func(*v1alpha1.CommonStatus) {
		return func(s *v1alpha1.CommonStatus) {
			s.Conditions = append(s.Conditions, metav1.Condition{Type: owned, Reason: accepted, ObservedGeneration: generation})
		}
	}
	for name, tc := range map[string]struct {
		obj  *v1alpha1.Database
		want bool
	}{
		"a manifest with marks":                       {with(object("x", processed), observed(-1)), false},
		"one with a status of ours":                   {with(object("x", finalized, processed), observed(1), conditions(owned, "Preconditions", condition.Ready, "Progressing")), false},
		"one whose creation was attempted":            {object("x", created, processed), false},
		"one with the provenance of another":          {with(object("x", finalized, processed), recorded(v1alpha1.ProvenanceCreated, "y")), false},
		"one that created its resource":               {with(object("x", finalized, processed), recorded(v1alpha1.ProvenanceCreated, "x"), accepts(3)), true},
		"one whose status doesn't say so":             {with(object("x", finalized, processed), recorded(v1alpha1.ProvenanceCreated, "x")), false},
		"one whose status is about an earlier spec":   {with(object("x", finalized, processed), observed(2), recorded(v1alpha1.ProvenanceCreated, "x"), accepts(2)), false},
		"one with the status of another":              {with(object("x", finalized, processed), observed(3), recorded(v1alpha1.ProvenanceCreated, "y"), accepts(3)), false},
		"without the mark":                            {with(object("x", finalized), recorded(v1alpha1.ProvenanceCreated, "x")), false},
		"one that only observes":                      {with(object("x", processed, observing), recorded(v1alpha1.ProvenanceObserved, "x"), accepts(3)), true},
		"one that only observed":                      {with(object("x", processed), recorded(v1alpha1.ProvenanceObserved, "x"), accepts(3)), false},
		"one that observed, and has begun to create":  {with(object("x", created, processed), observed(3), recorded(v1alpha1.ProvenanceObserved, "x"), accepts(3)), false},
		"one that has adopted what it observed":       {with(object("x", finalized, processed), recorded(v1alpha1.ProvenanceAdopted, "x")), false},
		"one taken over, and reconciled in vain":      {with(object("x", finalized, processed, takenOver("3")), recorded(v1alpha1.ProvenanceTakenOver, "x")), true},
		"one taken over that was edited since":        {with(object("x", finalized, processed, takenOver("2")), recorded(v1alpha1.ProvenanceTakenOver, "x")), false},
		"aiven-operator's":                            {with(object("x", finalized, processed), conditions(owned, accepted, condition.LegacyRunning, "CheckRunning")), true},
		"one that an earlier release has adopted":     {with(object("x", finalized, processed), observed(1), accepts(3)), true},
		"a manifest with the finalizer and the marks": {with(object("x", finalized, processed), observed(-1)), false},
		"one whose spec was changed":                  {with(object("x", finalized, processed, edited), recorded(v1alpha1.ProvenanceCreated, "x")), false},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tc.want, IsApplied(tc.obj)) })
	}
}

// Users can remove the annotation, and so not make an edit look like a new object.
func TestAnEditIsKnownWithoutTheMark(t *testing.T) {
	const owned, accepted = condition.LegacyInitialized, condition.LegacyReasonCreatedOrUpdated
	own := recorded(v1alpha1.ProvenanceCreated, "x")
	at := func(generation int64) func(*v1alpha1.CommonStatus) {
		return func(s *v1alpha1.CommonStatus) {
			for i := range s.Conditions {
				s.Conditions[i].ObservedGeneration = generation
			}
		}
	}
	waits := func(s *v1alpha1.CommonStatus) { s.PendingChanges = &v1alpha1.PendingChanges{Hash: "h"} }
	third := func(meta *metav1.ObjectMeta) { meta.Generation = 3 }
	for name, tc := range map[string]struct {
		obj  *v1alpha1.Database
		want bool
	}{
		"accepted":            {with(object("x", finalized, third), own, conditions(owned, accepted), at(3)), false},
		"edited":              {with(object("x", finalized, third), own, conditions(owned, accepted), at(2)), true},
		"and waits":           {with(object("x", finalized, third), own, conditions(owned, "Preconditions"), at(3), waits), true},
		"never accepted":      {with(object("x", finalized, third), own, conditions(owned, "Preconditions"), at(3)), false},
		"of another's status": {with(object("x", finalized, third), recorded(v1alpha1.ProvenanceCreated, "y"), waits), false},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tc.want, IsEdited(tc.obj)) })
	}
}

func TestWhatIsRecordedBeforeAWriteAtAiven(t *testing.T) {
	recorded := object("x")
	recorded.Status.Provenance = Created(recorded)
	observed := object("x", finalized, created)
	observed.Status.Provenance = &v1alpha1.Provenance{Type: v1alpha1.ProvenanceObserved, UID: observed.UID}
	for name, tc := range map[string]struct {
		obj                *v1alpha1.Database
		creates, recreates bool
		want               v1alpha1.ProvenanceType // none if empty
	}{
		"an adoption":                          {object("x"), false, false, v1alpha1.ProvenanceAdopted},
		"a creation":                           {object("x"), true, true, ""},
		"a creation that was attempted before": {object("x", finalized, created), true, true, ""},
		"a service that is created again":      {recorded, true, true, v1alpha1.ProvenanceCreated},
		"a creation that one has attempted which only observed": {observed, true, true, ""},
		"another resource": {recorded, true, false, ""},
		"an update":        {recorded, false, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := Next(tc.obj, Of(tc.obj), tc.creates, tc.recreates, noon)
			if tc.want == "" {
				assert.Nil(t, got)
				return
			}
			assert.Equal(t, tc.want, got.Type)
			assert.Equal(t, tc.obj.GetUID(), got.UID)
			assert.True(t, got.Time.Time.Equal(noon))
		})
	}
}

func TestWhatAServiceContainedIsLostWithIt(t *testing.T) {
	at := func(kind v1alpha1.ProvenanceType, d time.Duration) *v1alpha1.Provenance {
		return &v1alpha1.Provenance{Type: kind, UID: "uid-pg", Time: metav1.NewTime(noon.Add(d))}
	}
	for name, tc := range map[string]struct {
		service *v1alpha1.Provenance
		want    bool
	}{
		"the service is older":         {at(v1alpha1.ProvenanceCreated, -time.Hour), false},
		"the service is as old":        {at(v1alpha1.ProvenanceCreated, 0), false},
		"the service was made since":   {at(v1alpha1.ProvenanceCreated, time.Hour), true},
		"it was adopted since":         {at(v1alpha1.ProvenanceAdopted, time.Hour), false},
		"nothing is known of its past": {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			service := object("pg")
			service.Status.Provenance = tc.service
			assert.Equal(t, tc.want, CreatedAfter(at(v1alpha1.ProvenanceCreated, 0), []Duplicate{{Object: service}}))
		})
	}
	assert.False(t, CreatedAfter(nil, []Duplicate{{Object: object("pg")}}))
}

// What another object asks for is left to it where nothing but the operator is in between.
func TestAnObjectIsExpectedToOwnWhatTheOperatorHasNotGotTo(t *testing.T) {
	edited := func(meta *metav1.ObjectMeta) { meta.Generation = 2 }
	for name, tc := range map[string]struct {
		obj  *v1alpha1.Database
		want bool
	}{
		"a new one":                          {with(object("x", edited), observed(-1)), true},
		"one that was edited":                {with(object("x", edited), observed(1)), true},
		"one that was edited, and is paused": {with(object("x", edited, annotatedToo(paused)), observed(1)), false},
		"one that was evaluated":             {with(object("x", edited), observed(2), conditions(condition.Ready, condition.ReasonAwaitingApproval)), false},
		"one without any condition":          {with(object("x", edited), observed(2)), false},
		"one that waits for another":         {with(object("x", edited), observed(2), conditions(condition.Ready, condition.ReasonConflict)), true},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, IsExpected(tc.obj))
		})
	}
}
