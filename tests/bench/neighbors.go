package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/tests/localaiven"
)

const (
	silentObjects = 1000
	neighbors     = 20

	silentService = "bench-silent"
	otherService  = "bench-other"
	otherTeam     = "other-team"
)

// What is measured beside a team whose service doesn't answer.
const (
	measuredBesideReads  = "1,000 objects whose reads aren't answered: another team's new object is ready"
	measuredBesideWrites = "1,000 objects whose writes aren't answered: another team's new object is ready"
)

// neighbors applies objects of a team whose service doesn't answer, and then, one after the other, objects of another team.
func (w *world) neighbors(ctx context.Context) error {
	for _, silence := range []struct {
		measured string
		calls    localaiven.Match
	}{
		{measuredBesideReads, localaiven.Match{Path: "/service/" + silentService}},
		{measuredBesideWrites, localaiven.Match{Path: "/service/" + silentService + "/", Method: "POST"}},
	} {
		took, err := w.beside(ctx, silence.calls)
		if err != nil {
			return err
		}
		w.add(silence.measured, slices.Max(took).Seconds(), "s", fmt.Sprintf("the slowest of %d users, one after the other", neighbors))
	}
	return nil
}

// beside returns how long each object of the other team took while the calls weren't answered.
func (w *world) beside(ctx context.Context, silent localaiven.Match) ([]time.Duration, error) {
	if err := w.silence(ctx); err != nil {
		return nil, err
	}
	id, err := w.admin.AddFault(ctx, localaiven.Fault{Match: silent, Effect: localaiven.Effect{Hold: localaiven.BeforeApply}})
	if err != nil {
		return nil, fmt.Errorf("silencing a service: %w", err)
	}
	crowd := w.newCrowd("silent")
	for i := range silentObjects {
		if err := crowd.add("serviceuser", fmt.Sprintf("silent-user-%04d", i), silentService); err != nil {
			return nil, err
		}
	}
	if err := crowd.create(ctx); err != nil {
		return nil, err
	}
	err = until(ctx, "a call that isn't answered", func(ctx context.Context) (bool, error) {
		state, err := w.admin.Fault(ctx, id)
		return state.Held, err
	})
	if err != nil {
		return nil, err
	}
	var took []time.Duration
	for i := range neighbors {
		one := w.newCrowd(fmt.Sprintf("neighbor-%d", i))
		one.namespace = otherTeam
		if err := one.add("serviceuser", fmt.Sprintf("neighbor-user-%02d", i), otherService); err != nil {
			return nil, err
		}
		if err := one.apply(ctx); err != nil {
			return nil, err
		}
		took = append(took, one.last().Sub(one.begin))
	}
	return took, nil
}

// silence starts again, with a service of each team, which both answer.
func (w *world) silence(ctx context.Context) error {
	if err := w.restartAiven(ctx, "--latency", latency.String()); err != nil {
		return err
	}
	if err := w.startPlane(ctx); err != nil {
		return err
	}
	if err := w.kube.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: otherTeam}}); err != nil {
		return fmt.Errorf("creating the namespace of the other team: %w", err)
	}
	if err := w.giveToken(ctx, otherTeam); err != nil {
		return err
	}
	if err := w.startOperator(ctx); err != nil {
		return err
	}
	for namespace, service := range map[string]string{namespace: silentService, otherTeam: otherService} {
		one := w.newCrowd(service)
		one.namespace = namespace
		if err := one.add("postgresql", service, ""); err != nil {
			return err
		}
		if err := one.apply(ctx); err != nil {
			return err
		}
	}
	return nil
}
