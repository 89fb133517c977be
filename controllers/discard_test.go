package controllers

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/mock/gomock"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/policy"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// spentSource is a Secret that is needed until the status says that the migration is done, and goes then.
func spentSource() reference.Declaration {
	done := func(obj client.Object) bool {
		return meta.IsStatusConditionTrue(obj.(*v1alpha1.ServiceUser).Status.Conditions, condition.MigrationComplete)
	}
	return reference.Declaration{
		Name: "MigrationSecretSource", Kind: reference.SecretKind, Field: "spec.migrationSecretSource", WriteOnly: true,
		Targets: func(obj client.Object) []reference.Target {
			if done(obj) {
				return nil
			}
			return []reference.Target{{NamespacedName: client.ObjectKey{Name: "old"}, Key: "host"}}
		},
		Spent: func(obj client.Object) *reference.Spent {
			if !done(obj) {
				return nil
			}
			return &reference.Spent{Name: "old", Delete: true}
		},
	}
}

// migrated is what the kind finds once the data has arrived.
func migrated() Observation {
	o := allWell
	o.Conditions = []status.KindCondition{{Type: condition.MigrationComplete, True: true, Reason: "MigrationDone", Message: "Migrated"}}
	return o
}

// newMigration is an object whose status has just said that its migration is done.
func newMigration(t *testing.T, changes ...func(*v1alpha1.ServiceUser)) *world[*v1alpha1.ServiceUser] {
	t.Helper()
	old := &corev1.Secret{ObjectMeta: named("old"), Data: map[string][]byte{"host": []byte("db.example.com")}}
	w := newWorld(t, newUser(changes...), old)
	w.engine.kind.References = []reference.Declaration{spentSource()}
	return w
}

// source reports whether the Secret of the migration is there.
func source(w *world[*v1alpha1.ServiceUser]) bool {
	w.t.Helper()
	err := w.cluster.Get(w.t.Context(), client.ObjectKey{Namespace: "ns", Name: "old"}, &corev1.Secret{})
	require.NoError(w.t, client.IgnoreNotFound(err))
	return err == nil
}

func message(w *world[*v1alpha1.ServiceUser]) string {
	return meta.FindStatusCondition(w.get().Status.Conditions, condition.MigrationComplete).Message
}

func TestTheSecretOfAMigrationGoesOnceTheStatusSaysThatItIsDone(t *testing.T) {
	w := newMigration(t)
	w.observes(migrated(), nil)
	w.settle()
	assert.True(t, source(w), "a status that was lost would need it")
	require.Len(t, w.get().Status.ResolvedRefs, 1)

	w.before = func(call string) error { // killed between the deletion and the status
		if call == "status" {
			return errors.New("killed")
		}
		return nil
	}
	_, err := w.reconcile()
	require.Error(t, err)
	assert.False(t, source(w))

	w.before = func(string) error { return nil }
	w.settle()
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
	assert.Equal(t, "Migrated. Secret ns/old is deleted", message(w))
	_, err = w.reconcile()
	require.NoError(t, err)
	assert.Empty(t, w.journal, "at rest")
	assert.Empty(t, w.events)
}

func TestWhatKeepsTheSecretOfAMigration(t *testing.T) {
	for name, change := range map[string]func(*v1alpha1.ServiceUser){
		"a pause":                      func(u *v1alpha1.ServiceUser) { policy.Annotate(u, annotation.Paused, "true") },
		"an object that only observes": func(u *v1alpha1.ServiceUser) { policy.Annotate(u, annotation.Management, policy.Observe) },
		"drift that is only reported":  func(u *v1alpha1.ServiceUser) { policy.Annotate(u, annotation.Drift, status.DriftReport) },
		"an unknown deletion policy":   func(u *v1alpha1.ServiceUser) { policy.Annotate(u, annotation.Deletion, "Oops") },
	} {
		t.Run(name, func(t *testing.T) {
			w := newMigration(t)
			w.observes(migrated(), nil)
			w.settle()
			w.edit(change)
			w.settle()
			w.settle()
			assert.True(t, source(w))
		})
	}
	t.Run("a resource that was created again, without its data", func(t *testing.T) {
		w := newMigration(t)
		found := []Observation{migrated(), nothing}
		w.aiven.EXPECT().Observe(gomock.Any(), gomock.Any()).DoAndReturn(func(context.Context, *v1alpha1.ServiceUser) (Observation, error) {
			next := found[0]
			found = found[1:]
			return next, nil
		}).Times(2)
		w.creates(allWell, nil)
		w.settle()
		w.settle()
		assert.True(t, source(w))
	})
}

func TestAMissingPermissionToDeleteIsReportedOnce(t *testing.T) {
	w := newMigration(t)
	w.observes(migrated(), nil)
	w.settle()
	refused := true
	w.before = func(call string) error {
		if call == "delete" && refused {
			return apierrors.NewForbidden(corev1.Resource("secrets"), "old", errors.New("no rule"))
		}
		return nil
	}
	for range 3 {
		result, err := w.reconcile()
		require.NoError(t, err)
		assert.Greater(t, result.RequeueAfter, 5*time.Minute, "no storm of retries")
	}
	require.Len(t, w.events, 1)
	assert.Contains(t, w.events[0], "Warning UnableToDeleteMigrationSecret Reconcile: Secret ns/old was not deleted")
	assert.Contains(t, message(w), "rbac.deleteMigrationSecrets")
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())

	refused = false
	w.settle()
	assert.False(t, source(w))
	assert.Equal(t, "Migrated. Secret ns/old is deleted", message(w))
}
