package preview

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// siblings are the other grants in the same service, in all namespaces: together they decide what is revoked. No other kind asks for
// them.
func (p *comparison) siblings(ctx context.Context) ([]client.Object, error) {
	own, is := p.obj.(*v1alpha1.ClickhouseGrant)
	if !is {
		return nil, fmt.Errorf("what objects of the kind %T share isn't known", p.obj)
	}
	var list v1alpha1.ClickhouseGrantList
	if err := p.cluster.List(ctx, &list); err != nil {
		return nil, fmt.Errorf("listing the ClickhouseGrants of all namespaces, which decide what is revoked: %w", err)
	}
	var siblings []client.Object
	for i := range list.Items {
		other := &list.Items[i]
		if other.Spec.ServiceDependant == own.Spec.ServiceDependant && client.ObjectKeyFromObject(other) != client.ObjectKeyFromObject(own) && !policy.ObservesOnly(other) {
			siblings = append(siblings, other)
		}
	}
	return siblings, nil
}
