package connection

import (
	"maps"
	"regexp"
	"slices"
	"strconv"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
)

// Info is what a client needs to connect to one resource. What is published is rendered from it: by Layout, the keys that the
// kind has always had.
type Info struct {
	// Type is that of the service, by Aiven's name: "pg"; empty for a project. It isn't published.
	Type string
	// Address is where clients connect.
	Address Address
	// Components are the addresses of what runs beside it, by name: see ComponentsOf.
	Components map[string]Address
	// Nodes are the addresses of all nodes, with their ports, as Aiven returns them: "https://g.test:443".
	Nodes []string

	// User, Password and Database are what clients log in with. Pool is the name of the object of a connection pool.
	User, Password, Database, Pool string
	// TLSMode is the value that clients of the type have for it: "require", "REQUIRED".
	TLSMode string
	// URI is for clients that take one, with the password. The others lead to read-only replicas, and to components.
	URI, ReplicaURI, RESTURI, RegistryURI string
	// CACert, AccessCert and AccessKey are PEM.
	CACert, AccessCert, AccessKey string

	// Fixed is why the password can't be rotated, and what to do instead, as a sentence without its period; empty if it can.
	Fixed string

	// Endpoints are all that the service has, on all routes. They are shared: never change one.
	Endpoints []aiven.Component

	// Layout has the keys that are published.
	Layout Layout
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

// FixedByGrafana is why the password of Grafana's administrator can't be rotated.
const FixedByGrafana = "Grafana keeps the password of its administrator itself, and a reset at Aiven doesn't change that. Change it in Grafana"

// Address is a host and a port in decimal digits. Either is empty where Aiven returns none.
type Address struct{ Host, Port string }

// AddressOf is the address of a component of a service; empty without a host.
func AddressOf(c aiven.Component) Address {
	if c.Host == "" {
		return Address{}
	}
	return Address{c.Host, strconv.Itoa(c.Port)}
}

// The names of Info.Components are those of Aiven, but for SASL: Kafka's brokers for users with a password.
const (
	SASL           = "kafka/sasl"
	SchemaRegistry = "schema_registry"
	KafkaConnect   = "kafka_connect"
	KafkaREST      = "kafka_rest"
)

// ComponentsOf are the addresses of some components of a service, empty for those that don't run.
func ComponentsOf(s *aiven.Service, names ...string) map[string]Address {
	addresses := map[string]Address{}
	for _, name := range names {
		c, _ := s.Component(name)
		if name == SASL {
			c, _ = s.SASL()
		}
		addresses[name] = AddressOf(c)
	}
	return addresses
}

// Layout has the keys that a kind publishes.
type Layout struct {
	// Prefixed are published with the prefix of the target in front of the key: HOST becomes KAFKA_HOST.
	Prefixed map[string]Value
	// Legacy are published under exactly this key, for applications that use names from before there was a prefix:
	// PGHOST, DATABASE_URI. Where a prefixed key comes out the same, the prefixed value is published.
	Legacy map[string]Value
	// OmitEmpty means that there is no key for what Aiven doesn't return. Without it, the key is there with an empty value.
	OmitEmpty bool
}

// Twice is the layout that has some of its prefixed keys, or all if none is named, without the prefix too.
func (l Layout) Twice(keys ...string) Layout {
	l.Legacy = maps.Clone(l.Prefixed)
	maps.DeleteFunc(l.Legacy, func(key string, _ Value) bool { return len(keys) > 0 && !slices.Contains(keys, key) })
	return l
}

// Prefixed are the values that are published with the prefix of the target, by key. It is nil if there are none.
func (i Info) Prefixed() map[string]string { return i.values(i.Layout.Prefixed) }

// Legacy are the values that are published under exactly their key. It is nil if there are none.
func (i Info) Legacy() map[string]string { return i.values(i.Layout.Legacy) }

func (i Info) values(layout map[string]Value) map[string]string {
	var values map[string]string
	for key, valueOf := range layout {
		value := valueOf(i)
		if value == "" && i.Layout.OmitEmpty {
			continue
		}
		if values == nil {
			values = map[string]string{}
		}
		values[key] = value
	}
	return values
}

// Empty reports that there is nothing to publish yet: no values, or some without their secrets.
func (i Info) Empty() bool {
	prefixed, legacy := i.Prefixed(), i.Legacy()
	return len(prefixed) == 0 && len(legacy) == 0 || isRedacted(prefixed) || isRedacted(legacy)
}

// Missing is the value of a key of Keep that isn't known. An Info with it is Empty, and shows DryRun what will be published.
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

func isRedacted(values map[string]string) bool {
	for _, value := range values {
		if redacted.MatchString(value) {
			return true
		}
	}
	return false
}

// data lays the values out as they are published.
func (i Info) data(prefix string) map[string][]byte {
	data := map[string][]byte{}
	for key, value := range i.Legacy() {
		data[key] = []byte(value)
	}
	for key, value := range i.Prefixed() {
		data[prefix+key] = []byte(value)
	}
	return data
}
