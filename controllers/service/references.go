package service

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/reference"
)

// Names of the references.
const (
	referenceVPC       = "ProjectVPC"
	referenceMigration = "MigrationSecretSource"
)

// VPC is the reference of every service kind to the network that it runs in. An id in the spec takes precedence.
var VPC = reference.Declaration{
	Name: referenceVPC, Kind: v1alpha1.GroupVersion.WithKind("ProjectVPC"), Field: pathVPCRef,
	CreateOnly: true,
	Targets: func(obj client.Object) []reference.Target {
		spec := obj.(Object).GetBaseServiceFields()
		if spec.ProjectVPCRef == nil || spec.ProjectVPCID != "" {
			return nil
		}
		name := types.NamespacedName{Namespace: spec.ProjectVPCRef.Namespace, Name: spec.ProjectVPCRef.Name}
		return []reference.Target{{NamespacedName: name}}
	},
	Ready: reference.Typed(func(referrer Object, target *v1alpha1.ProjectVPC) (string, error) {
		if project := referrer.GetBaseServiceFields().Project; target.Spec.Project != project {
			return "", fault.InvalidSpec(pathVPCRef, fmt.Sprintf("ProjectVPC %s isn't in project %s of the service. Refer to one in that project",
				target.Name, project)) // its project isn't named: it may be another tenant's
		}
		return target.Status.ID, nil
	}),
}

// Migration is the reference of a service kind to the Secret with the database to migrate from. It is needed until the
// migration is done. source returns what the spec of an object names; keys are those that only this type has.
func Migration[T Object](source func(obj T) *v1alpha1.MigrationSecretSource, keys MigrationKeys) reference.Declaration {
	return reference.Declaration{
		Name: referenceMigration, Kind: reference.SecretKind, Field: pathMigration, WriteOnly: true, Keys: migrationKeys.and(keys).all(),
		Targets: func(obj client.Object) []reference.Target {
			named := source(obj.(T))
			if named == nil || migrated(obj.(T)) {
				return nil
			}
			// A target has one key; what else is needed is checked by migrationOptions.
			return []reference.Target{{NamespacedName: types.NamespacedName{Name: named.Name}, Key: keyHost}}
		},
		Spent: func(obj client.Object) *reference.Spent {
			named := source(obj.(T))
			if named == nil || !migrated(obj.(T)) {
				return nil
			}
			return &reference.Spent{Name: named.Name, Delete: named.DeleteAfterMigration}
		},
	}
}

// Protected reports whether the spec turns termination protection on.
func Protected[T Object](obj T) bool {
	on := obj.GetBaseServiceFields().TerminationProtection
	return on != nil && *on
}
