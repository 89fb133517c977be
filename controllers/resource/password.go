package resource

import (
	"fmt"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/notices"
	"github.com/aero-operator/aero/controllers/internal/reference"
)

// PasswordPath is the field of a user that names the Secret with its password.
const PasswordPath = "spec.connInfoSecretSource"

const passwordReference = "SecretSource"

// PasswordSource declares the Secret that a user's password comes from. Its version is recorded: by that, a change of the Secret differs from
// one at Aiven, also where Aiven reports passwords. source returns nil for a user without one.
func PasswordSource[T client.Object](source func(obj T) *v1alpha1.ConnInfoSecretSource) reference.Declaration {
	return reference.Declaration{
		Name: passwordReference, Kind: reference.SecretKind, Field: PasswordPath, WriteOnly: true, Original: true,
		Targets: func(obj client.Object) []reference.Target {
			from := source(obj.(T))
			if from == nil {
				return nil
			}
			return []reference.Target{{NamespacedName: types.NamespacedName{Name: from.Name}, Key: from.PasswordKey}}
		},
	}
}

// DeclaredPassword is the password that an object's spec brings along by a PasswordSource, or "". The error is about one that
// Aiven would refuse.
func (s Scope) DeclaredPassword(obj client.Object, source *v1alpha1.ConnInfoSecretSource) (string, error) {
	value, declared := s.Refs.SecretValue(passwordReference)
	if !declared || source == nil {
		return "", nil
	}
	return string(value), checkPassword(value, obj.GetNamespace(), source)
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
	return fault.InvalidSpec(PasswordPath, fmt.Sprintf("the password in key %q of Secret %s/%s %s. Change it in the Secret",
		source.PasswordKey, namespace, source.Name, problem))
}

// Fixed is why a user of a service can't have its password rotated, for connection.Info. source is that of PasswordSource.
func (s Scope) Fixed(source *v1alpha1.ConnInfoSecretSource) string {
	switch {
	case source != nil:
		return PasswordPath + " names the Secret that has it. Change it there, or remove the field"
	case s.Service.Type == "grafana":
		return connection.FixedByGrafana
	default:
		return ""
	}
}

// Dated is what a client needs to connect, with the dates of the credentials in it. user is whose they are; nil for those of none.
func Dated(info connection.Info, user *aiven.User) connection.Info {
	info.Credentials = notices.OfCredentials(info.Prefixed(), user)
	return info
}
