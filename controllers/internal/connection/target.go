package connection

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// Target is where the details are published, and how.
type Target struct {
	// Name of the Secret, in the namespace of the owner.
	Name string
	// Field is the path of the field that has it all; empty for spec.connInfoSecretTarget.
	Field string
	// Type that the Secret must have. That of one that exists can't be changed. Empty for any: a Secret that is created is Opaque then.
	Type corev1.SecretType
	// Former is the name of the Secret that was published last, by the status, if the spec names another one now.
	Former string
	// Published is whether a Secret was published before, by the status.
	Published bool
	// IssuedFor is what Info.IssuedFor was, by the status: values that were published without an id are of it.
	IssuedFor string
	// Route is the one of the addresses that are published; empty for those that Aiven's URIs have. See Info.Via.
	Route string
	// Prefix of the keys in Layout.Prefixed.
	Prefix string
	// Labels and Annotations that the spec has for the Secret.
	Labels, Annotations map[string]string
	// Disabled means that nothing is published and an existing Secret isn't touched.
	Disabled bool
}

// publisher is an object with a connection Secret.
type publisher interface {
	GetSecretFields() *v1alpha1.SecretFields
}

// Publishes reports whether objects of a kind have a connection Secret.
func Publishes(obj client.Object) bool {
	_, publishes := obj.(publisher)
	return publishes
}

// TargetOf reads the target of an object from its spec. The name defaults to the object's name, the prefix to the kind
// in upper case and an underscore. It is disabled, and false, for a kind that publishes nothing.
//
// Its route is that of the object's annotation, else that of its Namespace, which the policies have.
func TargetOf(obj client.Object, kind string, policies policy.Defaults) (Target, bool) {
	owner, publishes := obj.(publisher)
	if !publishes {
		return Target{Disabled: true}, false
	}
	target := targetOf(obj, kind, owner.GetSecretFields())
	target.Route = policy.RouteOf(obj, policies)
	return target, true
}

func targetOf(obj client.Object, kind string, fields *v1alpha1.SecretFields) Target {
	want := fields.ConnInfoSecretTarget
	target := Target{
		Name:        want.Name,
		Prefix:      want.Prefix,
		Labels:      want.Labels,
		Annotations: want.Annotations,
		Disabled:    fields.ConnInfoSecretTargetDisabled != nil && *fields.ConnInfoSecretTargetDisabled,
	}
	if target.Name == "" {
		target.Name = obj.GetName()
	}
	if target.Prefix == "" {
		target.Prefix = strings.ToUpper(kind) + "_"
	}
	if owner, binds := obj.(interface{ GetCommonStatus() *v1alpha1.CommonStatus }); binds {
		last := owner.GetCommonStatus().Binding
		if target.Published = last != nil; target.Published && last.Name != target.Name {
			target.Former = last.Name
		}
	}
	if owner, known := obj.(interface{ GetIssuedFor() string }); known {
		target.IssuedFor = owner.GetIssuedFor()
	}
	return target
}
