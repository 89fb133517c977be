package controllers

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/policy"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// markTakeover marks what the reference operator has left behind, before the first status of ours makes it look like any
// other object.
func (r *Reconciler[T]) markTakeover(ctx context.Context, p *pass[T]) bool {
	if !status.IsTakeover(p.before, p.before.GetCommonStatus()) {
		return true
	}
	mark := annotation.FormatGeneration(p.before.GetGeneration())
	if err := r.patchAnnotations(ctx, p.before, map[string]*string{annotation.TakenOver: &mark}); err != nil {
		p.facts.Problem = fmt.Errorf("taking over from the reference operator: %w", err)
		return false
	}
	for _, obj := range []client.Object{p.before, p.obj} {
		policy.Annotate(obj, annotation.TakenOver, mark)
	}
	return true
}
