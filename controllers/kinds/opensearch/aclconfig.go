package opensearch

import (
	"context"
	"errors"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=opensearchaclconfigs,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=opensearchaclconfigs/status,verbs=patch

// ACLConfig is the kind OpenSearchACLConfig.
var ACLConfig = resource.Definition[*v1alpha1.OpenSearchACLConfig, remoteACLConfig]{
	Object: &v1alpha1.OpenSearchACLConfig{},
	Place:  resource.InService("opensearch"),
	// Replace it if Aiven knows the resource by less than the fields that can't change, or by more.
	Identity: func(obj *v1alpha1.OpenSearchACLConfig) controllers.Identity {
		return controllers.Identity{Name: obj.Spec.Project + "/" + obj.Spec.ServiceName + "/" + obj.Name}
	},
	Find:   findACLConfig,
	Diff:   diffACLConfig,
	Create: createACLConfig,
	Update: updateACLConfig,
	Delete: deleteACLConfig,
}.Kind()

// remoteACLConfig is the resource at Aiven. Replace it by the type that the client returns.
type remoteACLConfig struct{}

func findACLConfig(_ context.Context, _ resource.Scope, _ *v1alpha1.OpenSearchACLConfig) (*remoteACLConfig, error) {
	return nil, errors.New("not implemented: findACLConfig")
}

// diffACLConfig can't return an error: what it returns is never corrected.
func diffACLConfig(_ resource.Scope, _ *v1alpha1.OpenSearchACLConfig, _ *remoteACLConfig) controllers.Diff {
	var diff controllers.Diff
	diff.Add("spec", "not implemented: diffACLConfig", "")
	return diff
}

func createACLConfig(_ context.Context, _ resource.Scope, _ *v1alpha1.OpenSearchACLConfig) (*remoteACLConfig, error) {
	return nil, errors.New("not implemented: createACLConfig")
}

func updateACLConfig(
	_ context.Context, _ resource.Scope, _ *v1alpha1.OpenSearchACLConfig, _ *remoteACLConfig, _ controllers.Diff,
) (*remoteACLConfig, error) {
	return nil, errors.New("not implemented: updateACLConfig")
}

func deleteACLConfig(_ context.Context, _ resource.Scope, _ *v1alpha1.OpenSearchACLConfig, _ *remoteACLConfig) error {
	return errors.New("not implemented: deleteACLConfig")
}
