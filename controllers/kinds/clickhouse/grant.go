package clickhouse

import (
	"context"
	"errors"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=clickhousegrants,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=clickhousegrants/status,verbs=patch

// Grant is the kind ClickhouseGrant.
var Grant = resource.Definition[*v1alpha1.ClickhouseGrant, remoteGrant]{
	Object: &v1alpha1.ClickhouseGrant{},
	Place:  resource.InService("clickhouse"),
	// Replace it if Aiven knows the resource by less than the fields that can't change, or by more.
	Identity: func(obj *v1alpha1.ClickhouseGrant) controllers.Identity {
		return controllers.Identity{Name: obj.Spec.Project + "/" + obj.Spec.ServiceName + "/" + obj.Name}
	},
	Find:   findGrant,
	Diff:   diffGrant,
	Create: createGrant,
	Update: updateGrant,
	Delete: deleteGrant,
}.Kind()

// remoteGrant is the resource at Aiven. Replace it by the type that the client returns.
type remoteGrant struct{}

func findGrant(_ context.Context, _ resource.Scope, _ *v1alpha1.ClickhouseGrant) (*remoteGrant, error) {
	return nil, errors.New("not implemented: findGrant")
}

// diffGrant can't return an error: what it returns is never corrected.
func diffGrant(_ resource.Scope, _ *v1alpha1.ClickhouseGrant, _ *remoteGrant) controllers.Diff {
	var diff controllers.Diff
	diff.Add("spec", "not implemented: diffGrant", "")
	return diff
}

func createGrant(_ context.Context, _ resource.Scope, _ *v1alpha1.ClickhouseGrant) (*remoteGrant, error) {
	return nil, errors.New("not implemented: createGrant")
}

func updateGrant(
	_ context.Context, _ resource.Scope, _ *v1alpha1.ClickhouseGrant, _ *remoteGrant, _ controllers.Diff,
) (*remoteGrant, error) {
	return nil, errors.New("not implemented: updateGrant")
}

func deleteGrant(_ context.Context, _ resource.Scope, _ *v1alpha1.ClickhouseGrant, _ *remoteGrant) error {
	return errors.New("not implemented: deleteGrant")
}
