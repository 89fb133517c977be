package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
)

const (
	namespace = metav1.NamespaceDefault

	conditionReady      = "Ready"
	annotationRequested = "controllers.aiven.io/reconcile-requested-at"
)

// object is one of aiven.io, or a ConnectionSecret.
type object interface{ client.Object }

// managed is what all kinds of aiven.io have in common.
type managed interface {
	object
	GetCommonStatus() *v1alpha1.CommonStatus
}

// read fills an object from its example.
func (o *options) read(example string, into object) error {
	text, err := os.ReadFile(filepath.Join(o.root, exampleFolder, example+".yaml"))
	if err != nil {
		return fmt.Errorf("reading the example: %w", err)
	}
	if err := yaml.UnmarshalStrict(text, into); err != nil {
		return fmt.Errorf("reading the example %s: %w", example, err)
	}
	into.SetNamespace(namespace)
	return nil
}

// isReady reports whether the present spec is ready, not an earlier one.
func isReady(o object) bool {
	var conditions []metav1.Condition
	observed := o.GetGeneration()
	switch o := o.(type) {
	case managed:
		conditions, observed = o.GetCommonStatus().Conditions, o.GetCommonStatus().ObservedGeneration
	case *aero.ConnectionSecret:
		conditions, observed = o.Status.Conditions, o.Status.ObservedGeneration
	}
	return observed == o.GetGeneration() && meta.IsStatusConditionTrue(conditions, conditionReady)
}

func (w *world) create(ctx context.Context, o object) error {
	if err := w.kube.Create(ctx, o); err != nil {
		return fmt.Errorf("creating %s: %w", o.GetName(), err)
	}
	return nil
}

func (w *world) delete(ctx context.Context, o object) error {
	if err := w.kube.Delete(ctx, o); err != nil {
		return fmt.Errorf("deleting %s: %w", o.GetName(), err)
	}
	return nil
}

// edit patches an object as a person with an editor would.
func (w *world) edit(ctx context.Context, o object, change func()) error {
	base := o.DeepCopyObject().(client.Object)
	change()
	if err := w.kube.Patch(ctx, o, client.MergeFrom(base)); err != nil {
		return fmt.Errorf("changing %s: %w", o.GetName(), err)
	}
	return nil
}

// await waits until the object is as wanted.
func (w *world) await(ctx context.Context, o object, what string, done func(object) bool) error {
	return until(ctx, fmt.Sprintf("%s to be %s", o.GetName(), what), func(ctx context.Context) (bool, error) {
		if err := w.kube.Get(ctx, client.ObjectKeyFromObject(o), o); err != nil {
			return false, fmt.Errorf("reading it: %w", err)
		}
		return done(o), nil
	})
}

func (w *world) awaitGone(ctx context.Context, o object) error {
	return until(ctx, o.GetName()+" to be gone", func(ctx context.Context) (bool, error) {
		err := w.kube.Get(ctx, client.ObjectKeyFromObject(o), o)
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return false, err
	})
}
