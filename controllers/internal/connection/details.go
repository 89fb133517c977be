package connection

import (
	"regexp"
	"strconv"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
)

// Details are the connection details of one resource.
type Details struct {
	// Prefixed are published with the prefix of the target in front of the key: HOST becomes KAFKA_HOST.
	Prefixed map[string]string
	// Legacy are published under exactly this key, for applications that use names from before there was a prefix:
	// PGHOST, DATABASE_URI. Where a prefixed key comes out the same, the prefixed value is published.
	Legacy map[string]string
	// Keep lists keys, without the prefix, that stay in the Secret with their published value when Aiven no longer returns
	// one: a password that it returns once, say.
	Keep []string
	// IssuedFor is the id of the resource that the values of Keep are of, for one that may be created again under its name.
	// It is published as an annotation: values that were published for another id count as lost. What was published without
	// one is of the id in the status, and may be of any if there is none.
	IssuedFor string
	// Credentials are the dates of the values, for the status; nil if none is known. They aren't published.
	Credentials *v1alpha1.Credentials
}

// Empty reports that there is nothing to publish yet: no details, or some without their secrets.
func (d Details) Empty() bool {
	return len(d.Prefixed) == 0 && len(d.Legacy) == 0 || isRedacted(d.Prefixed) || isRedacted(d.Legacy)
}

// Missing is the value of a key of Keep that isn't known. Details with it are Empty, and show DryRun what will be published.
const Missing = "<redacted>"

// redacted is what Aiven returns instead of a secret that it doesn't show, alone or in an address.
var redacted = regexp.MustCompile(`(?i)(<|%3C)redacted(>|%3E)`)

// Shown is a secret that Aiven has returned; empty if it hides it.
func Shown(value string) string {
	if redacted.MatchString(value) {
		return ""
	}
	return value
}

func isRedacted(details map[string]string) bool {
	for _, value := range details {
		if redacted.MatchString(value) {
			return true
		}
	}
	return false
}

// data lays the details out as they are published.
func (d Details) data(prefix string) map[string][]byte {
	data := map[string][]byte{}
	for key, value := range d.Legacy {
		data[key] = []byte(value)
	}
	for key, value := range d.Prefixed {
		data[prefix+key] = []byte(value)
	}
	return data
}

// Address has the keys of one address, PREFIX_HOST and PREFIX_PORT. They are empty without a host.
func Address(prefix, host string, port int) map[string]string {
	if host == "" {
		return map[string]string{prefix + "_HOST": "", prefix + "_PORT": ""}
	}
	return map[string]string{prefix + "_HOST": host, prefix + "_PORT": strconv.Itoa(port)}
}

// Target is where the details are published, and how.
type Target struct {
	// Name of the Secret, in the namespace of the owner.
	Name string
	// Former is the name of the Secret that was published last, by the status, if the spec names another one now.
	Former string
	// Published is whether a Secret was published before, by the status.
	Published bool
	// IssuedFor is what Details.IssuedFor was, by the status: values that were published without an id are of it.
	IssuedFor string
	// Prefix of the keys in Details.Prefixed.
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
func TargetOf(obj client.Object, kind string) (Target, bool) {
	owner, publishes := obj.(publisher)
	if !publishes {
		return Target{Disabled: true}, false
	}
	return targetOf(obj, kind, owner.GetSecretFields()), true
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
