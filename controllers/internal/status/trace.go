package status

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/tracing"
)

// Errors implements tracing.Facts.
func (f *Facts) Errors() []error {
	var deletion error
	if f.Deletion != nil {
		deletion = f.Deletion.Err
	}
	all := []error{f.PolicyErr, f.TokenErr, f.Problem, f.ObserveErr, f.MutateErr, f.Secret.Err, deletion}
	for _, ref := range f.References {
		all = append(all, ref.Err)
	}
	return all
}

// Trace sets the attributes of the span of a reconcile, with values that are the same for every object.
func (c *Conclusion) Trace(ctx context.Context, facts *Facts) {
	if !tracing.IsRecording(ctx) {
		return
	}
	attributes := []attribute.KeyValue{
		attribute.Int64("aero.generation", facts.Generation),
		attribute.String("aero.conclusion.row", c.Row),
		attribute.String("aero.phase", string(c.Status.Phase)),
	}
	if ready := apimeta.FindStatusCondition(c.Status.Conditions, condition.Ready); ready != nil {
		attributes = append(attributes, attribute.String("aero.ready", string(ready.Status)), attribute.String("aero.conclusion.reason", ready.Reason))
	}
	if facts.Mutation != Unchanged {
		attributes = append(attributes, attribute.String("aero.mutation", string(facts.Mutation)))
	}
	tracing.SetAttributes(ctx, attributes...)
}
