package connection

import (
	"regexp"
	"strconv"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
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
	// one may be of any.
	IssuedFor string
}

// Empty reports that there is nothing to publish yet: no details, or some without their secrets.
func (d Details) Empty() bool {
	return len(d.Prefixed) == 0 && len(d.Legacy) == 0 || isRedacted(d.Prefixed) || isRedacted(d.Legacy)
}

// Missing is the value of a key of Keep that isn't known. Details with it are Empty, and show DryRun what will be published.
const Missing = "<redacted>"

// redacted is what Aiven returns instead of a secret that it doesn't show, alone or in an address.
var redacted = regexp.MustCompile(`(?i)(<|%3C)redacted(>|%3E)`)

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
	// Prefix of the keys in Details.Prefixed.
	Prefix string
	// Labels and Annotations that the spec has for the Secret.
	Labels, Annotations map[string]string
	// Disabled means that nothing is published and an existing Secret isn't touched.
	Disabled bool
	// AdoptExisting allows to take over a Secret that has no controller.
	AdoptExisting bool
}

// TargetOf reads the target of an object from its spec. The name defaults to the object's name, the prefix to the kind
// in upper case and an underscore. Without fields (nil: a kind that publishes nothing) the target is disabled.
func TargetOf(obj client.Object, kind string, fields *v1alpha1.SecretFields) Target {
	if fields == nil {
		return Target{Disabled: true}
	}
	want := fields.ConnInfoSecretTarget
	target := Target{
		Name:          want.Name,
		Prefix:        want.Prefix,
		Labels:        want.Labels,
		Annotations:   want.Annotations,
		Disabled:      fields.ConnInfoSecretTargetDisabled != nil && *fields.ConnInfoSecretTargetDisabled,
		AdoptExisting: obj.GetAnnotations()[annotation.AdoptSecret] == "true",
	}
	if target.Name == "" {
		target.Name = obj.GetName()
	}
	if target.Prefix == "" {
		target.Prefix = strings.ToUpper(kind) + "_"
	}
	if owner, binds := obj.(interface{ GetCommonStatus() *v1alpha1.CommonStatus }); binds {
		if last := owner.GetCommonStatus().Binding; last != nil && last.Name != target.Name {
			target.Former = last.Name
		}
	}
	return target
}
