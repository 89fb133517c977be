package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
)

// The phases in the life of an object.
const (
	phaseCreate = "create"
	phaseRest   = "requested at rest"
	phaseUpdate = "update"
	phaseDelete = "delete"
)

// named is the name of what is measured for a kind.
func named(phase, kind string) string { return kind + ": " + phase }

const passwordSecret = "declared-password"

// kind is one that is measured.
type kind struct {
	name    string
	example string // and name of its file in docs/examples
	object  object
	prepare func(object)      // before creation; nil for nothing to do
	change  func(object)      // one update
	notes   map[string]string // by phase: how to read its value
}

// allKinds are in the order in which they need each other.
func allKinds() []kind {
	return []kind{
		{
			name: "PostgreSQL", example: "postgresql", object: &v1alpha1.PostgreSQL{},
			change: func(o object) { o.(*v1alpha1.PostgreSQL).Spec.MaintenanceWindowTime = "04:30:00" },
			notes: map[string]string{
				phaseCreate: "all timings are the defaults, and Aiven builds for 2s: a real service is read each second at first, then after each twentieth of the time",
				phaseUpdate: "maintenanceWindowTime",
			},
		},
		{
			name: "Database", example: "database", object: &v1alpha1.Database{},
			prepare: func(o object) { o.(*v1alpha1.Database).Spec.TerminationProtection = new(true) },
			change:  func(o object) { o.(*v1alpha1.Database).Spec.TerminationProtection = nil },
			notes: map[string]string{
				phaseUpdate: "terminationProtection: Aiven has nothing about a database that can be changed",
			},
		},
		{
			name: "ServiceUser", example: "serviceuser", object: &v1alpha1.ServiceUser{},
			change: func(o object) {
				o.(*v1alpha1.ServiceUser).Spec.ConnInfoSecretSource = &v1alpha1.ConnInfoSecretSource{
					Name: passwordSecret, PasswordKey: "password",
				}
			},
			notes: map[string]string{phaseUpdate: "connInfoSecretSource with a new password"},
		},
		{
			name: "ConnectionPool", example: "connectionpool", object: &v1alpha1.ConnectionPool{},
			change: func(o object) { o.(*v1alpha1.ConnectionPool).Spec.PoolSize = 21 },
			notes:  map[string]string{phaseUpdate: "poolSize"},
		},
	}
}

// kinds measures one object of each kind. Nothing else happens meanwhile: the objects that are there already are at
// rest, and polled again only after ten minutes.
func (w *world) kinds(ctx context.Context) error {
	if err := w.startOperator(ctx); err != nil {
		return err
	}
	if err := w.createPassword(ctx); err != nil {
		return err
	}
	all := allKinds()
	for _, k := range all {
		if err := w.live(ctx, k); err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
	}
	slices.Reverse(all)
	for _, k := range all {
		err := w.count(ctx, k, phaseDelete, func(ctx context.Context) error {
			if err := w.delete(ctx, k.object); err != nil {
				return err
			}
			return w.awaitGone(ctx, k.object)
		})
		if err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
	}
	return nil
}

func (w *world) createPassword(ctx context.Context) error {
	password := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: passwordSecret, Namespace: namespace},
		StringData: map[string]string{"password": "declared-by-the-bench"},
	}
	if err := w.kube.Create(ctx, password); err != nil {
		return fmt.Errorf("creating the password's Secret: %w", err)
	}
	return nil
}

// live measures the life of an object, without its end: others may need it.
func (w *world) live(ctx context.Context, k kind) error {
	if err := w.read(k.example, k.object); err != nil {
		return err
	}
	if k.prepare != nil {
		k.prepare(k.object)
	}
	err := w.count(ctx, k, phaseCreate, func(ctx context.Context) error {
		if err := w.create(ctx, k.object); err != nil {
			return err
		}
		return w.await(ctx, k.object, "ready", isReady)
	})
	if err != nil {
		return err
	}
	err = w.count(ctx, k, phaseRest, func(ctx context.Context) error { return w.request(ctx, k.object) })
	if err != nil {
		return err
	}
	return w.count(ctx, k, phaseUpdate, func(ctx context.Context) error {
		if err := w.edit(ctx, k.object, func() { k.change(k.object) }); err != nil {
			return err
		}
		return w.await(ctx, k.object, "ready", isReady)
	})
}

// request asks the operator to reconcile an object, and waits until it has.
func (w *world) request(ctx context.Context, o object) error {
	now := time.Now().Format(time.RFC3339Nano)
	err := w.edit(ctx, o, func() {
		annotations := o.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[annotationRequested] = now
		o.SetAnnotations(annotations)
	})
	if err != nil {
		return err
	}
	return w.await(ctx, o, "reconciled", func(o object) bool { return o.(managed).GetCommonStatus().LastHandledReconcileAt == now })
}

// count adds the calls of a phase to the report.
func (w *world) count(ctx context.Context, k kind, phase string, step func(context.Context) error) error {
	stats, err := w.calls(ctx, step)
	if err != nil {
		return err
	}
	note := byOperation(stats)
	if more := k.notes[phase]; more != "" {
		note += " (" + more + ")"
	}
	w.add(named(phase, k.name), float64(stats.Total), "calls", note)
	return nil
}
