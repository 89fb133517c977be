package kafka

import (
	"context"
	"errors"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=kafkaquotas,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=kafkaquotas/status,verbs=patch

// Quota is the kind KafkaQuota.
var Quota = resource.Definition[*v1alpha1.KafkaQuota, remoteQuota]{
	Object: &v1alpha1.KafkaQuota{},
	Place:  resource.InService("kafka"),
	// Replace it if Aiven knows the resource by less than the fields that can't change, or by more.
	Identity: func(obj *v1alpha1.KafkaQuota) controllers.Identity {
		return controllers.Identity{Name: obj.Spec.Project + "/" + obj.Spec.ServiceName + "/" + obj.Spec.ClientID + "/" + obj.Spec.User}
	},
	Find:   findQuota,
	Diff:   diffQuota,
	Create: createQuota,
	Update: updateQuota,
	Delete: deleteQuota,
}.Kind()

// remoteQuota is the resource at Aiven. Replace it by the type that the client returns.
type remoteQuota struct{}

func findQuota(_ context.Context, _ resource.Scope, _ *v1alpha1.KafkaQuota) (*remoteQuota, error) {
	return nil, errors.New("not implemented: findQuota")
}

// diffQuota can't return an error: what it returns is never corrected.
func diffQuota(_ resource.Scope, _ *v1alpha1.KafkaQuota, _ *remoteQuota) controllers.Diff {
	var diff controllers.Diff
	diff.Add("spec", "not implemented: diffQuota", "")
	return diff
}

func createQuota(_ context.Context, _ resource.Scope, _ *v1alpha1.KafkaQuota) (*remoteQuota, error) {
	return nil, errors.New("not implemented: createQuota")
}

func updateQuota(
	_ context.Context, _ resource.Scope, _ *v1alpha1.KafkaQuota, _ *remoteQuota, _ controllers.Diff,
) (*remoteQuota, error) {
	return nil, errors.New("not implemented: updateQuota")
}

func deleteQuota(_ context.Context, _ resource.Scope, _ *v1alpha1.KafkaQuota, _ *remoteQuota) error {
	return errors.New("not implemented: deleteQuota")
}
