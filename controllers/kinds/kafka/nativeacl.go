package kafka

import (
	"context"
	"errors"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=kafkanativeacls,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=kafkanativeacls/status,verbs=patch

// NativeACL is the kind KafkaNativeACL.
var NativeACL = resource.Definition[*v1alpha1.KafkaNativeACL, remoteNativeACL]{
	Object: &v1alpha1.KafkaNativeACL{},
	Place:  resource.InService("kafka"),
	// Replace it if Aiven knows the resource by less than the fields that can't change, or by more.
	Identity: func(obj *v1alpha1.KafkaNativeACL) controllers.Identity {
		return controllers.Identity{Name: obj.Spec.Project + "/" + obj.Spec.ServiceName + "/" + obj.Spec.Host + "/" + obj.Spec.Operation + "/" + obj.Spec.PatternType + "/" + obj.Spec.PermissionType + "/" + obj.Spec.Principal + "/" + obj.Spec.ResourceName + "/" + obj.Spec.ResourceType}
	},
	Find:   findNativeACL,
	Diff:   diffNativeACL,
	Create: createNativeACL,
	Update: updateNativeACL,
	Delete: deleteNativeACL,
}.Kind()

// remoteNativeACL is the resource at Aiven. Replace it by the type that the client returns.
type remoteNativeACL struct{}

func findNativeACL(_ context.Context, _ resource.Scope, _ *v1alpha1.KafkaNativeACL) (*remoteNativeACL, error) {
	return nil, errors.New("not implemented: findNativeACL")
}

// diffNativeACL can't return an error: what it returns is never corrected.
func diffNativeACL(_ resource.Scope, _ *v1alpha1.KafkaNativeACL, _ *remoteNativeACL) controllers.Diff {
	var diff controllers.Diff
	diff.Add("spec", "not implemented: diffNativeACL", "")
	return diff
}

func createNativeACL(_ context.Context, _ resource.Scope, _ *v1alpha1.KafkaNativeACL) (*remoteNativeACL, error) {
	return nil, errors.New("not implemented: createNativeACL")
}

func updateNativeACL(
	_ context.Context, _ resource.Scope, _ *v1alpha1.KafkaNativeACL, _ *remoteNativeACL, _ controllers.Diff,
) (*remoteNativeACL, error) {
	return nil, errors.New("not implemented: updateNativeACL")
}

func deleteNativeACL(_ context.Context, _ resource.Scope, _ *v1alpha1.KafkaNativeACL, _ *remoteNativeACL) error {
	return errors.New("not implemented: deleteNativeACL")
}
