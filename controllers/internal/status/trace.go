package status

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/tracing"
)

// Trace adds the conclusion to the span of a reconcile, in attributes that are the same for every object.
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
