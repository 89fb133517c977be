package shared

import (
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/resource"
)

// databaseFields are the fields of a database by the parameters that they are sent as.
func databaseFields(obj *v1alpha1.Database) fault.Fields {
	return fault.Fields{
		"database":   fault.NameField("spec.databaseName", obj.Spec.DatabaseName),
		"lc_collate": fault.Fixed("spec.lcCollate"), "lc_ctype": fault.Fixed("spec.lcCtype"),
	}
}

// userFields are the fields of a user by the parameters that they are sent as.
func userFields(obj *v1alpha1.ServiceUser) fault.Fields {
	return fault.Fields{
		"username":       fault.NameField("spec.username", obj.Spec.Username),
		"authentication": {Path: "spec.authentication"}, "access_control": {Path: pathAccess},
		"new_password": {Path: resource.PasswordPath, Remedy: "Change it in the Secret"},
	}
}
