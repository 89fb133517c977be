package shared

import (
	"fmt"
	"unicode/utf8"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/fault"
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
		"new_password": {Path: pathPassword, Remedy: "Change it in the Secret"},
	}
}

// checkPassword finds what Aiven would refuse in a password from a Secret. Aiven counts its characters, not its bytes.
func checkPassword(value []byte, namespace string, source *v1alpha1.ConnInfoSecretSource) error {
	problem := ""
	switch length := utf8.RuneCount(value); {
	case !utf8.Valid(value):
		problem = "must be text in UTF-8"
	case length < 8 || length > 256:
		problem = "must have 8 to 256 characters"
	default:
		return nil
	}
	return fault.InvalidSpec(pathPassword, fmt.Sprintf("the password in key %q of Secret %s/%s %s. Change it in the Secret",
		source.PasswordKey, namespace, source.Name, problem))
}
