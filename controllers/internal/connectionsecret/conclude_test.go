package connectionsecret_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/connectionsecret"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

var now = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

var errNoGrant = &connectionsecret.GrantError{Field: "spec.sourceRef", Kind: "ServiceUser", Namespace: "data", From: "apps"}

// shown is a status as lines: type=status/reason.
func shown(status aero.SecretStatus) []string {
	var lines []string
	for _, c := range status.Conditions {
		lines = append(lines, fmt.Sprintf("%s=%s/%s", c.Type, c.Status, c.Reason))
	}
	return lines
}

func message(status aero.SecretStatus) string { return status.Conditions[0].Message }

func fresh() *aero.ConnectionSecret {
	obj := reader("data")
	obj.Generation = 3
	obj.Status.ObservedGeneration = -1
	return obj
}

// published is an object that was ready a minute ago.
func published(t *testing.T) *aero.ConnectionSecret {
	t.Helper()
	obj := fresh()
	values, err := connectionsecret.ValuesOf(postgres(), &obj.Spec.SecretContents, "")
	require.NoError(t, err)
	obj.Status.SecretStatus = connectionsecret.Conclude(obj, values, nil, now.Add(-time.Minute), 0)
	return obj
}

func TestAPublishedSecretIsReady(t *testing.T) {
	obj := published(t)
	assert.Equal(t, []string{"Ready=True/ReconciliationSucceeded", "SecretReady=True/Published"}, shown(obj.Status.SecretStatus))
	assert.Equal(t, int64(3), obj.Status.ObservedGeneration)
	assert.Equal(t, &aero.SecretBinding{Name: "orders"}, obj.Status.Binding)
	assert.Equal(t, &aero.EndpointStatus{Host: "pg.test", Port: 21, Route: "dynamic", Usage: "primary"}, obj.Status.Endpoint)

	values, err := connectionsecret.ValuesOf(postgres(), &obj.Spec.SecretContents, "")
	require.NoError(t, err)
	assert.Equal(t, obj.Status.SecretStatus, connectionsecret.Conclude(obj, values, nil, now, 0), "what is the same isn't written")

	values, err = connectionsecret.ValuesOf(sources()["project"], &obj.Spec.SecretContents, "")
	require.NoError(t, err)
	assert.Nil(t, connectionsecret.Conclude(obj, values, nil, now, 0).Endpoint, "a project has none")
}

func TestAnErrorHasAReasonAndLeavesWhatIsPublished(t *testing.T) {
	conflict := &connection.OwnershipError{Secret: types.NamespacedName{Namespace: "apps", Name: "orders"}, Object: "ConnectionSecret orders"}
	for name, tc := range map[string]struct {
		err   error
		ready string
		other string
		says  string
	}{
		"a bad template":             {&connectionsecret.TemplateError{Key: "A", Err: errors.New("line 1")}, "False/InvalidTemplate", "Stalled", "spec.data[A]: line 1"},
		"a missing route":            {&connectionsecret.RouteError{Component: "pg", Route: "public", Problem: "has none"}, "False/RouteNotAvailable", "", "the component pg of the service has none"},
		"no grant":                   {errNoGrant, "False/ReferenceNotPermitted", "", "spec.sourceRef needs a ReferenceGrant in the namespace data, from ConnectionSecret of aero-operator.io in the namespace apps to ServiceUser of aiven.io"},
		"no source":                  {&connectionsecret.MissingError{Field: "spec.sourceRef", Target: "ServiceUser data/joe"}, "False/ReferenceNotFound", "", "spec.sourceRef: ServiceUser data/joe doesn't exist"},
		"an invalid spec":            {fault.InvalidSpec("spec.presets", "it can't be"), "False/InvalidSpec", "Stalled", "spec.presets: it can't be"},
		"a foreign Secret":           {conflict, "False/ConnInfoSecretConflict", "", "Secret apps/orders exists and has no controller"},
		"a Secret that goes":         {&connection.PendingError{Secret: conflict.Secret, Problem: "is being deleted"}, "Unknown/Progressing", "Reconciling", "is being deleted"},
		"a source that isn't known":  {&connectionsecret.WaitError{For: "ServiceUser data/joe"}, "Unknown/Progressing", "Reconciling", "Waiting for ServiceUser data/joe"},
		"an error of the API server": {errors.New("connection refused"), "Unknown/ProgressingWithRetry", "Reconciling", "connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			failed := connectionsecret.Conclude(fresh(), connectionsecret.Values{}, fmt.Errorf("reconciling: %w", tc.err), now, 0)
			want := []string{"Ready=" + tc.ready}
			if tc.other != "" {
				want = append(want, tc.other+"=True/"+failed.Conditions[0].Reason)
			}
			secret := "SecretReady=False/NotYetAvailable"
			if errors.Is(tc.err, conflict) {
				secret = "SecretReady=False/OwnedByOther"
			}
			assert.Equal(t, append(want, secret), shown(failed))
			assert.Contains(t, message(failed), tc.says)
			assert.Equal(t, int64(3), failed.ObservedGeneration)
			assert.Nil(t, failed.Binding)

			before := published(t)
			before.Generation++
			failed = connectionsecret.Conclude(before, connectionsecret.Values{}, tc.err, now, 0)
			assert.Contains(t, shown(failed), "Ready="+tc.ready)
			assert.Equal(t, before.Status.Binding, failed.Binding, "the Secret stays")
			assert.Equal(t, before.Status.Endpoint, failed.Endpoint)
			if !errors.Is(tc.err, conflict) {
				assert.Contains(t, shown(failed), "SecretReady=True/Published")
			}
			before.Status.SecretStatus = failed
			values, err := connectionsecret.ValuesOf(postgres(), &before.Spec.SecretContents, "")
			require.NoError(t, err)
			healed := connectionsecret.Conclude(before, values, nil, now, 0)
			assert.Equal(t, []string{"Ready=True/ReconciliationSucceeded", "SecretReady=True/Published"}, shown(healed))
		})
	}
}

// Conditions and events are read in terminals.
func TestAMessageHasNoCharactersThatTerminalsActUpon(t *testing.T) {
	for name, err := range map[string]error{
		"of a template": &connectionsecret.TemplateError{Key: "A", Err: errors.New("line 1:\n\x1b[31mRED\u202e")},
		"of an owner":   &connection.OwnershipError{Owner: "Ki\u202end \x1b[31mRED\n"},
		"of a spec":     fault.InvalidSpec("spec.data", "\x1b[31mRED\u202e\n"),
	} {
		t.Run(name, func(t *testing.T) {
			for _, c := range connectionsecret.Conclude(fresh(), connectionsecret.Values{}, err, now, 0).Conditions {
				assert.Equal(t, fault.OneLine(c.Message), c.Message, c.Type)
			}
		})
	}
}

func TestARestartChangesNoStatus(t *testing.T) {
	obj := published(t)
	wait := &connectionsecret.WaitError{For: "ServiceUser data/joe"}
	assert.Equal(t, obj.Status.SecretStatus, connectionsecret.Conclude(obj, connectionsecret.Values{}, wait, now, 0))
	lost := &connectionsecret.WaitError{For: "ServiceUser data/joe", Observed: true}
	assert.Contains(t, shown(connectionsecret.Conclude(obj, connectionsecret.Values{}, lost, now, 0)), "Ready=Unknown/Progressing", "the source has no login")
	obj.Generation++
	assert.Contains(t, shown(connectionsecret.Conclude(obj, connectionsecret.Values{}, wait, now, 0)), "Ready=Unknown/Progressing", "the new spec isn't published")
}

func TestARequestIsHandledUnlessNothingIsKnownYet(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		want string
	}{
		"published": {nil, "now"}, "no grant": {errNoGrant, "now"}, "after a restart": {&connectionsecret.WaitError{For: "ServiceUser data/joe"}, ""},
		"no login": {&connectionsecret.WaitError{For: "ServiceUser data/joe", Observed: true}, "now"},
	} {
		t.Run(name, func(t *testing.T) {
			obj := published(t)
			assert.Empty(t, obj.Status.LastHandledReconcileAt)
			obj.Annotations = map[string]string{"controllers.aiven.io/reconcile-requested-at": "now"}
			assert.Empty(t, connectionsecret.Paused(obj, now).LastHandledReconcileAt, "a paused object handles none")
			assert.Equal(t, tc.want, connectionsecret.Conclude(obj, connectionsecret.Values{}, tc.err, now, 0).LastHandledReconcileAt)
		})
	}
}

func TestASecretThatIsGoneIsNotNamed(t *testing.T) {
	for name, err := range map[string]error{"after a restart": &connectionsecret.WaitError{For: "ServiceUser data/joe"}, "without a grant": errNoGrant,
		"a source that is missing since now": &connectionsecret.MissingError{Field: "spec.sourceRef", Target: "ServiceUser data/joe"}} {
		t.Run(name, func(t *testing.T) {
			obj := published(t)
			kept := connectionsecret.Conclude(obj, connectionsecret.Values{}, err, now, time.Minute)
			assert.NotNil(t, kept.Binding)
			assert.Contains(t, shown(kept), "SecretReady=True/Published")
			got := connectionsecret.Conclude(obj, connectionsecret.Values{}, &connectionsecret.GoneError{Err: err}, now, time.Minute)
			assert.Nil(t, got.Binding)
			assert.Nil(t, got.Endpoint)
			assert.Contains(t, shown(got), "SecretReady=False/NotYetAvailable")
			assert.NotContains(t, shown(got), "Ready=True/ReconciliationSucceeded")
		})
	}
}

func TestAPauseThatIsOverIsNotShownWhileNothingIsKnown(t *testing.T) {
	obj := published(t)
	obj.Status.SecretStatus = connectionsecret.Paused(obj, now)
	got := connectionsecret.Conclude(obj, connectionsecret.Values{}, &connectionsecret.WaitError{For: "ServiceUser data/joe"}, now, 0)
	assert.NotContains(t, shown(got), "Paused=True/PausedByAnnotation")
	assert.Contains(t, shown(got), "Ready=True/ReconciliationSucceeded")
}

func TestASecretOfAnotherIsReadAgainEverMoreSlowly(t *testing.T) {
	obj, foreign := published(t), &connection.OwnershipError{}
	status := connectionsecret.Conclude(obj, connectionsecret.Values{}, foreign, now, 0)
	recheck := func(after time.Duration, err error) time.Duration {
		return connectionsecret.Recheck(status, err, now.Add(after), 10*time.Second, 5*time.Minute)
	}
	for after, want := range map[time.Duration]time.Duration{0: 10 * time.Second, 30 * time.Second: 30 * time.Second, time.Hour: 5 * time.Minute} {
		assert.Equal(t, want, recheck(after, foreign), after)
	}
	assert.Positive(t, recheck(0, &connection.PendingError{}))
	assert.Positive(t, recheck(0, &connectionsecret.GrantError{Unserved: true}), "no grant can be there")
	assert.Positive(t, recheck(0, &connectionsecret.WaitError{Unwatched: true}))
	assert.Zero(t, recheck(0, errNoGrant), "a grant enqueues it")
	assert.Zero(t, recheck(0, &connectionsecret.WaitError{}), "its source enqueues it")
	assert.Zero(t, recheck(0, nil))
}

func TestATransitionHasTheTimeOfTheChange(t *testing.T) {
	obj := published(t)
	obj.Status.SecretStatus = connectionsecret.Conclude(obj, connectionsecret.Values{}, errNoGrant, now, 0)
	assert.Equal(t, metav1.NewTime(now), obj.Status.Conditions[0].LastTransitionTime)
	assert.Equal(t, metav1.NewTime(now.Add(-time.Minute)), obj.Status.Conditions[1].LastTransitionTime, "the Secret hasn't changed")
}
