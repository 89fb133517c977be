package connection

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/types"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

func TestErrorsNameTheObjectsAndNoRemedyIsTakenForASecret(t *testing.T) {
	const rename = "choose another spec.connInfoSecretTarget.name (immutable once set)"
	for _, name := range []string{"op1", "token", "db-password", "api.key", "client-secret"} {
		secret := types.NamespacedName{Namespace: "op", Name: name}
		for want, err := range map[string]error{
			"Secret op/" + name + " exists and has no controller. Delete it, set its annotation controllers.aiven.io/adopt-secret=true to have it adopted, or " +
				rename: &OwnershipError{Secret: secret, Object: "Project " + name},
			"Secret op/" + name + " belongs to OrganizationProject " + name + ". Choose another spec.connInfoSecretTarget.name; " +
				"where it is set, remove spec.connInfoSecretTarget first": &OwnershipError{Secret: secret, Object: "Project " + name, Owner: "OrganizationProject " + name},
			"Secret op/" + name + " belongs to ServiceUser " + name + ". Delete ConnectionSecret " + name + ", or choose another spec.target.name (immutable once set)": &OwnershipError{
				Secret: secret, Object: "ConnectionSecret " + name, Owner: "ServiceUser " + name, Field: "spec.target"},
			"Secret op/" + name + " is being deleted: waiting until it is gone": &PendingError{
				Secret: secret, Problem: "is being deleted: waiting until it is gone"},
		} {
			assert.Equal(t, want, err.Error())
			assert.Equal(t, want, fault.Of(err).Message)
		}
	}
}
