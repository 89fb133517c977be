package preview

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// livesInService is an object of a kind that lives in a service.
type livesInService interface {
	client.Object
	GetServiceDependant() *v1alpha1.ServiceDependant
}

// siblings are the other objects of the kind in the same service, in all namespaces: together they decide what is revoked or removed. Only
// the kinds whose rules may be those of several objects ask for them.
func (p *comparison) siblings(ctx context.Context) ([]client.Object, error) {
	var list client.ObjectList
	switch p.obj.(type) {
	case *v1alpha1.ClickhouseGrant:
		list = &v1alpha1.ClickhouseGrantList{}
	case *v1alpha1.KafkaACL:
		list = &v1alpha1.KafkaACLList{}
	default:
		return nil, fmt.Errorf("what objects of the kind %T share isn't known", p.obj)
	}
	if err := p.cluster.List(ctx, list); err != nil {
		return nil, fmt.Errorf("listing the objects of the kind in all namespaces, which decide what is revoked: %w", err)
	}
	own := p.obj.(livesInService)
	var siblings []client.Object
	err := meta.EachListItem(list, func(item runtime.Object) error {
		other := item.(livesInService)
		a, b := own.GetServiceDependant(), other.GetServiceDependant()
		same := a.Project == b.Project && a.ServiceName == b.ServiceName
		if same && client.ObjectKeyFromObject(other) != client.ObjectKeyFromObject(own) && !policy.ObservesOnly(other) {
			siblings = append(siblings, other)
		}
		return nil
	})
	return siblings, err
}
