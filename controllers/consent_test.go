package controllers

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/enqueue"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/policy"
	"github.com/aero-operator/aero/controllers/internal/store"
)

// newCautious has an operator that neither adopts nor creates again without consent, and a kind that holds data.
func newCautious(t *testing.T, changes ...func(*v1alpha1.ServiceUser)) *world[*v1alpha1.ServiceUser] {
	t.Helper()
	w := newWorld(t, newUser(changes...))
	w.adoption, w.recreate = policy.Never, policy.Never
	w.kind.HoldsData = true
	w.start(aiven.Options{BaseURL: "http://192.0.2.1"})
	return w
}

func both(changes ...func(*v1alpha1.ServiceUser)) func(*v1alpha1.ServiceUser) {
	return func(u *v1alpha1.ServiceUser) {
		for _, change := range changes {
			change(u)
		}
	}
}

func TestReviewM1_WhatExistsIsLeftAloneWithoutConsent(t *testing.T) {
	for name, marks := range map[string]func(*v1alpha1.ServiceUser){
		"a new object":                               func(*v1alpha1.ServiceUser) {},
		"one that brings all marks along":            forged,
		"one whose drift is reported only":           annotated(annotation.Drift, "Report"),
		"one with a policy that is unknown":          annotated(annotation.Adoption, "adopt"),
		"one that adopts, without a deletion policy": annotated(annotation.Adoption, policy.Adopt),
		"a copy of an object that owned it":          func(u *v1alpha1.ServiceUser) { u.Status.Provenance = ownership.Created(namesake()) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newCautious(t, marks)
			w.observes(differs, nil)
			_, err := w.reconcile()
			require.NoError(t, err, "an update would be a call that the mock doesn't expect")
			assert.Equal(t, "False/AlreadyExists", w.ready())
			assert.Equal(t, "True/AlreadyExists", w.condition(condition.Stalled))
			assert.Equal(t, []v1alpha1.DriftEntry{{Path: "spec.authentication", Wanted: "a", Found: "b"}}, w.get().Status.Drift)
			assert.NotContains(t, w.journal, "finalizers")
			assert.NotContains(t, w.journal, "create", "of a Secret")
			assert.NotContains(t, w.get().Annotations, annotation.Running, "aiven-operator's users read it")
			require.Len(t, w.events, 1)
			assert.Contains(t, w.events[0], "Warning AlreadyExistsAtAiven")

			w.edit(func(u *v1alpha1.ServiceUser) { u.Finalizers = []string{ownership.FinalizerName} })
			w.delete()
			_, err = w.reconcile()
			require.NoError(t, err, "nor is anything deleted")
			assert.True(t, w.gone())
		})
	}
}

func TestReviewM1_AnAdoptionIsRecordedBeforeTheFirstWrite(t *testing.T) {
	consents := both(annotated(annotation.Adoption, policy.Adopt), annotated(annotation.Deletion, policy.Delete))
	w := newCautious(t, consents)
	w.observes(differs, nil).Times(1)
	w.updates(allWell, nil)
	w.observes(allWell, nil)
	_, err := w.reconcile()
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(w.journal), 3)
	assert.Equal(t, []string{"finalizers", "status", "aiven update"}, w.journal[:3])
	require.NotNil(t, w.get().Status.Provenance)
	assert.Equal(t, v1alpha1.ProvenanceAdopted, w.get().Status.Provenance.Type)
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())

	w.edit(func(u *v1alpha1.ServiceUser) { delete(u.Annotations, annotation.Adoption) })
	w.settle()
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready(), "what was adopted stays so")
	w.delete()
	w.deletes(nil)
	w.settle()
	assert.True(t, w.gone())
}

// The finalizer and the annotation of a creation, with the UID of the object, prove what it created. An adoption is in the status only.
func TestC10_AStatusThatIsLostKeepsWhatWasCreatedAndAsksForConsentToTheRest(t *testing.T) {
	adopts := both(annotated(annotation.Adoption, policy.Adopt), annotated(annotation.Deletion, policy.Delete))
	for name, tc := range map[string]struct {
		object     func(*v1alpha1.ServiceUser)
		found      Observation
		provenance v1alpha1.ProvenanceType
		keeps      bool
	}{
		"what it created":   {func(*v1alpha1.ServiceUser) {}, nothing, v1alpha1.ProvenanceCreated, true},
		"what it adopted":   {adopts, allWell, v1alpha1.ProvenanceAdopted, false},
		"what it took over": {reconciledByAivenOperator, allWell, v1alpha1.ProvenanceTakenOver, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newCautious(t, tc.object)
			w.observes(tc.found, nil).Times(1)
			if tc.keeps {
				w.creates(allWell, nil).Times(1)
			}
			w.settle()
			require.Equal(t, "True/ReconciliationSucceeded", w.ready())
			require.Equal(t, tc.provenance, w.get().Status.Provenance.Type)
			w.edit(func(u *v1alpha1.ServiceUser) { delete(u.Annotations, annotation.Adoption) })
			w.wipe()
			w.observes(allWell, nil)
			w.settle() // a write at Aiven would be a call that the mock doesn't expect
			if tc.keeps {
				assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
				assert.Equal(t, tc.provenance, w.get().Status.Provenance.Type)
				w.deletes(nil).Times(1)
			} else {
				assert.Equal(t, "False/AlreadyExists", w.ready())
				assert.Nil(t, w.get().Status.Provenance)
			}
			w.delete()
			w.settle()
			assert.True(t, w.gone())
		})
	}
}

func TestWhatNeedsNoConsentIsManaged(t *testing.T) {
	w := newCautious(t)
	rule := differs
	rule.Free = true
	w.observes(rule, nil)
	w.updates(allWell, nil)
	w.settle()
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
}

func TestAdoptCreatesNothing(t *testing.T) {
	w := newCautious(t, annotated(annotation.Adoption, policy.Adopt), annotated(annotation.Deletion, policy.Orphan))
	w.observes(nothing, nil)
	w.settle()
	assert.Equal(t, "False/NothingToAdopt", w.ready())
	assert.False(t, ownership.HasFinalizer(w.get()))
}

func TestWhatACreationFindsIsItsOwnIfAnAnswerWasLost(t *testing.T) {
	for name, prepare := range map[string]func(w *world[*v1alpha1.ServiceUser]){
		"in this process":    func(w *world[*v1alpha1.ServiceUser]) { w.creates(Observation{}, errors.New("EOF")).Times(1) },
		"in an earlier one":  func(w *world[*v1alpha1.ServiceUser]) { w.edit(finalized) },
		"while Aiven failed": func(w *world[*v1alpha1.ServiceUser]) { w.creates(Observation{}, answer(502, "oops")).Times(1) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newCautious(t)
			prepare(w)
			w.observes(nothing, nil).Times(1)
			if name != "in an earlier one" {
				_, _ = w.reconcile()
				w.observes(nothing, nil).Times(1)
			}
			w.creates(Observation{}, answer(409, "user already exists")).Times(1)
			w.observes(allWell, nil)
			w.settle()
			assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
			assert.Equal(t, v1alpha1.ProvenanceCreated, w.get().Status.Provenance.Type)
			assert.Equal(t, "uid-joe", w.get().Annotations[annotation.Attempted])
		})
	}
}

// The observation that found nothing may be older than what another client has made since.
func TestWhatAnotherClientWasFasterToCreateIsNotTheObjects(t *testing.T) {
	for name, script := range map[string]func(w *world[*v1alpha1.ServiceUser]){
		"Aiven refuses the creation, as it exists": func(w *world[*v1alpha1.ServiceUser]) {
			w.observes(nothing, nil).Times(1)
			w.creates(Observation{}, answer(409, "user already exists")).Times(1)
			w.observes(allWell, nil)
		},
		"it is made while Aiven limits the rate of calls": func(w *world[*v1alpha1.ServiceUser]) {
			w.observes(nothing, nil).Times(1)
			w.creates(Observation{}, answer(429, "later")).Times(1)
			w.observes(allWell, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newCautious(t)
			script(w)
			for range 4 {
				_, err := w.reconcile()
				require.NoError(t, err)
			}
			assert.Equal(t, "False/AlreadyExists", w.ready())
			assert.Empty(t, w.get().Finalizers)
			assert.NotContains(t, w.get().Annotations, annotation.Attempted)
			assert.NotContains(t, w.journal, "create", "of a Secret")
			w.delete()
			assert.True(t, w.gone(), "a deletion at Aiven would be a call that the mock doesn't expect")
		})
	}
}

// What waits and isn't the object's must not show its credentials either.
func TestWhatWaitsAndIsNotOwnedPublishesNothing(t *testing.T) {
	w := newCautious(t)
	waits := allWell
	waits.WaitFor = "Waiting for the first backup"
	w.observes(waits, nil)
	w.settle()
	assert.Equal(t, "False/NotAdopted", w.condition(condition.SecretReady))
	assert.Nil(t, w.get().Status.Provenance)
}

func TestOneOfTwoObjectsCreates(t *testing.T) {
	w := newWorld(t, newUser(), twin())
	w.observes(nothing, nil)
	reservations, reservation, other := &w.engine.identities.Reservations, w.engine.shape.Reservation(w.get()), twin()
	require.True(t, reservations.Of(reservation, other).Take(nil))
	result, err := w.reconcile()
	require.NoError(t, err, "a creation would be a call that the mock doesn't expect")
	assert.Equal(t, "False/Conflict", w.ready())
	assert.Equal(t, w.engine.timings.RequeueAsync, result.RequeueAfter)
	reservations.Of(reservation, other).Release()
	w.creates(allWell, nil)
	w.settle()
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
}

// Two reconciles at once may both find that no other object owns the resource.
func TestOneOfTwoObjectsCreatesThatAreReconciledAtOnce(t *testing.T) {
	w := newWorld(t, newUser(), twin())
	reservations, reservation, other := &w.engine.identities.Reservations, w.engine.shape.Reservation(w.get()), twin()
	w.observes(nothing, nil).Do(func(context.Context, *v1alpha1.ServiceUser) { reservations.Of(reservation, other).Take(nil) })
	result, err := w.reconcile()
	require.NoError(t, err, "a creation would be a call that the mock doesn't expect")
	assert.Equal(t, "Unknown/Progressing", w.ready())
	assert.Contains(t, w.message(condition.Ready), ownership.ErrReserved.Error())
	assert.Equal(t, w.engine.timings.RequeueAsync, result.RequeueAfter)
	assert.NotContains(t, w.journal, "finalizers")
}

// What was ready holds data: made again, it would be empty, and would block a restore.
func TestReviewH5_WhatWasReadyIsNotCreatedAgainWithoutConsent(t *testing.T) {
	w, before := newCautious(t), recreated(t)
	w.observes(nothing, nil).Times(1)
	w.creates(allWell, nil).Times(1)
	w.settle()
	w.observes(nothing, nil).Times(2)
	_, err := w.reconcile()
	require.NoError(t, err, "a creation would be a call that the mock doesn't expect")
	assert.Equal(t, "False/RemoteMissing", w.ready())
	assert.Equal(t, "True/RemoteMissing", w.condition(condition.Stalled))
	assert.Equal(t, "True/Published", w.condition(condition.SecretReady), "the Secret stays as it is")
	require.Len(t, w.events, 1)
	assert.Contains(t, w.events[0], "Warning RemoteResourceMissing")
	w.settle()
	assert.Empty(t, w.events, "once")
	assert.InDelta(t, 0, recreated(t)-before, 0)

	w.edit(annotated(annotation.Recreate, policy.Always))
	w.observes(nothing, nil).Times(1)
	w.creates(allWell, nil).Times(1)
	w.settle()
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
	assert.InDelta(t, 1, recreated(t)-before, 0)
}

func TestReviewM9_ACreationWhoseAnswerIsLostCountsAsRecreated(t *testing.T) {
	ready := func(u *v1alpha1.ServiceUser) { u.Status.Provenance.WasReady = true }
	w, before := newWorld(t, newUser(owning, ready, finalized, annotated(annotation.Recreate, policy.Always))), recreated(t)
	w.observes(nothing, nil).Times(1)
	w.creates(Observation{}, answer(502, "oops")).Times(1)
	_, _ = w.reconcile()
	assert.InDelta(t, 1, recreated(t)-before, 0)
	w.observes(allWell, nil).MinTimes(1)
	w.settle()
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
	assert.InDelta(t, 1, recreated(t)-before, 0, "once")
}

// recreated is how many resources were created again, by the metric.
func recreated(t *testing.T) (total float64) {
	t.Helper()
	families, err := metrics.Registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			if family.GetName() == "aero_recreated_total" {
				total += metric.GetCounter().GetValue()
			}
		}
	}
	return total
}

func TestReviewH5_WhatAPolicyLeavesAsItIsIsNotCreatedAgain(t *testing.T) {
	processed := annotated(annotation.Processed, "1")
	for name, change := range map[string]func(*v1alpha1.ServiceUser){
		"drift is reported":                         both(owning, annotated(annotation.Drift, "Report"), func(u *v1alpha1.ServiceUser) { u.Status.Provenance.WasReady = true }),
		"drift is reported, and it never got ready": both(owning, annotated(annotation.Drift, "Report")),
		"it was taken over":                         both(reconciledByAivenOperator, processed),
	} {
		t.Run(name, func(t *testing.T) {
			w := newCautious(t, change, annotated(annotation.Recreate, policy.Always))
			w.kind.HoldsData = false
			w.start(aiven.Options{BaseURL: "http://192.0.2.1"})
			w.observes(nothing, nil)
			_, err := w.reconcile()
			require.NoError(t, err, "a creation would be a call that the mock doesn't expect")
			assert.Equal(t, "False/RemoteMissing", w.ready())
		})
	}
}

// Reporting drift leaves what is at Aiven as it is: what never was there is created.
func TestWhatAivenHasNeverHadIsCreatedAlsoWhereDriftIsReported(t *testing.T) {
	for name, tc := range map[string]struct {
		before  func(*v1alpha1.ServiceUser)
		refused error // of the first creation
	}{
		"a new object":               {func(*v1alpha1.ServiceUser) {}, nil},
		"its creation was refused":   {func(*v1alpha1.ServiceUser) {}, answer(400, "no")},
		"its creation was attempted": {finalized, answer(502, "oops")},
		"it has the status of a copy": {
			both(finalized, func(u *v1alpha1.ServiceUser) { u.Status.Provenance = ownership.Created(namesake()) }), nil,
		},
		"it only observed": {func(u *v1alpha1.ServiceUser) {
			u.Status.Provenance = &v1alpha1.Provenance{Type: v1alpha1.ProvenanceObserved, UID: u.UID}
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newCautious(t, tc.before, annotated(annotation.Drift, "Report"))
			w.observes(nothing, nil)
			if tc.refused != nil {
				w.creates(Observation{}, tc.refused).Times(1)
				_, _ = w.reconcile()
			}
			w.creates(allWell, nil).Times(1)
			w.settle()
			assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
		})
	}
}

func TestAServiceWhoseFirstCreationWasRefusedIsCreatedAlsoWhereDriftIsReported(t *testing.T) {
	pg := &v1alpha1.PostgreSQL{ObjectMeta: named("pg")}
	metav1.SetMetaDataAnnotation(&pg.ObjectMeta, annotation.Drift, "Report")
	w := newWorld(t, pg)
	w.observes(nothing, nil)
	for _, err := range []error{answer(402, "no more services in this project"), errors.New("EOF")} {
		w.creates(Observation{}, err).Times(1)
		_, _ = w.reconcile()
	}
	w.creates(allWell, nil).Times(1)
	w.settle()
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
}

// Who agreed that a service is made again agreed to that what it contained is.
func TestWhatAServiceContainedIsCreatedAgainWithIt(t *testing.T) {
	for name, tc := range map[string]struct {
		age   int // of the service, in seconds after the user
		ready string
	}{"the service is as old": {0, "False/RemoteMissing"}, "the service was made since": {60, "True/ReconciliationSucceeded"}} {
		t.Run(name, func(t *testing.T) {
			w := newCautious(t, func(u *v1alpha1.ServiceUser) {
				u.Status.Provenance = &v1alpha1.Provenance{Type: v1alpha1.ProvenanceCreated, UID: u.UID, Time: metav1.Unix(1000, 0), WasReady: true}
			})
			pg := &v1alpha1.PostgreSQL{ObjectMeta: named("pg")}
			pg.Status.Provenance = &v1alpha1.Provenance{Type: v1alpha1.ProvenanceCreated, UID: pg.UID, Time: metav1.Unix(1000+int64(tc.age), 0)}
			services := Kind[*v1alpha1.PostgreSQL]{
				Object: pg, IsService: true, Identity: func(*v1alpha1.PostgreSQL) Identity { return Identity{Group: ownership.ServiceGroup} },
				Services: func(obj *v1alpha1.PostgreSQL) []aiven.ServiceKey {
					return []aiven.ServiceKey{{Project: "prj", Service: obj.Name}}
				},
			}
			cluster := fake.NewClientBuilder().WithScheme(w.cluster.Scheme()).WithObjects(pg).
				WithIndex(&v1alpha1.PostgreSQL{}, ownership.Index, services.shape(enqueue.Lister{}).IdentityIndex).Build()
			w.engine.identities.Add(ownership.ServiceGroup, enqueue.Lister{
				Reader: cluster, Kind: v1alpha1.GroupVersion.WithKind("PostgreSQL"), Scheme: w.cluster.Scheme(),
			})
			w.observes(nothing, nil)
			w.creates(allWell, nil).AnyTimes()
			w.settle()
			assert.Equal(t, tc.ready, w.ready())
		})
	}
}

// What a service contained may ask for its age as soon as it is there, also if its object couldn't be written to since.
func TestAServiceIsYoungerBeforeItIsCreatedAgain(t *testing.T) {
	w, before := newWorld(t, &v1alpha1.PostgreSQL{ObjectMeta: named("pg")}), recreated(t)
	w.observes(nothing, nil).Times(1)
	w.creates(allWell, nil).Times(1)
	w.settle()
	first := w.get().Status.Provenance.Time.Time
	w.now = w.now.Add(time.Hour)
	w.observes(nothing, nil)
	w.creates(Observation{}, errors.New("EOF")).Times(1)
	w.before = func(call string) error {
		if call == "aiven create" {
			made := w.get().Status.Provenance
			assert.Equal(t, v1alpha1.ProvenanceCreated, made.Type)
			assert.Equal(t, time.Hour, made.Time.Sub(first))
			assert.True(t, made.WasReady, "the consent has to last until it is there")
		}
		return nil
	}
	_, err := w.reconcile()
	require.ErrorContains(t, err, "EOF")
	assert.Contains(t, w.journal, "aiven create")
	assert.InDelta(t, 1, recreated(t)-before, 0, "it may have been made: the metric, of which there is an alert, has every attempt whose answer was lost")
	w.creates(allWell, nil).Times(1)
	w.settle()
	assert.InDelta(t, 2, recreated(t)-before, 0)
}

// The former service may come back, with what it contained: that isn't lost by a creation that has made nothing.
func TestAServiceIsNoYoungerByACreationThatHasMadeNothing(t *testing.T) {
	lost, refused := errors.New("EOF"), answer(402, "no more services in this project")
	for name, tc := range map[string]struct {
		answers []error // to the creations, one an hour
		younger int     // hours
		found   bool    // by the read after the last one
	}{
		"what Aiven refuses":                              {[]error{answer(400, "no")}, 0, false},
		"what Aiven refuses time and again":               {[]error{refused, refused}, 0, false},
		"what waits for the rate limit":                   {[]error{answer(429, "later")}, 0, false},
		"what waits for the rate limit, and then refused": {[]error{answer(429, "later"), refused}, 0, false},
		"what another client was faster to make":          {[]error{answer(409, "service already exists")}, 0, true},
		"an answer that is lost":                          {[]error{lost}, 1, false},
		"an answer that is lost, and then refused":        {[]error{lost, refused}, 1, false},
		"refused, and then an answer that is lost":        {[]error{refused, lost}, 2, false},
		"an answer that is lost, and what it has made":    {[]error{lost, answer(409, "service already exists")}, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, &v1alpha1.PostgreSQL{ObjectMeta: named("pg")})
			w.observes(nothing, nil).Times(1)
			w.creates(allWell, nil).Times(1)
			w.settle()
			former := w.get().Status.Provenance
			for _, err := range tc.answers {
				w.now = w.now.Add(time.Hour)
				w.observes(nothing, nil).Times(1)
				w.creates(Observation{}, err).Times(1)
				if tc.found && errors.Is(err, tc.answers[len(tc.answers)-1]) {
					w.observes(allWell, nil)
				}
				_, _ = w.reconcile()
			}
			got := w.get().Status.Provenance
			assert.Equal(t, time.Duration(tc.younger)*time.Hour, got.Time.Sub(former.Time.Time))
			assert.True(t, got.WasReady)
		})
	}
}

func TestWhatWasTakenOverStaysSoIfItsCreationIsRefused(t *testing.T) {
	pg := &v1alpha1.PostgreSQL{ObjectMeta: named("pg")}
	pg.Finalizers, pg.Status.ObservedGeneration = []string{ownership.FinalizerName}, 1
	pg.Status.Provenance = &v1alpha1.Provenance{Type: v1alpha1.ProvenanceTakenOver, UID: pg.UID, Time: metav1.Unix(1000, 0), WasReady: true}
	w := newWorld(t, pg)
	w.observes(nothing, nil)
	w.creates(Observation{}, answer(402, "no more services in this project")).Times(1)
	w.before = func(call string) error {
		if call == "aiven create" { // the conclusion is written, too
			assert.Equal(t, v1alpha1.ProvenanceCreated, w.get().Status.Provenance.Type)
		}
		return nil
	}
	w.settle()
	assert.Equal(t, pg.Status.Provenance.Type, w.get().Status.Provenance.Type)
	assert.True(t, pg.Status.Provenance.Time.Equal(&w.get().Status.Provenance.Time))
}

// newBereft is a user that observes that what it has created is gone.
func newBereft(t *testing.T) *world[*v1alpha1.ServiceUser] {
	t.Helper()
	return newRetired(t, nothing)
}

// newRetired is a user that has created its resource and only observes by now, as this observation shows.
func newRetired(t *testing.T, seen Observation) *world[*v1alpha1.ServiceUser] {
	t.Helper()
	w := newCautious(t)
	w.observes(nothing, nil).Times(1)
	w.creates(allWell, nil).Times(1)
	w.settle()
	w.edit(annotated(annotation.Management, policy.Observe))
	w.observes(seen, nil).Times(1)
	w.settle()
	return w
}

// What comes back after it was gone was made by another client.
func TestWhatAnObjectObservesToBeGoneIsNoLongerItsOwn(t *testing.T) {
	for name, tc := range map[string]struct {
		then  Observation
		ready string
	}{
		"it is there again":   {differs, "False/AlreadyExists"},
		"it is still missing": {nothing, "False/RemoteMissing"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newBereft(t)
			assert.Equal(t, v1alpha1.ProvenanceObserved, w.get().Status.Provenance.Type)
			w.edit(func(u *v1alpha1.ServiceUser) { delete(u.Annotations, annotation.Management) })
			w.observes(tc.then, nil)
			w.settle()
			assert.Equal(t, tc.ready, w.ready())
		})
	}
}

func TestWhatAnotherClientMakesWhileAnObjectObservesIsNeitherPublishedNorDeleted(t *testing.T) {
	w := newBereft(t)
	w.observes(allWell, nil)
	w.settle()
	assert.Equal(t, "False/NotAdopted", w.condition(condition.SecretReady))
	assert.Equal(t, v1alpha1.ProvenanceObserved, w.get().Status.Provenance.Type)
	w.edit(func(u *v1alpha1.ServiceUser) { delete(u.Annotations, annotation.Management) })
	require.NoError(t, w.cluster.Delete(t.Context(), w.get()))
	w.settle() // the mock expects no deletion
	assert.True(t, w.gone())
}

// An attempt that has made nothing, as an observation shows, is no proof of owning what another client makes later.
func TestAnAttemptThatMadeNothingOwnsNothingOnceItsObjectOnlyObserves(t *testing.T) {
	w := newCautious(t, finalized, annotated(annotation.Attempted, "uid-joe"), annotated(annotation.Management, policy.Observe))
	w.observes(nothing, nil).Times(1)
	w.settle()
	w.observes(allWell, nil)
	w.settle()
	assert.Equal(t, "False/NotAdopted", w.condition(condition.SecretReady))
	assert.Equal(t, v1alpha1.ProvenanceObserved, w.get().Status.Provenance.Type)
	w.edit(unannotated(annotation.Management))
	w.delete() // the mock expects no deletion
	w.settle()
	assert.True(t, w.gone())
}

func TestReviewH6_AnObjectThatOnlyObservesPublishesNothingThatItDoesNotOwn(t *testing.T) {
	w := newCautious(t, annotated(annotation.Management, policy.Observe))
	w.observes(allWell, nil)
	_, err := w.reconcile()
	require.NoError(t, err)
	assert.NotContains(t, w.journal, "create", "of a Secret")
	assert.Equal(t, "False/NotAdopted", w.condition(condition.SecretReady))
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready(), "what it observes is well")
	assert.Equal(t, v1alpha1.ProvenanceObserved, w.get().Status.Provenance.Type)

	w.edit(both(annotated(annotation.Adoption, policy.Adopt), annotated(annotation.Deletion, policy.Orphan)))
	w.settle()
	assert.Equal(t, "True/Published", w.condition(condition.SecretReady))

	w.edit(func(u *v1alpha1.ServiceUser) {
		u.Annotations = nil
		forged(u)
	})
	w.settle()
	assert.Equal(t, "False/AlreadyExists", w.ready(), "an observation gives no permission")
	assert.Nil(t, meta.FindStatusCondition(w.get().Status.Conditions, condition.Reconciling))
}

// A reservation of what hasn't begun would be in the way of its twins for ever.
func TestAReservationEndsWhereNothingHasBegun(t *testing.T) {
	w := newWorld(t, newUser(), twin())
	w.observes(nothing, nil)
	w.before = func(call string) error {
		if call == "finalizers" {
			return errors.New("boom")
		}
		return nil
	}
	_, err := w.reconcile()
	require.ErrorContains(t, err, "boom")
	w.before = func(string) error { return nil }
	w.key = client.ObjectKeyFromObject(twin())
	w.creates(allWell, nil)
	w.settle()
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
}

// A copy from before may lack what the object has come to own since.
func TestWhatSeemsToOwnNothingIsReadAgainBeforeItGoes(t *testing.T) {
	w := newWorld(t, newUser(func(u *v1alpha1.ServiceUser) { u.Finalizers = []string{ownership.FinalizerName} }))
	w.delete()
	stale := w.get()
	adopted := stale.DeepCopy()
	adopted.Status.Provenance = ownership.Adopted(adopted, w.now)
	require.NoError(t, w.cluster.Status().Update(t.Context(), adopted))
	w.engine.store.Client = interceptor.NewClient(w.cluster, interceptor.Funcs{
		Get: func(_ context.Context, _ client.WithWatch, _ client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
			stale.DeepCopyInto(obj.(*v1alpha1.ServiceUser))
			return nil
		},
	})
	result, err := w.reconcile()
	require.NoError(t, err)
	assert.Equal(t, store.Soon, result.RequeueAfter)
	assert.False(t, w.gone())
	w.deletes(nil).Times(1)
	_, err = w.reconcile()
	require.NoError(t, err)
	assert.True(t, w.gone())
}
