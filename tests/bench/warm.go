package main

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
)

const (
	// warmEdits are the writes to each object that warms the API server: in all, there are as many as the family takes.
	warmEdits = 4
	warmLabel = "aero-bench-warm"
)

// warm makes as many writes as the family takes, while no operator runs. The memory of an API server that was just started grows with
// them, and taking it from the system costs as much time as many of the writes; that of a cluster has run for long. The bare client
// finds it so in any case.
func (w *world) warm(ctx context.Context) error {
	group, writing := errgroup.WithContext(ctx)
	group.SetLimit(writers)
	for i := range familyObjects {
		group.Go(func() error { return w.warmWith(writing, fmt.Sprintf("warm-%04d", i)) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if err := w.kube.DeleteAllOf(ctx, &v1alpha1.Database{}, client.InNamespace(namespace), client.HasLabels{warmLabel}); err != nil {
		return fmt.Errorf("deleting what warmed the API server: %w", err)
	}
	return nil
}

func (w *world) warmWith(ctx context.Context, name string) error {
	database := &v1alpha1.Database{}
	if err := w.read("database", database); err != nil {
		return err
	}
	database.SetName(name)
	database.SetLabels(map[string]string{warmLabel: ""})
	if err := w.create(ctx, database); err != nil {
		return err
	}
	for n := range warmEdits {
		mark := func() { metav1.SetMetaDataAnnotation(&database.ObjectMeta, annotationRequested, fmt.Sprint(n)) }
		if err := w.edit(ctx, database, mark); err != nil {
			return err
		}
	}
	return nil
}
